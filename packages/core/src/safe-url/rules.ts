import { evaluateAddress } from '../domain/webhook/address-rules.ts';
import type { UrlPolicy } from '../domain/webhook/address-rules.ts';
import { type WebhookUrl, checkWebhookUrl } from '../domain/webhook/url-rules.ts';

/** A URL that keeps the rules, taken apart. A `hostname` that is no address has still to be resolved safely. */
export type SafeUrl = WebhookUrl;

export type CheckedUrl =
  | { readonly ok: true; readonly url: SafeUrl }
  /** `message` is a sentence for whoever gave the URL. */
  | { readonly ok: false; readonly message: string };

/**
 * Validates a URL that somebody else chose, before anything is sent there: https on port 443 or 8443, no user name, no
 * fragment, at most 2,048 characters, and a public address where it names one. Give the text as it came: parsing repairs
 * much of what is refused here.
 */
export function checkUrl(raw: string, policy: UrlPolicy = 'public'): CheckedUrl {
  const checked = checkWebhookUrl(raw, { urlPolicy: policy });
  return checked.ok ? { ok: true, url: checked.value } : { ok: false, message: checked.refusal.message };
}

/**
 * Whether an address, as text, is one of the Internet: not private, loopback, link-local, multicast, reserved or for
 * documentation, in IPv4 and IPv6, whatever way an IPv4 address is written inside an IPv6 one. False for what is no
 * address, such as `127.1` or one with a zone.
 */
export function isPublicAddress(address: string): boolean {
  return evaluateAddress(address, 'public');
}

/** The same, where `local` allows loopback too. */
export function isAllowedAddress(address: string, policy: UrlPolicy): boolean {
  return evaluateAddress(address, policy);
}
