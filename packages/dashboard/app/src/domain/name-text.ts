/** More of a name is of no use to anybody. */
const NAME_MAX = 80;

/** What changes the order or the look of the text around it, or takes space without being seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2800\u3164]+/gu;
/** Emoji are joined and coloured by these. */
const JOINERS = /[\u200c\u200d]/u;
/** Marks that are piled up over the lines beside. */
const PILED_UP = /(\p{M}{4})\p{M}+/gu;

/** A name that somebody gave themselves, in one line that stays in its place; null if nothing of it can be seen. */
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
