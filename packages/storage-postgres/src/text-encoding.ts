/**
 * Postgres keeps every text but U+0000 and halves of surrogate pairs. So that what was sent is what is read, these stand
 * as U+0001 and what follows it, and U+0001 itself likewise. Other texts are kept as they are, and all keep their order
 * (that of halves of pairs aside) and stay equal to what they were equal to.
 */
export function encodeText(text: string): string {
  if (text.isWellFormed() && !/[\0\u0001]/.test(text)) return text;
  return text.replaceAll(/[\0\u0001]|[\ud800-\udfff]/gu, (character) => {
    if (character === '\0') return '\u0001\u0001';
    if (character === '\u0001') return '\u0001\u0002';
    return `\u0001\u0003${character.charCodeAt(0).toString(16)}`;
  });
}

export function encodeTextOrNull(text: string | null): string | null {
  return text === null ? null : encodeText(text);
}

export function decodeText(stored: string): string {
  if (!stored.includes('\u0001')) return stored;
  return stored.replaceAll(
    /\u0001(?:(\u0001)|(\u0002)|\u0003([0-9a-f]{4}))/g,
    (_, nul: string | undefined, one: string | undefined, half: string | undefined) => {
      if (nul !== undefined) return '\0';
      if (one !== undefined) return '\u0001';
      return String.fromCharCode(Number.parseInt(half ?? '', 16));
    },
  );
}
