import { isIP } from 'node:net';
import { checkWebhookUrl, type UrlPolicy, type WebhookUrl } from '../../domain/webhook/url-rules.ts';
import type { DnsResolver } from '../../ports/dns-resolver.ts';
import type { WebhookRequest } from '../../ports/webhook-sender.ts';
import { resolveSafely } from '../../safe-url/resolve-safely.ts';
import { SendFailure } from './send-failure.ts';

/** Where a request goes: a URL that keeps the rules, and the addresses that it may be reached at for this attempt. */
export interface Target {
  readonly url: WebhookUrl;
  readonly policy: UrlPolicy;
  /** At least one; each has been judged. */
  readonly addresses: readonly string[];
}

export async function findTarget(
  request: Pick<WebhookRequest, 'url' | 'urlPolicy'>,
  dns: DnsResolver,
  signal: AbortSignal,
): Promise<Target> {
  signal.throwIfAborted();
  const policy = request.urlPolicy;
  const checked = checkWebhookUrl(request.url, policy);
  if (!checked.ok) throw new SendFailure('UNSAFE_URL', checked.refusal.message);

  const url = checked.value;
  const lookup: DnsResolver['resolve'] = (hostname, until) => dns.resolve(hostname, until);
  const found = await resolveSafely(url.hostname, { lookup, policy, signal });
  if (!found.ok) {
    throw new SendFailure(
      found.reason === 'unsafe' ? 'UNSAFE_URL' : 'DNS_FAILED',
      found.message,
      found.cause,
    );
  }
  // `isIP` is what Node decides by whether to ask DNS: it must agree that these are addresses.
  if (!found.addresses.every((address) => isIP(address) !== 0)) {
    throw new SendFailure('UNSAFE_URL', 'The host has an address that cannot be read.');
  }
  return { url, policy, addresses: found.addresses };
}
