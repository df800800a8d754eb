import { refuse, type Refusal } from '../result.ts';
import { isTunnel } from './host-list.ts';
import { isUsual, mayBeUnusual, mayReach, type UrlRules } from './host-rules.ts';
import { parseAddress } from './ip-address.ts';

/** In Unicode code points. */
export const MAX_ENDPOINT_URL_LENGTH = 2048;

/** A URL that follows the rules, split into the parts that a sender needs. */
export interface EndpointUrl {
  /** Scheme, host, and the port unless it is the default of the scheme: `https://hooks.example.com:8443`. */
  readonly origin: string;
  /** Whether the scheme is https. */
  readonly secure: boolean;
  /** A name in ASCII, or an IP address without brackets. */
  readonly hostname: string;
  /** Whether `hostname` is an address, which has been checked and needs no DNS. */
  readonly hostIsAddress: boolean;
  /** The TCP port; by default, that of the scheme. */
  readonly port: number;
  /** Path and query. */
  readonly path: string;
}

export type CheckedEndpointUrl =
  | { readonly ok: true; readonly value: EndpointUrl }
  /** `operatorMayAllow`: the URL may be accepted once the operator allows its host. */
  | { readonly ok: false; readonly refusal: Refusal; readonly operatorMayAllow: boolean };

/**
 * Checks "URL rules" 1 to 3 of the specification, and 4 as far as possible without DNS: a host name still has to be
 * resolved, and `mayReach` decides on all of its addresses.
 *
 * The text is checked before it is parsed, because WHATWG parsing silently repairs many flaws that are refused here
 * (`https:host`, `https://@host`, tabs, backslashes, soft hyphens, an empty `#`).
 */
export function checkEndpointUrl(raw: string, rules: UrlRules): CheckedEndpointUrl {
  const isLocal = rules.urlPolicy === 'local';
  const flaw = flawInText(raw) ?? flawInAuthority(raw, isLocal);
  if (flaw !== undefined) return invalid(flaw);

  const parsed = URL.parse(raw);
  if (parsed === null) return invalid('The URL cannot be read: its host or its port is malformed.');

  const secure = parsed.protocol === 'https:';
  const port = portOf(parsed, secure);
  const literal = addressLiteral(parsed.hostname);
  const url = {
    origin: parsed.origin,
    secure,
    hostname: literal ?? parsed.hostname,
    hostIsAddress: literal !== undefined,
    port,
    path: parsed.pathname + parsed.search,
  };
  if (port === 0 || (!isUsual(url) && !mayBeUnusual(url, rules))) {
    return port > 0 ? refused(url, secure ? PORT_RULE : schemeRule(isLocal)) : invalid(PORT_RULE);
  }
  if (literal !== undefined && !mayReach(url, [literal], rules)) {
    return refused(url, 'The host of the URL must have a public address.');
  }
  return { ok: true, value: url };
}

const PORT_RULE = 'The port of the URL must be 443 or 8443.';

function schemeRule(isLocal: boolean): string {
  return `The URL must begin with https://${isLocal ? ' or http://' : ''} and name a host.`;
}

const UNSEEN = /[\p{Cc}\p{White_Space}\p{Default_Ignorable_Code_Point}\\]/u;
const AUTHORITY = /^https?:\/\/([^/?]+)/i;

function flawInText(raw: string): string | undefined {
  if (raw.length > MAX_ENDPOINT_URL_LENGTH && Array.from(raw).length > MAX_ENDPOINT_URL_LENGTH) {
    return `The URL must have at most ${MAX_ENDPOINT_URL_LENGTH} characters.`;
  }
  if (UNSEEN.test(raw) || !raw.isWellFormed()) {
    return 'The URL must not contain spaces, backslashes, control characters or invisible characters.';
  }
  return undefined;
}

function flawInAuthority(raw: string, isLocal: boolean): string | undefined {
  const authority = AUTHORITY.exec(raw)?.[1];
  if (authority === undefined) return schemeRule(isLocal);
  if (authority.includes('@')) return 'The URL must not contain a user name or a password.';
  if (raw.includes('#')) return 'The URL must not contain a fragment (#).';
  return undefined;
}

function portOf(url: URL, secure: boolean): number {
  if (url.port !== '') return Number(url.port);
  return secure ? 443 : 80;
}

/** WHATWG parsing turns a host that ends in a number into four decimal parts, whatever its notation. */
function addressLiteral(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return /^\d+(\.\d+){3}$/.test(hostname) ? hostname : undefined;
}

function invalid(message: string): CheckedEndpointUrl & { ok: false } {
  return { ...refuse('INVALID_WEBHOOK_URL', message), operatorMayAllow: false };
}

/** Refuses a URL that the operator may allow, unless its host is an address that is never allowed. */
function refused({ hostname }: EndpointUrl, message: string): CheckedEndpointUrl {
  const address = parseAddress(hostname);
  return { ...invalid(message), operatorMayAllow: address === undefined || !isTunnel(address.meant) };
}
