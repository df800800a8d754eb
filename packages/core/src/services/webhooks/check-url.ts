import { judgeAddresses } from '../../domain/webhook/address-rules.ts';
import { checkWebhookUrl } from '../../domain/webhook/url-rules.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { DnsResolver } from '../../ports/dns-resolver.ts';
import type { ServiceContext } from '../context.ts';

const RESOLVE_TIMEOUT_MS = 3_000;

/** The URL rules on create and update (specification, "URL rules"): the form, then every address that the host has now. */
export async function checkUrl(context: ServiceContext, raw: string): Promise<Result<string>> {
  const { urlPolicy } = context.settings;
  const url = checkWebhookUrl(raw, urlPolicy);
  if (!url.ok) return url;
  if (url.value.hostIsAddress) return ok(raw);
  const addresses = await resolve(context, url.value.hostname);
  // One text whether it resolves or not: two would show which names exist in the operator's own network.
  return judgeAddresses(addresses, urlPolicy)
    ? ok(raw)
    : refuse('INVALID_WEBHOOK_URL', 'The host of the URL must resolve, and to public addresses only.');
}

async function resolve(
  { dns, clock }: { dns: DnsResolver } & Pick<ServiceContext, 'clock'>,
  hostname: string,
): Promise<readonly string[]> {
  const timeout = new AbortController();
  const cancel = clock.setTimer(RESOLVE_TIMEOUT_MS, () => timeout.abort());
  try {
    return await dns.resolve(hostname, timeout.signal);
  } catch {
    return [];
  } finally {
    cancel();
  }
}
