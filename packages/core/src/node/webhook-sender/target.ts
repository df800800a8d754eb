import { isIP } from 'node:net';
import { mayReach, type UrlRules } from '../../domain/endpoint/host-rules.ts';
import { checkEndpointUrl, type EndpointUrl } from '../../domain/endpoint/url-rules.ts';
import type { DnsResolver } from '../../ports/dns-resolver.ts';
import type { WebhookRequest } from '../../ports/webhook-sender.ts';
import { resolveHost } from '../../safe-url/resolve-safely.ts';
import { SendFailure } from './send-failure.ts';

/** The destination of a request: a URL that passes the rules, and the addresses to use for this attempt. */
export interface Target {
  readonly url: EndpointUrl;
  /** At least one; each has been checked. */
  readonly addresses: readonly string[];
}

/** The text for the operator's log. A customer sees only the code. */
const NOT_REACHABLE =
  'The host is denied (WEBHOOK_DENY), is the service itself, or has an address that is neither public nor allowed (WEBHOOK_ALLOW).';

export async function findTarget(
  request: Pick<WebhookRequest, 'url' | keyof UrlRules>,
  dns: DnsResolver,
  signal: AbortSignal,
): Promise<Target> {
  signal.throwIfAborted();
  const { urlPolicy, hosts } = request;
  const rules = { urlPolicy, hosts };
  const checked = checkEndpointUrl(request.url, rules);
  if (!checked.ok) throw new SendFailure('UNSAFE_URL', checked.refusal.message);

  const url = checked.value;
  const lookup: DnsResolver['resolve'] = (hostname, until) => dns.resolve(hostname, until);
  const accepts = (addresses: readonly string[]): boolean => mayReach(url, addresses, rules);
  const found = await resolveHost(url.hostname, { lookup, accepts, signal });
  if (!found.ok) {
    if (found.reason === 'unresolved') throw new SendFailure('DNS_FAILED', found.message, found.cause);
    throw new SendFailure('UNSAFE_URL', hosts === undefined ? found.message : NOT_REACHABLE);
  }
  // Node asks DNS unless `isIP` accepts the host, so `isIP` must agree that these are addresses.
  if (!found.addresses.every((address) => isIP(address) !== 0)) {
    throw new SendFailure('UNSAFE_URL', 'The host has an address that cannot be read.');
  }
  return { url, addresses: found.addresses };
}
