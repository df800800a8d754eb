import type { Agent } from 'node:https';
import { fetchLatestWaWebVersion } from '@whiskeysockets/baileys';
import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
import type { PaceOptions } from './outbound/pace.ts';
import { checkPace } from './outbound/pace.ts';

export interface BaileysGatewayOptions {
  /** The name of the linked device on the phone. `Trunkline` by default. */
  readonly deviceName?: string | undefined;
  /** How fast one instance may send; by default, as fast as the network accepts messages. */
  readonly pace?: PaceOptions | undefined;
  /**
   * Returns the current version of WhatsApp Web. Called after the network has refused the client's version. By default,
   * it asks web.whatsapp.com.
   */
  readonly currentVersion?: (() => Promise<WhatsAppVersion>) | undefined;
  /** Baileys' own options for the connection to the network. */
  readonly socket?: SocketOptions | undefined;
}

/** A version of WhatsApp Web, such as `[2, 3000, 1023223821]`. */
type WhatsAppVersion = [number, number, number];

interface SocketOptions {
  /** A proxy for the WebSocket. */
  readonly agent?: Agent;
  /** A proxy for uploads. */
  readonly fetchAgent?: Agent;
  /** A server other than WhatsApp's. */
  readonly waWebSocketUrl?: string | URL;
  readonly version?: WhatsAppVersion;
  /** Two letters; `US` by default. */
  readonly countryCode?: string;
  readonly connectTimeoutMs?: number;
  readonly keepAliveIntervalMs?: number;
  readonly defaultQueryTimeoutMs?: number;
  /** How long each QR is valid, in milliseconds. */
  readonly qrTimeout?: number;
}

export interface GatewaySettings {
  readonly deviceName: string;
  readonly pace: PaceOptions | null;
  readonly currentVersion: () => Promise<WhatsAppVersion>;
  readonly socket: SocketOptions;
}

const OPTION_NAMES: OptionNames<BaileysGatewayOptions> = {
  deviceName: true,
  pace: true,
  currentVersion: true,
  socket: true,
};

const SOCKET_OPTION_NAMES: OptionNames<SocketOptions> = {
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

/** Fills in the defaults; throws an error that names the option that is wrong. */
export function readOptions(options: BaileysGatewayOptions): GatewaySettings {
  checkOptionNames('baileysGateway', options, OPTION_NAMES);
  const { deviceName = 'Trunkline', pace = null, currentVersion = latestVersion, socket = {} } = options;
  if (deviceName.trim() === '' || deviceName.length > 50) {
    throw new TypeError('baileysGateway: the option "deviceName" is wrong: it must have 1 to 50 characters.');
  }
  if (pace) checkPace(pace);
  checkOptionNames('baileysGateway: socket', socket, SOCKET_OPTION_NAMES);
  return { deviceName, pace, currentVersion, socket };
}

async function latestVersion(): Promise<WhatsAppVersion> {
  const latest = await fetchLatestWaWebVersion({ signal: AbortSignal.timeout(10_000) });
  if (!latest.isLatest)
    throw new Error(
      'web.whatsapp.com does not say which version of WhatsApp Web is current: check that this machine can reach it, or give baileysGateway the option "currentVersion".',
    );
  return latest.version;
}
