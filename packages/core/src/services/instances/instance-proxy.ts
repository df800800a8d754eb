import type { Instance } from '../../domain/instance/instance.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { invalid } from '../../inputs/read-input.ts';
import type { ServiceContext } from '../context.ts';
import { proxyUrlPurpose } from '../sealer.ts';

/** Checks whether an instance may get this proxy. Null, which removes a proxy, is always allowed. */
export function checkProxyUrl(
  { gateways, settings }: ServiceContext,
  proxyUrl: string | null | undefined,
  network: string,
): Result<null> {
  if (proxyUrl === null || proxyUrl === undefined) return ok(null);
  if (!settings.instanceProxies) {
    return invalid({
      proxy_url: [
        'Is not allowed here: leave it out, or ask the operator of this service to allow it (instanceProxies, INSTANCE_PROXIES).',
      ],
    });
  }
  if (gateways.find(network)?.acceptsProxy !== true) {
    return invalid({
      proxy_url: [
        `Is not possible on the network "${network}": its gateway does not connect through proxies.`,
      ],
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
 * Returns the proxy URL of an instance in the clear; null if it has no proxy. Throws if the proxy cannot be
 * used, because an instance with a proxy never connects without it.
 */
export function openProxyUrl(
  { gateways, sealer }: ServiceContext,
  { id, network, sealedProxyUrl }: Pick<Instance, 'id' | 'network' | 'sealedProxyUrl'>,
): string | null {
  if (sealedProxyUrl === null) return null;
  if (gateways.find(network)?.acceptsProxy !== true) {
    throw new Error(
      `The instance ${id} has a proxy, and the gateway does not connect through proxies: use a gateway that does, or remove the proxy with "proxy_url": null.`,
    );
  }
  return sealer.openText(sealedProxyUrl, proxyUrlPurpose(id));
}
