import type { Gateway } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { PACES } from '@trunkline/core/spi/gateway';
import type { Pace } from '@trunkline/core/spi/gateway';
import type { SandboxOptions, SandboxPhone } from '@trunkline/core/sandbox';
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
  /** The phone behind an instance on a simulated network; null if this process does not run that network. */
  readonly phone: (instance: { readonly id: string; readonly network: string }) => ControlledPhone | null;
  close(): void;
}

export type ControlledPhone = Omit<SandboxPhone, 'accepted' | 'acted' | 'read' | 'blocked' | 'typing'>;

interface Opening {
  readonly settings: Settings;
  readonly files: DataFiles;
  readonly terminal: Terminal;
}

type OpenNetwork = (opening: Opening) => Promise<Networks>;

const OPEN: Readonly<Record<NetworkName, OpenNetwork>> = {
  sandbox: (opening) => openSandbox(opening, { linkedBy: 'phone', path: opening.files.sandboxNetwork }),
  sandbox_credentials: (opening) =>
    openSandbox(opening, { linkedBy: 'credentials', path: opening.files.sandboxCredentials }),
  whatsapp: openWhatsApp,
};

const CLOSED: Readonly<Record<NetworkName, () => Promise<Gateway>>> = {
  sandbox: async () => createSandbox().gateway,
  sandbox_credentials: async () => createSandbox({ linkedBy: 'credentials' }).gateway,
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
    const phone: Networks['phone'] = (instance) =>
      opened.map((network) => network.phone(instance)).find((found) => found !== null) ?? null;
    return { gateways, phone, close };
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
async function openSandbox(
  { settings }: Opening,
  { linkedBy, path }: Pick<SandboxOptions, 'linkedBy'> & { readonly path: string },
): Promise<Networks> {
  const elsewhere = { ...createSandbox({ linkedBy }).gateway, connectsElsewhere: true };
  const journal = settings.roles.gateway ? openSandboxJournal(path) : null;
  if (!journal) return { gateways: [elsewhere], phone: NO_PHONE, close() {} };
  const { gateway, phone } = createSandbox({ linkedBy, journal });
  return {
    gateways: [gateway],
    phone: ({ id, network }) => (network === gateway.network ? phone(id) : null),
    close: () => journal.close(),
  };
}

const NO_PHONE = (): null => null;

/** Any number of processes may use WhatsApp. Only those with the role `gateway` load the code for its connections. */
async function openWhatsApp({ settings, terminal }: Opening): Promise<Networks> {
  if (!settings.roles.gateway) {
    const { baileysElsewhere } = await loadGateway(() => import('@trunkline/gateway-baileys/elsewhere'));
    return { gateways: [baileysElsewhere()], phone: NO_PHONE, close() {} };
  }
  const { baileysGateway } = await loadGateway(() => import('@trunkline/gateway-baileys'));
  const gateway = baileysGateway({ pace: paceOf(settings) });
  return {
    gateways: [terminal.isTTY ? drawQrs(gateway, terminal.say) : gateway],
    phone: NO_PHONE,
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
