const ESCAPE = '\u0001';

/**
 * Encodes text so that it is read as it was written. PostgreSQL cannot store U+0000 and unpaired surrogates, so these
 * become U+0001 with a code that identifies them, and so does U+0001 itself. All other text is unchanged. Different
 * texts stay different, and their order is kept, except that of unpaired surrogates.
 */
export function encodeText(text: string): string {
  if (!text.includes(ESCAPE) && !text.includes('\0') && text.isWellFormed()) return text;
  return text
    .replaceAll(ESCAPE, `${ESCAPE}b`)
    .replaceAll('\0', `${ESCAPE}a`)
    .replaceAll(/\p{Surrogate}/gu, (half) => `${ESCAPE}c${half.charCodeAt(0).toString(16)}`);
}

export function encodeTextOrNull(text: string | null): string | null {
  return text === null ? null : encodeText(text);
}

export function decodeText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  const [plain = '', ...escaped] = stored.split(ESCAPE);
  return plain + escaped.map(decodePart).join('');
}

/** Decodes the text after an escape, up to the next escape. */
function decodePart(part: string): string {
  if (part.startsWith('a')) return `\0${part.slice(1)}`;
  if (part.startsWith('b')) return `${ESCAPE}${part.slice(1)}`;
  return String.fromCharCode(Number.parseInt(part.slice(1, 5), 16)) + part.slice(5);
}
