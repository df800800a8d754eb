import { keyName } from './key-name.ts';

/** The type of key as which sent messages are stored. */
export const TYPE = 'sent';
/** The beginning of the names of sent messages; the day follows, then a dot and the message's id. */
export const SENT: string = keyName(TYPE, '');

/** The id of the sent message that is stored under this name; null for any other name. */
export function sentMessageIdIn(name: string): string | null {
  if (!name.startsWith(SENT)) return null;
  const id = name.slice(SENT.length);
  return id.slice(id.indexOf('.') + 1);
}
