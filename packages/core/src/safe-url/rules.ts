import { isAllowedAddress } from '../domain/endpoint/address-rules.ts';
import type { UrlPolicy } from '../domain/endpoint/address-rules.ts';
import { type EndpointUrl, checkEndpointUrl } from '../domain/endpoint/url-rules.ts';

/** The parts of a URL that follows the rules. A `hostname` that is not an address still has to be resolved safely. */
export type SafeUrl = EndpointUrl;

/** A URL that passed the checks, or the reason why a URL did not. */
export type CheckedUrl =
  | {
      /** Whether the URL passed. */
      readonly ok: true;
      /** The parsed URL. */
      readonly url: SafeUrl;
    }
  /** `message` is a sentence for the person who entered the URL. */
  | {
      /** Whether the URL passed. */
      readonly ok: false;
      /** The rule that the URL breaks, as a sentence. */
      readonly message: string;
    };

/**
 * Validates a URL from outside before a request is sent to it. By default, it must be https on port 443 or 8443, have
 * no user name, no fragment, at most 2,048 characters and, if the host is an address, a public address. Pass the raw
 * text, since parsing repairs many flaws that this check refuses.
 */
export function checkUrl(raw: string, policy: UrlPolicy = 'public'): CheckedUrl {
  const checked = checkEndpointUrl(raw, { urlPolicy: policy });
  return checked.ok ? { ok: true, url: checked.value } : { ok: false, message: checked.refusal.message };
}

/**
 * Whether an address, as text, is public: not private, loopback, link-local, multicast, reserved or for
 * documentation, in IPv4 and IPv6, however an IPv4 address is written inside an IPv6 address. False for a
 * text that is not an address, such as `127.1`, and for an address with a zone.
 */
export function isPublicAddress(address: string): boolean {
  return isAllowedAddress(address, 'public');
}
