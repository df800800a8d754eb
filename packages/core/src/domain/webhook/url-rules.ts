import { ok, refuse, type Refusal, type Result } from '../result.ts';
import { judgeAddress } from './address-rules.ts';
import type { UrlPolicy } from './url-policy.ts';

export type { UrlPolicy } from './url-policy.ts';

/** In Unicode code points. */
export const MAX_WEBHOOK_URL_LENGTH = 2048;

/** A URL that keeps the rules, taken apart as a sender needs it. */
export interface WebhookUrl {
  /** Scheme, host and port in their normal form: `https://hooks.example.com:8443`. */
  readonly origin: string;
  readonly secure: boolean;
  /** A name in ASCII, or an IP address without brackets. */
  readonly hostname: string;
  /** Whether `hostname` is an address, already judged: it needs no DNS. */
  readonly hostIsAddress: boolean;
  readonly port: number;
  /** Path and query. */
  readonly path: string;
}

/**
 * Specification, "URL rules" 1 to 3, and 4 as far as it goes without DNS: a host that is a name has still to be
 * resolved and all its addresses judged (`judgeAddresses`).
 *
 * The text is checked before it is parsed, because WHATWG parsing repairs much of what is refused here
 * (`https:host`, `https://@host`, tabs, backslashes, soft hyphens, an empty `#`) and leaves no trace of it.
 */
export function checkWebhookUrl(raw: string, policy: UrlPolicy): Result<WebhookUrl> {
  const flaw = flawInText(raw, policy);
  if (flaw !== undefined) return invalid(flaw);

  const parsed = URL.parse(raw);
  if (parsed === null) return invalid('The URL cannot be read: its host or its port is malformed.');

  const secure = parsed.protocol === 'https:';
  const port = portOf(parsed, secure);
  if (!portAllowed(port, policy)) return invalid('The port of the URL must be 443 or 8443.');

  const literal = addressLiteral(parsed.hostname);
  if (literal !== undefined && !judgeAddress(literal, policy)) {
    return invalid('The host of the URL must have a public address.');
  }
  return ok({
    origin: parsed.origin,
    secure,
    hostname: literal ?? parsed.hostname,
    hostIsAddress: literal !== undefined,
    port,
    path: parsed.pathname + parsed.search,
  });
}

const UNSEEN = /[\p{Cc}\p{White_Space}\p{Default_Ignorable_Code_Point}\\]/u;
const AUTHORITY: Record<UrlPolicy, RegExp> = {
  public: /^https:\/\/([^/?]+)/i,
  local: /^https?:\/\/([^/?]+)/i,
};

function flawInText(raw: string, policy: UrlPolicy): string | undefined {
  if (raw.length > MAX_WEBHOOK_URL_LENGTH && Array.from(raw).length > MAX_WEBHOOK_URL_LENGTH) {
    return `The URL must have at most ${MAX_WEBHOOK_URL_LENGTH} characters.`;
  }
  if (UNSEEN.test(raw) || !raw.isWellFormed()) {
    return 'The URL must not contain spaces, backslashes, control characters or invisible characters.';
  }
  const authority = AUTHORITY[policy].exec(raw)?.[1];
  if (authority === undefined) {
    return `The URL must begin with https://${policy === 'local' ? ' or http://' : ''} and name a host.`;
  }
  if (authority.includes('@')) return 'The URL must not contain a user name or a password.';
  if (raw.includes('#')) return 'The URL must not contain a fragment (#).';
  return undefined;
}

function portOf(url: URL, secure: boolean): number {
  if (url.port !== '') return Number(url.port);
  return secure ? 443 : 80;
}

function portAllowed(port: number, policy: UrlPolicy): boolean {
  return policy === 'local' ? port > 0 : port === 443 || port === 8443;
}

/** WHATWG leaves a host that ends in a number as four decimal parts, whatever notation it came in. */
function addressLiteral(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return /^\d+(\.\d+){3}$/.test(hostname) ? hostname : undefined;
}

function invalid(message: string): { ok: false; refusal: Refusal } {
  return refuse('INVALID_WEBHOOK_URL', message);
}
