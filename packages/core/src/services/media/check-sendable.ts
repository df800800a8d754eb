import type { Capability } from '../../domain/instance/instance.ts';
import { noPlaceForFiles, unsupportedType } from '../../domain/message/media-rules.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';
import { ownOf } from '../gateways.ts';
import type { Capable } from '../gateways.ts';

/**
 * Checks that messages of at least one of these types can be sent by an instance; by default, by an instance on at least
 * one network of this process.
 */
export function checkSendable(
  { gateways }: Pick<ServiceContext, 'gateways'>,
  types: readonly Capability[],
  instance?: Capable,
): Result<true> {
  const senders: readonly Capable[] = instance
    ? [instance]
    : gateways.all.map(({ network }) => ({ network }));
  const canSend = (capabilities: readonly string[]): boolean =>
    types.some((type) => capabilities.includes(type));
  if (senders.some((sender) => canSend(gateways.capabilities(sender)))) return ok(true);
  return senders.some(({ network, capabilities }) =>
    canSend(ownOf(gateways.find(network)?.capabilities ?? [], capabilities)),
  )
    ? noPlaceForFiles()
    : unsupportedType();
}
