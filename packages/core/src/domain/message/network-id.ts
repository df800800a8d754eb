import { idsOfOrder, orderOfId } from '../id.ts';
import type { IdRange } from '../id.ts';

/** A permutation of all values of 9 bytes, indistinguishable from a random permutation without the key. */
export interface Permutation {
  permute(bytes: Uint8Array): Uint8Array;
  invert(bytes: Uint8Array): Uint8Array;
}

export const PERMUTED_LENGTH = 9;

/** 40 bits of milliseconds, counted from this time, last until November 2054. */
const EPOCH = Date.UTC(2020, 0, 1);
const MS_VALUES = 2 ** 40;

/**
 * The first bytes of a network id that leads back to its message: the time and the sequence in the message's id,
 * permuted so that they look random. Null for a time that does not fit, such as that of a wrong clock.
 */
export function permutedOrder(permutation: Permutation, messageId: string): Uint8Array | null {
  const { ms, sequence } = orderOfId('msg', messageId);
  const since = ms - EPOCH;
  if (since < 0 || since >= MS_VALUES) return null;
  const bytes = new Uint8Array(PERMUTED_LENGTH);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, Math.floor(since / 2 ** 32));
  view.setUint32(1, since % 2 ** 32);
  view.setUint32(5, sequence);
  return permutation.permute(bytes);
}

/**
 * The range of ids that includes the id of the message that these bytes were made for. Any other bytes most likely lead
 * to a range without messages.
 */
export function idsOfPermutedOrder(permutation: Permutation, bytes: Uint8Array): IdRange {
  const order = permutation.invert(bytes);
  const view = new DataView(order.buffer);
  const ms = EPOCH + view.getUint8(0) * 2 ** 32 + view.getUint32(1);
  return idsOfOrder('msg', { ms, sequence: view.getUint32(5) });
}
