import type { DataFiles } from './data-files.ts';
import { drawQrs } from './draw-qrs.ts';
import { openSandboxNetwork } from './sandbox-network.ts';
import type { SandboxNetwork } from './sandbox-network.ts';
import type { Settings } from './settings.ts';
import { errorCode, StartError } from './start-error.ts';
import type { Terminal } from './terminal.ts';

/** The network that GATEWAY names. WhatsApp has no phones that a request could move, and every process may use it. */
export async function openNetwork(
  settings: Settings,
  files: DataFiles,
  terminal: Terminal,
): Promise<SandboxNetwork> {
  if (settings.gateway === 'sandbox') return openSandboxNetwork(settings, files);
  const { baileysGateway } = await loadBaileys();
  const { messagesPerMinute } = settings;
  const gateway = baileysGateway(messagesPerMinute === undefined ? {} : { pace: { messagesPerMinute } });
  return {
    // Never into a file or a log, where others could find it.
    gateway: process.stdout.isTTY ? drawQrs(gateway, terminal.say) : gateway,
    phone: null,
    isElsewhere: false,
    close() {},
  };
}

/** Large, and under a licence of its own: a package that whoever uses it installs beside this one. */
async function loadBaileys(): Promise<typeof import('@trunkline/gateway-baileys')> {
  try {
    return await import('@trunkline/gateway-baileys');
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartError(
      'GATEWAY=baileys needs the package @trunkline/gateway-baileys: install it beside trunkline, with "npm install @trunkline/gateway-baileys".',
    );
  }
}
