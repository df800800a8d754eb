import type { WAVersion } from '@whiskeysockets/baileys';
import type { InstanceNetwork } from './network/instance-network.ts';

/** The version of WhatsApp Web that we report: Baileys' own version until the network refuses it. */
export interface ClientVersion {
  /** Null for Baileys' own version. */
  readonly current: WAVersion | null;
  /** The network refused this version. Returns whether there is another one to try. */
  refused(version: WAVersion | null, network: InstanceNetwork): Promise<boolean>;
}

/**
 * Shared by all instances, since the network refuses a version for all of them. The current version is requested once.
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
