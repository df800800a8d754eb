import { isIP } from 'node:net';
import { judgeAddresses } from '../../domain/webhook/address-rules.ts';
import { checkWebhookUrl, type UrlPolicy, type WebhookUrl } from '../../domain/webhook/url-rules.ts';
import type { DnsResolver } from '../../ports/dns-resolver.ts';
import type { WebhookRequest } from '../../ports/webhook-sender.ts';
import { unlessAborted } from '../abort.ts';
import { SendFailure } from './send-failure.ts';

/** Where a request goes: a URL that keeps the rules, and the addresses that it may be reached at for this attempt. */
export interface Target {
  readonly url: WebhookUrl;
  readonly policy: UrlPolicy;
  /** At least one; each has been judged. */
  readonly addresses: readonly string[];
}

export async function findTarget(
  request: WebhookRequest,
  dns: DnsResolver,
  signal: AbortSignal,
): Promise<Target> {
  signal.throwIfAborted();
  const policy = request.urlPolicy;
  const checked = checkWebhookUrl(request.url, policy);
  if (!checked.ok) throw new SendFailure('UNSAFE_URL', checked.refusal.message);

  const url = checked.value;
  const addresses = url.hostIsAddress ? [url.hostname] : await resolve(url.hostname, dns, signal);
  // `isIP` is what Node decides by whether to ask DNS: it must agree that these are addresses.
  if (!judgeAddresses(addresses, policy) || !addresses.every((address) => isIP(address) !== 0)) {
    throw new SendFailure('UNSAFE_URL', 'The host has an address that is not public.');
  }
  return { url, policy, addresses };
}

async function resolve(hostname: string, dns: DnsResolver, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const addresses = await unlessAborted(dns.resolve(hostname, signal), signal);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    signal.throwIfAborted();
    throw new SendFailure('DNS_FAILED', 'The host does not resolve.', error);
  }
  throw new SendFailure('DNS_FAILED', 'The host has no address.');
}
