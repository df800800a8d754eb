import type { WAVersion } from '@whiskeysockets/baileys';
import type { InstanceNetwork } from './network/instance-network.ts';

/** The version of WhatsApp Web that we report: Baileys' own version until the network refuses it. */
export interface ClientVersion {
  /** Null for Baileys' own version. */
  readonly current: WAVersion | null;
  /** Looks up the current version after the network refused `version`. Returns whether another version can be tried. */
  refused(version: WAVersion | null, network: InstanceNetwork): Promise<boolean>;
}

/**
 * Shared by all instances, because the network refuses a version for all of them. Concurrent refusals share one
 * request.
 */
export function clientVersion(
  askForCurrent: (network: InstanceNetwork) => Promise<WAVersion>,
): ClientVersion {
  let current: WAVersion | null = null;
  let asking: Promise<void> | null = null;

  const ask = async (network: InstanceNetwork): Promise<void> => {
    current = await askForCurrent(network);
  };

  return {
    get current() {
      return current;
    },
    async refused(version, network) {
      if (version !== null && current?.join() === version.join()) return false;
      // Another instance may have found a newer version in the meantime.
      if (version === null && current === null) {
        asking ??= ask(network).finally(() => (asking = null));
        await asking;
      }
      return true;
    },
  };
}
