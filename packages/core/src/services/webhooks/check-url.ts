import { mayReach } from '../../domain/webhook/host-rules.ts';
import { checkWebhookUrl } from '../../domain/webhook/url-rules.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { DnsResolver } from '../../ports/dns-resolver.ts';
import { withDeadline } from '../../runtime/deadline.ts';
import type { ServiceContext } from '../context.ts';

const RESOLVE_TIMEOUT_MS = 3_000;

/** The URL rules on create and update (specification, "URL rules"): the form, then every address that the host has now. */
export async function checkUrl(context: ServiceContext, raw: string): Promise<Result<string>> {
  const url = checkWebhookUrl(raw, context.settings);
  if (!url.ok) return url.operatorMayAllow ? refuseUnlessAllowed(url.refusal.message) : url;
  if (url.value.hostIsAddress) return ok(raw);
  const addresses = await resolve(context, url.value.hostname);
  // One text whether it resolves or not: two would show which names exist in the operator's own network.
  return mayReach(url.value, addresses, context.settings)
    ? ok(raw)
    : refuseUnlessAllowed('The host of the URL must resolve, and to public addresses only.');
}

/** Names the settings of the server, which are options in code, whatever they are set to now: that is for the operator alone. */
function refuseUnlessAllowed(message: string): Result<never> {
  return refuse(
    'INVALID_WEBHOOK_URL',
    `${message} The operator of this service can allow hosts of a private network with WEBHOOK_ALLOW (webhookAllow), and deny others with WEBHOOK_DENY (webhookDeny).`,
  );
}

async function resolve(
  { dns, clock }: { dns: DnsResolver } & Pick<ServiceContext, 'clock'>,
  hostname: string,
): Promise<readonly string[]> {
  const abort = new AbortController();
  try {
    const limit = { what: 'Resolving a host', ms: RESOLVE_TIMEOUT_MS };
    return await withDeadline(clock, limit, dns.resolve(hostname, abort.signal));
  } catch {
    return [];
  } finally {
    abort.abort();
  }
}
