import type { DisturbingApi } from './api/disturbing-api.ts';
import type { IncomingApi } from './api/incoming-api.ts';
import type { MediaApi } from './api/media-api.ts';
import type { ObservingApi } from './api/observing-api.ts';
import type { PhoneApi } from './api/phone-api.ts';
import type { StandingApi } from './api/standing-api.ts';
import type { TrustApi } from './api/trust-api.ts';
import type { UpkeepApi } from './api/upkeep-api.ts';
import type { VersionApi } from './api/version-api.ts';
import type { DirectoryApi } from './api/directory-api.ts';
import type { ClientSettings } from './client-settings.ts';

export interface FakeWhatsAppOptions {
  /** Returns milliseconds since the epoch; stanzas carry the time in seconds. */
  readonly now?: () => number;
}

/**
 * A WhatsApp Web server on loopback. Takes an unmodified client through pairing, login, messages and unlinking; its
 * people have phones that encrypt and decrypt for real.
 */
export interface FakeWhatsApp
  extends
    DirectoryApi,
    PhoneApi,
    IncomingApi,
    ObservingApi,
    StandingApi,
    TrustApi,
    UpkeepApi,
    VersionApi,
    MediaApi,
    DisturbingApi {
  /** The settings by which clients find the server, as plain data for other processes, too. */
  readonly client: ClientSettings;
  /** Makes the clients of this process accept the server and its media host. Returns a function that undoes this. */
  trust(): () => void;
  /** Closes everything and rejects the waits that remain; then throws like `assertClean()`. */
  stop(): Promise<void>;
}
