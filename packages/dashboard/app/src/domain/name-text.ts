const NAME_MAX = 80;

/** Characters that change the order or the look of the text around them, or take space invisibly. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2800\u3164]+/gu;
/** Emoji and some scripts need the zero-width joiners. */
const JOINERS = /[\u200c\u200d]/u;
/** More than four combining marks in a row, which would cover the neighbouring lines. */
const PILED_UP = /(\p{M}{4})\p{M}+/gu;

/** A name that a stranger chose, as one line that does not disturb other text; null if nothing of it is visible. */
export function nameText(name: string | null | undefined): string | null {
  const line = (name ?? '')
    .replace(UNSEEN, (found) => (JOINERS.test(found) ? found.replace(/[^\u200c\u200d]/gu, '') : ' '))
    .replace(PILED_UP, '$1')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = [...line];
  if (!/[^\u200c\u200d\s]/u.test(line)) return null;
  return characters.length > NAME_MAX ? `${characters.slice(0, NAME_MAX).join('')}…` : line;
}
