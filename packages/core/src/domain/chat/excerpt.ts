import type { Message } from '../message/message.ts';

/** In code points. */
const EXCERPT_MAX = 100;

/** The beginning of a message's text or caption, on one line; null if there is none. */
export function excerptOf({ text, caption }: Pick<Message, 'text' | 'caption'>): string | null {
  // Cut first, to limit the work for a long text.
  const line = (text ?? caption)
    ?.slice(0, 4 * EXCERPT_MAX)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line === undefined || line === '') return null;
  const characters = Array.from(line);
  if (characters.length <= EXCERPT_MAX) return line.toWellFormed();
  return `${characters
    .slice(0, EXCERPT_MAX - 1)
    .join('')
    .toWellFormed()}…`;
}
