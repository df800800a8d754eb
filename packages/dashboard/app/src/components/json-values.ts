/** How many fields or items of one value are shown at a time. */
export const PAGE = 100;
/** How many rows, and how deep, are open at first. */
const FIRST_ROWS = 60;
const FIRST_DEPTH = 4;

/** The outermost objects and lists, as far as they fit. */
export function openAtFirst(root: unknown): ReadonlySet<unknown> {
  const open = new Set<unknown>();
  let rows = 0;
  let level = [root].filter(isParent);
  for (let depth = 0; depth < FIRST_DEPTH && level.length > 0; depth++) {
    const next: object[] = [];
    for (const value of level) {
      const children = Object.values(value).slice(0, PAGE);
      if (depth > 0 && rows + children.length > FIRST_ROWS) continue;
      rows += children.length;
      open.add(value);
      next.push(...children.filter(isParent));
    }
    level = next;
  }
  return open;
}

/** Whether the value is an object or a list. */
export function isParent(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** At most `most` characters of the text, and a sign where more follows. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** Writes as escapes what would not be seen, or would change the order of what stands around it. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{Bidi_Control}\p{Cc}\u200B\u2028\u2029\uFEFF]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
