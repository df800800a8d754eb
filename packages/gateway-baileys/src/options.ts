import type { Agent } from 'node:https';
import type { Pace } from '@trunkline/core/spi/gateway';
import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
import { checkProxy } from './network/check-proxy.ts';
import { instanceNetwork, withDispatcher } from './network/instance-network.ts';
import type { InstanceNetwork, NetworkOptions } from './network/instance-network.ts';
import { readPace } from './pace-option.ts';
import type { PaceOption } from './pace-option.ts';

/** The options of `baileysGateway`. */
export interface BaileysGatewayOptions {
  /** The name by which the phone lists the linked device. Default `Trunkline`. */
  readonly deviceName?: string | undefined;
  /** How fast each number sends. Default `gentle`; an instance for which a pace was chosen has that one. */
  readonly pace?: PaceOption | undefined;
  /**
   * Returns the current version of WhatsApp Web. Called before a number is linked, when a number is connected and the
   * last call was a day ago, and when the network has refused the client's version; never for instances with the option
   * `socket.version`. By default, asks web.whatsapp.com, through the instance's proxy if it has one.
   */
  readonly currentVersion?: (() => Promise<WhatsAppVersion>) | undefined;
  /**
   * How instances connect to the network. A function is called before each connection of each instance; if it throws or
   * rejects, the connection is retried later.
   */
  readonly socket?:
    SocketOptions | ((instanceId: string) => InstanceOptions | Promise<InstanceOptions>) | undefined;
}

/** A version of WhatsApp Web, such as `[2, 3000, 1023223821]`. */
type WhatsAppVersion = [number, number, number];

interface SocketOptions {
  /**
   * The address of a proxy, with `http:`, `https:` or `socks5:`, and a user name and a password if the proxy requires
   * them. Everything goes through the proxy: the connection, files in both directions, and the lookup of the current
   * version. The proxy also resolves host names.
   */
  readonly proxy?: string | URL;
  /** The agent for all requests, instead of a `proxy`. With a `fetchAgent`, only the WebSocket uses this agent. */
  readonly agent?: Agent;
  /** The agent for all requests except the WebSocket. */
  readonly fetchAgent?: Agent;
  /** The address of a server other than WhatsApp's. */
  readonly waWebSocketUrl?: string | URL;
  /** The version of WhatsApp Web that the client claims to be. By default, the current one (`currentVersion`). */
  readonly version?: WhatsAppVersion;
  /** The country code, two letters. Default `US`. */
  readonly countryCode?: string;
  /** How long a connection may take to open, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** How often the connection is checked, in milliseconds. */
  readonly keepAliveIntervalMs?: number;
  /** How long WhatsApp may take to respond to a request, in milliseconds. */
  readonly defaultQueryTimeoutMs?: number;
  /** How long each QR is valid, in milliseconds. */
  readonly qrTimeout?: number;
}

/** The options of one instance. */
interface InstanceOptions extends SocketOptions {
  /** Replaces the gateway's `deviceName`. */
  readonly deviceName?: string;
  /** Replaces the gateway's `pace`. */
  readonly pace?: PaceOption;
}

export interface GatewaySettings {
  readonly currentVersion: (network: InstanceNetwork) => Promise<WhatsAppVersion>;
  /**
   * The settings of an instance. Its own proxy (`proxyUrl`) replaces the proxy and the agents of the options. Rejects
   * if the app's function fails or returns wrong options.
   */
  of(instanceId: string, proxyUrl: string | null): Promise<InstanceSettings>;
}

export interface InstanceSettings {
  readonly deviceName: string;
  readonly pace: Pace;
  /** Baileys' own options. */
  readonly socket: Omit<SocketOptions, keyof NetworkOptions>;
  readonly network: InstanceNetwork;
}

const OPTION_NAMES: OptionNames<BaileysGatewayOptions> = {
  deviceName: true,
  pace: true,
  currentVersion: true,
  socket: true,
};

const SOCKET_OPTION_NAMES: OptionNames<SocketOptions> = {
  proxy: true,
  agent: true,
  fetchAgent: true,
  waWebSocketUrl: true,
  version: true,
  countryCode: true,
  connectTimeoutMs: true,
  keepAliveIntervalMs: true,
  defaultQueryTimeoutMs: true,
  qrTimeout: true,
};

const INSTANCE_OPTION_NAMES: OptionNames<InstanceOptions> = {
  ...SOCKET_OPTION_NAMES,
  deviceName: true,
  pace: true,
};

/** Fills in the defaults. Throws an error that names the first wrong option. */
export function readOptions(options: BaileysGatewayOptions): GatewaySettings {
  checkOptionNames('baileysGateway', options, OPTION_NAMES);
  const { deviceName = 'Trunkline', pace = 'gentle', currentVersion = latestVersion, socket = {} } = options;
  const usual = { deviceName, pace };
  checkInstance(usual);
  if (typeof socket === 'function') {
    return {
      currentVersion,
      of: async (instanceId, proxyUrl) =>
        openNetwork(checkedSettings({ ...usual, ...(await socket(instanceId)) }), proxyUrl),
    };
  }
  checkOptionNames('baileysGateway: socket', socket, SOCKET_OPTION_NAMES);
  const settings = checkedSettings({ ...usual, ...socket });
  let shared: Promise<InstanceSettings> | undefined;
  return {
    currentVersion,
    of: (_, proxyUrl) =>
      proxyUrl === null ? (shared ??= openNetwork(settings, null)) : openNetwork(settings, proxyUrl),
  };
}

type CheckedSettings = Omit<InstanceSettings, 'network'> & { readonly reached: NetworkOptions };

function checkedSettings(options: InstanceOptions & Usual): CheckedSettings {
  checkOptionNames('baileysGateway: socket', options, INSTANCE_OPTION_NAMES);
  checkInstance(options);
  const { deviceName, pace, proxy, agent, fetchAgent, ...socket } = options;
  if (proxy !== undefined) checkProxy(proxy);
  if (proxy !== undefined && (agent ?? fetchAgent)) {
    throw new TypeError(
      'baileysGateway: the options "socket.proxy" and "socket.agent" or "socket.fetchAgent" exclude each other: give one of them.',
    );
  }
  return { deviceName, pace: readPace(pace), socket, reached: { proxy, agent, fetchAgent } };
}

async function openNetwork(
  { reached, ...settings }: CheckedSettings,
  proxyUrl: string | null,
): Promise<InstanceSettings> {
  return { ...settings, network: await instanceNetwork(proxyUrl === null ? reached : { proxy: proxyUrl }) };
}

type Usual = Required<Pick<InstanceOptions, 'deviceName' | 'pace'>>;

function checkInstance({ deviceName, pace }: Usual): void {
  if (deviceName.trim() === '' || deviceName.length > 50) {
    throw new TypeError('baileysGateway: the option "deviceName" is wrong: it must have 1 to 50 characters.');
  }
  readPace(pace);
}

async function latestVersion({ dispatcher }: InstanceNetwork): Promise<WhatsAppVersion> {
  const { fetchLatestWaWebVersion } = await import('@whiskeysockets/baileys');
  const latest = await fetchLatestWaWebVersion({
    signal: AbortSignal.timeout(10_000),
    ...withDispatcher(dispatcher),
  });
  if (!latest.isLatest)
    throw new Error(
      'web.whatsapp.com does not say which version of WhatsApp Web is current: check that this machine can reach it, or give baileysGateway the option "currentVersion".',
    );
  return latest.version;
}
