import type { Gateway } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import type { DataFiles } from './data-files.ts';
import { drawQrs } from './draw-qrs.ts';
import { openSandboxNetwork } from './sandbox-network.ts';
import type { SandboxNetwork } from './sandbox-network.ts';
import type { Settings } from './settings.ts';
import { errorCode, StartError } from './start-error.ts';
import type { Terminal } from './terminal.ts';
import { whatsAppElsewhere } from './whatsapp-elsewhere.ts';

/**
 * Opens the network that GATEWAY names. On WhatsApp, requests cannot control phones, and any number of processes may
 * use the network.
 */
export async function openNetwork(
  settings: Settings,
  files: DataFiles,
  terminal: Terminal,
): Promise<SandboxNetwork> {
  if (settings.gateway === 'sandbox') return openSandboxNetwork(settings, files);
  const gateway = settings.roles.gateway ? await openWhatsApp(settings, terminal) : whatsAppElsewhere();
  return { gateway, phone: null, isElsewhere: false, close() {} };
}

/** Returns a gateway of the network that GATEWAY names, without connections, for work on the gateway's stored data. */
export async function closedGateway({ gateway }: Settings): Promise<Gateway> {
  return gateway === 'sandbox' ? createSandbox().gateway : (await loadBaileys()).baileysGateway();
}

async function openWhatsApp({ messagesPerMinute }: Settings, terminal: Terminal): Promise<Gateway> {
  const { baileysGateway } = await loadBaileys();
  const gateway = baileysGateway(messagesPerMinute === undefined ? {} : { pace: { messagesPerMinute } });
  return terminal.isTTY ? drawQrs(gateway, terminal.say) : gateway;
}

/**
 * Loads the gateway's package, which is separate because it is large and has its own licence. Throws a StartError if it
 * is not installed.
 */
async function loadBaileys(): Promise<typeof import('@trunkline/gateway-baileys')> {
  try {
    return await import('@trunkline/gateway-baileys');
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartError(
      'GATEWAY=baileys needs the package @trunkline/gateway-baileys: install it next to trunkline, with "npm install @trunkline/gateway-baileys".',
    );
  }
}
