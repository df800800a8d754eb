import { noPlaceForFiles, unsupportedType } from '../../domain/message/media-rules.ts';
import type { MessageType } from '../../domain/message/message.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';

/** Checks that messages of at least one of these types can be sent. */
export function checkSendable(
  { capabilities, gateway }: Pick<ServiceContext, 'capabilities' | 'gateway'>,
  types: readonly MessageType[],
): Result<true> {
  if (types.some((type) => capabilities.includes(type))) return ok(true);
  return types.some((type) => gateway.capabilities.includes(type)) ? noPlaceForFiles() : unsupportedType();
}
