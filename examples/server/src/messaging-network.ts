import type { DataFiles } from './data-files.ts';
import { drawQrs } from './draw-qrs.ts';
import { openSandboxNetwork } from './sandbox-network.ts';
import type { SandboxNetwork } from './sandbox-network.ts';
import type { Settings } from './settings.ts';

/** The network that GATEWAY names. WhatsApp has no phones that a request could move, and every process may use it. */
export async function openNetwork(settings: Settings, files: DataFiles): Promise<SandboxNetwork> {
  if (settings.gateway === 'sandbox') return openSandboxNetwork(settings, files);
  // It is large: who does not use it starts sooner, in less memory.
  const { baileysGateway } = await import('@trunkline/gateway-baileys');
  const { messagesPerMinute } = settings;
  const gateway = baileysGateway(messagesPerMinute === undefined ? {} : { pace: { messagesPerMinute } });
  return {
    // Never into a file or a log, where others could find it.
    gateway: process.stdout.isTTY ? drawQrs(gateway, console.log) : gateway,
    phone: null,
    isElsewhere: false,
    close() {},
  };
}
