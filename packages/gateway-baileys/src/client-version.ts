import type { WAVersion } from '@whiskeysockets/baileys';
import type { InstanceNetwork } from './network/instance-network.ts';

/** The version of WhatsApp Web that we report: that of Baileys until the network refuses it. */
export interface ClientVersion {
  /** Null for the version of Baileys. */
  readonly current: WAVersion | null;
  /** The network refused this version. Returns whether there is another to try. */
  refused(version: WAVersion | null, network: InstanceNetwork): Promise<boolean>;
}

/** Shared by all instances: a version is refused for all of them, and the current one is requested once. */
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
      // Another instance may have found a newer one meanwhile.
      if (version === null && current === null) {
        asking ??= ask(network).finally(() => (asking = null));
        await asking;
      }
      return true;
    },
  };
}
