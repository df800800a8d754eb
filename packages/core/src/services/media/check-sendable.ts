import type { Capability } from '../../domain/instance/instance.ts';
import { noPlaceForFiles, unsupportedType } from '../../domain/message/media-rules.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';

/**
 * Checks that messages of at least one of these types can be sent on at least one of these networks. By default, these
 * are all networks of this process.
 */
export function checkSendable(
  { gateways }: Pick<ServiceContext, 'gateways'>,
  types: readonly Capability[],
  networks: readonly string[] = gateways.all.map(({ network }) => network),
): Result<true> {
  const canSend = (capabilities: readonly string[] = []): boolean =>
    types.some((type) => capabilities.includes(type));
  if (networks.some((network) => canSend(gateways.capabilities(network)))) return ok(true);
  return networks.some((network) => canSend(gateways.find(network)?.capabilities))
    ? noPlaceForFiles()
    : unsupportedType();
}
