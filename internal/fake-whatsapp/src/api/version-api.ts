import type { WAVersion } from '@whiskeysockets/baileys';
import type { Network } from '../network.ts';

/** The versions of WhatsApp Web that the network takes. Clients that trust the server look the current one up there. */
export interface VersionApi {
  /**
   * Releases a new version of WhatsApp Web, without which no client can be linked: older clients still show a QR, but
   * the phone that scans it refuses, and the client is not notified. Returns the version.
   */
  releaseVersion(): WAVersion;
  /** Logins of clients that are older than the current version get a 405 from now on. */
  expireVersions(): void;
}

export function versionApi({ versions }: Network): VersionApi {
  return {
    releaseVersion: () => versions.release(),
    expireVersions: () => versions.expire(),
  };
}
