import { isId, uuidToId } from '@trunkline/core/spi/storage';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf } from '../rows/uuid.ts';

/**
 * The key of a chat as the database stores it: a letter followed by the uuid of a group or a contact, or by the digits
 * of a number. The function `message_key` of the schema builds the same keys.
 */
export function storedKey(key: string): string {
  if (isId('grp', key)) return `g${uuidOf('grp', key)}`;
  if (isId('con', key)) return `c${uuidOf('con', key)}`;
  return `n${encodeText(key)}`;
}

export function keyOfStored(stored: string): string {
  const rest = stored.slice(1);
  if (stored.startsWith('g')) return uuidToId('grp', rest);
  return stored.startsWith('c') ? uuidToId('con', rest) : rest;
}
