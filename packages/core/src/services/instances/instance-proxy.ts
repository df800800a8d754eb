import type { Instance } from '../../domain/instance/instance.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { invalid } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { proxyUrlPurpose } from '../sealer.ts';

/** Whether an instance may get this proxy. Null, which removes it, is always allowed. */
export function checkProxyUrl(
  { gateway, settings }: ServiceContext,
  proxyUrl: string | null | undefined,
): Result<null> {
  if (proxyUrl === null || proxyUrl === undefined) return ok(null);
  if (!settings.instanceProxies) {
    return invalid({
      proxy_url: [
        'Is not allowed here: leave it out, or ask the operator of this service to allow it (instanceProxies, INSTANCE_PROXIES).',
      ],
    });
  }
  if (gateway.acceptsProxy !== true) {
    return invalid({
      proxy_url: ['Is not possible here: the gateway of this service does not connect through proxies.'],
    });
  }
  return ok(null);
}

export function sealProxyUrl(
  { sealer }: ServiceContext,
  instanceId: string,
  proxyUrl: string | null,
): string | null {
  return proxyUrl === null ? null : sealer.sealText(proxyUrl, proxyUrlPurpose(instanceId));
}

/**
 * The proxy that an instance connects through, in the clear; null if it has none. Throws if it cannot be used: an
 * instance that has a proxy never connects without it.
 */
export function openProxyUrl(
  { gateway, sealer }: ServiceContext,
  { id, sealedProxyUrl }: Pick<Instance, 'id' | 'sealedProxyUrl'>,
): string | null {
  if (sealedProxyUrl === null) return null;
  if (gateway.acceptsProxy !== true) {
    throw new Error(
      `The instance ${id} has a proxy, and the gateway does not connect through proxies: use a gateway that does, or remove the proxy with "proxy_url": null.`,
    );
  }
  return sealer.openText(sealedProxyUrl, proxyUrlPurpose(id));
}
