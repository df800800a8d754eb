import type { WAVersion } from '@whiskeysockets/baileys';
import type { Network } from '../network.ts';

/** The versions of WhatsApp Web that the network takes. Clients that trust the server look the current one up there. */
export interface VersionApi {
  /** The version without which no client can be linked: older ones show a QR, but the phone that scans it refuses. */
  currentVersion(): WAVersion;
  /** Releases a new version of WhatsApp Web. Clients are not notified. Returns the version. */
  releaseVersion(): WAVersion;
  /** Lets clients of every version be linked from now on, for tests that cannot look the version up. */
  linkOldVersions(): void;
  /** Logins of clients that are older than the current version get a 405 from now on. */
  expireVersions(): void;
}

export function versionApi({ versions }: Network): VersionApi {
  return {
    currentVersion: () => versions.current,
    releaseVersion: () => versions.release(),
    linkOldVersions: () => {
      versions.linksOldOnes = true;
    },
    expireVersions: () => versions.expire(),
  };
}
