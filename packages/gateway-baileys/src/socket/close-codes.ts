import { PasskeyRequired, PasskeyUnfinished } from '../linking/passkey.ts';
import { PairingCodeRefused } from '../linking/request-pairing-code.ts';
import { QrsExpired } from '../linking/show-qrs.ts';
import { failureAttribute, statusCodeOf } from './status-code.ts';

/** How to react when the network ends a connection. */
type CloseAction =
  /** Connect again immediately. */
  | 'restart'
  /** The phone unlinked the device. */
  | 'unlinked'
  /** Another connection of the same device has replaced this one. */
  | 'replaced'
  /** No phone has scanned the QR. */
  | 'qr_timeout'
  /** Our version of WhatsApp Web is too old. */
  | 'version_refused'
  /** Connect again after a while. */
  | 'dropped'
  /** Connecting again would not help. */
  | 'failed';

export interface SocketClose {
  readonly action: CloseAction;
  /** Becomes the instance's `last_error`. */
  readonly detail: string;
}

const CLOSES: Readonly<Record<number, SocketClose>> = {
  401: { action: 'unlinked', detail: 'logged_out_from_phone' },
  402: { action: 'failed', detail: 'account_temporarily_banned' },
  403: { action: 'failed', detail: 'account_forbidden' },
  405: { action: 'version_refused', detail: 'client_version_refused' },
  406: { action: 'failed', detail: 'account_banned' },
  408: { action: 'dropped', detail: 'connection_lost' },
  411: { action: 'failed', detail: 'multi_device_not_enabled' },
  428: { action: 'dropped', detail: 'connection_closed' },
  440: { action: 'replaced', detail: 'connection_replaced' },
  // Baileys also uses this code for stream errors that it does not know, so keep the session.
  500: { action: 'dropped', detail: 'stream_error' },
  503: { action: 'dropped', detail: 'network_unavailable' },
  515: { action: 'restart', detail: 'restart_required' },
};

const UNKNOWN: SocketClose = { action: 'dropped', detail: 'connection_failed' };

/** Reads the error that a socket ended with. */
export function describeClose(error: unknown): SocketClose {
  if (error instanceof PairingCodeRefused) return { action: 'failed', detail: 'pairing_code_refused' };
  if (error instanceof PasskeyRequired) return { action: 'failed', detail: 'passkey_required' };
  if (error instanceof PasskeyUnfinished) return { action: 'failed', detail: 'passkey_unfinished' };
  if (error instanceof QrsExpired) return { action: 'qr_timeout', detail: 'qr_timeout' };
  const code = statusCodeOf(error);
  return (code === null ? undefined : CLOSES[code]) ?? UNKNOWN;
}

/** September 2001: larger than any duration in seconds, and smaller than any current time. */
const FIRST_TIME_SECONDS = 1e9;

/** The end of a temporary ban, in epoch milliseconds; null if `error` is not a ban, or does not name its end. */
export function banEndsAt(error: unknown, now: number): number | null {
  const expire = Number(failureAttribute(error, 'expire'));
  if (statusCodeOf(error) !== 402 || !Number.isSafeInteger(expire) || expire <= 0) return null;
  // Other clients read the value as a duration, but the protocol does not document whether it may be a time.
  return expire < FIRST_TIME_SECONDS ? now + expire * 1000 : expire * 1000;
}

/** The network's own words about why it refuses the number, for the log; empty if it gave none. */
export interface Refusal {
  /** The heading of a message to the owner (403). */
  readonly heading?: string;
  /** The rest of that message. */
  readonly text?: string;
  /** The reason of a temporary ban (402). */
  readonly banReason?: string;
}

/** The names of whatsmeow's `TempBanReason`, by their codes. */
const BAN_REASONS: Readonly<Record<string, string>> = {
  '101': 'sent_to_too_many_people',
  '102': 'blocked_by_users',
  '103': 'created_too_many_groups',
  '104': 'sent_too_many_same_message',
  '106': 'broadcast_list',
};

export function refusalOf(error: unknown): Refusal {
  const text = (name: string): string => {
    const value = failureAttribute(error, name);
    return typeof value === 'string' ? value.slice(0, 300) : '';
  };
  const [heading, rest, code] = [text('logout_message_header'), text('logout_message_subtext'), text('code')];
  const banReason = BAN_REASONS[code] ?? code;
  return {
    ...(heading && { heading }),
    ...(rest && { text: rest }),
    ...(statusCodeOf(error) === 402 && banReason && { banReason }),
  };
}
