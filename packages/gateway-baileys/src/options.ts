import { fetchLatestWaWebVersion } from '@whiskeysockets/baileys';
import type { UserFacingSocketConfig, WAVersion } from '@whiskeysockets/baileys';
import type { PaceOptions } from './outbound/pace.ts';
import { checkPace } from './outbound/pace.ts';

export interface BaileysGatewayOptions {
  /** How the linked device is called on the phone. `Trunkline` by default. */
  readonly deviceName?: string | undefined;
  /** How fast one instance may send; as fast as the network takes messages by default. */
  readonly pace?: PaceOptions | undefined;
  /**
   * Asks which version of WhatsApp Web is current, after the network refused ours. By default the one that
   * web.whatsapp.com serves.
   */
  readonly currentVersion?: (() => Promise<WAVersion>) | undefined;
  /** How to reach the network: a proxy (`agent` for the socket, `fetchAgent` for uploads), another server, other time limits. */
  readonly socket?: SocketOptions | undefined;
}

type SocketOptions = Partial<
  Pick<
    UserFacingSocketConfig,
    | 'agent'
    | 'fetchAgent'
    | 'waWebSocketUrl'
    | 'version'
    | 'countryCode'
    | 'connectTimeoutMs'
    | 'keepAliveIntervalMs'
    | 'defaultQueryTimeoutMs'
    | 'qrTimeout'
  >
>;

export interface GatewaySettings {
  readonly deviceName: string;
  readonly pace: PaceOptions | null;
  readonly currentVersion: () => Promise<WAVersion>;
  readonly socket: SocketOptions;
}

/** Fills in the defaults; throws an error that names the option that is wrong. */
export function readOptions(options: BaileysGatewayOptions): GatewaySettings {
  const { deviceName = 'Trunkline', pace = null, currentVersion = latestVersion, socket = {} } = options;
  if (deviceName.trim() === '' || deviceName.length > 50) {
    throw new TypeError('baileysGateway: deviceName must have 1 to 50 characters.');
  }
  if (pace) checkPace(pace);
  return { deviceName, pace, currentVersion, socket };
}

async function latestVersion(): Promise<WAVersion> {
  const latest = await fetchLatestWaWebVersion({ signal: AbortSignal.timeout(10_000) });
  if (!latest.isLatest) throw new Error('web.whatsapp.com does not tell its version.');
  return latest.version;
}
