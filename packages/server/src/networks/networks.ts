import type { Gateway } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { PACES } from '@trunkline/core/spi/gateway';
import type { Pace } from '@trunkline/core/spi/gateway';
import type { SandboxPhone } from '@trunkline/core/sandbox';
import type { DataFiles } from '../files/data-files.ts';
import { drawQrs } from './draw-qrs.ts';
import type { NetworkName } from '../settings/network-list.ts';
import { openSandboxJournal } from './sandbox-journal.ts';
import type { Settings } from '../settings/settings.ts';
import { errorCode, StartError } from '../errors/start-error.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The messaging networks of this process. */
export interface Networks {
  readonly gateways: readonly Gateway[];
  /** The phone behind an instance on the simulated network; null if this process does not run that network. */
  readonly phone: ((instanceId: string) => ControlledPhone) | null;
  close(): void;
}

export type ControlledPhone = Omit<SandboxPhone, 'accepted'>;

interface Opening {
  readonly settings: Settings;
  readonly files: DataFiles;
  readonly terminal: Terminal;
}

type OpenNetwork = (opening: Opening) => Promise<Networks>;

const OPEN: Readonly<Record<NetworkName, OpenNetwork>> = { sandbox: openSandbox, whatsapp: openWhatsApp };

const CLOSED: Readonly<Record<NetworkName, () => Promise<Gateway>>> = {
  sandbox: async () => createSandbox().gateway,
  whatsapp: async () => (await loadGateway(() => import('@trunkline/gateway-baileys'))).baileysGateway(),
};

/** Opens the networks that GATEWAYS names, in this order. */
export async function openNetworks(opening: Opening): Promise<Networks> {
  const { gateways: names, roles } = opening.settings;
  const opened: Networks[] = [];
  const close = (): void => {
    for (const network of opened) network.close();
  };
  try {
    for (const name of names) opened.push(await OPEN[name](opening));
    const gateways = opened.flatMap((network) => network.gateways);
    const { gateway, ...others } = roles;
    if (
      gateway &&
      gateways.every(({ connectsElsewhere }) => connectsElsewhere === true) &&
      !Object.values(others).includes(true)
    )
      throw new StartError(
        `ROLES is only gateway, and another process connects every network of GATEWAYS (${names.join(', ')}). Stop that process, or give this one another role.`,
      );
    return { gateways, phone: opened.find(({ phone }) => phone !== null)?.phone ?? null, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Returns gateways of the networks that GATEWAYS names, without connections, for work on their stored data. */
export async function closedGateways({ gateways }: Settings): Promise<readonly Gateway[]> {
  return Promise.all(gateways.map((name) => CLOSED[name]()));
}

/** Only one process at a time runs the sandbox network; other processes on the same data can have every other role. */
async function openSandbox({ settings, files }: Opening): Promise<Networks> {
  const elsewhere = { ...createSandbox().gateway, connectsElsewhere: true };
  if (!settings.roles.gateway) return { gateways: [elsewhere], phone: null, close() {} };
  const journal = openSandboxJournal(files.sandboxNetwork);
  if (!journal) return { gateways: [elsewhere], phone: null, close() {} };
  const { gateway, phone } = createSandbox({ journal });
  return { gateways: [gateway], phone, close: () => journal.close() };
}

/** Any number of processes may use WhatsApp. Only those with the role `gateway` load the code for its connections. */
async function openWhatsApp({ settings, terminal }: Opening): Promise<Networks> {
  if (!settings.roles.gateway) {
    const { baileysElsewhere } = await loadGateway(() => import('@trunkline/gateway-baileys/elsewhere'));
    return { gateways: [baileysElsewhere()], phone: null, close() {} };
  }
  const { baileysGateway } = await loadGateway(() => import('@trunkline/gateway-baileys'));
  const gateway = baileysGateway({ pace: paceOf(settings) });
  return {
    gateways: [terminal.isTTY ? drawQrs(gateway, terminal.say) : gateway],
    phone: null,
    close() {},
  };
}

function paceOf({ pace, messagesPerMinute, newPeoplePerDay, showTyping }: Settings): Pace {
  const chosen = PACES[pace];
  return {
    messagesPerMinute: messagesPerMinute ?? chosen.messagesPerMinute,
    newPeoplePerDay: newPeoplePerDay ?? chosen.newPeoplePerDay,
    typing: showTyping,
  };
}

/**
 * Loads the package of the gateway, which is separate because it is large and has its own licence. Throws a StartError
 * if it is not installed.
 */
async function loadGateway<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartError(
      'whatsapp in GATEWAYS needs the package @trunkline/gateway-baileys: install it next to trunkline, with "npm install @trunkline/gateway-baileys".',
    );
  }
}
