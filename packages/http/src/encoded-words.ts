/** An encoded word, with the white space between it and the next encoded word. */
const ENCODED_WORD = /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=(?:\s+(?==\?))?/gi;

/**
 * Decodes the encoded words of RFC 2047 in a text: `=?utf-8?B?b2zDoS5wZGY=?=`. Clients that use email libraries write
 * file names this way. A word that cannot be decoded stays unchanged.
 */
export function decodeWords(text: string): string {
  return text.replaceAll(ENCODED_WORD, (word, charset: string, encoding: string, encoded: string) => {
    try {
      const bytes = encoding.toLowerCase() === 'b' ? atob(encoded) : unquoted(encoded);
      // RFC 2231 allows a language after an asterisk.
      const decoder = new TextDecoder(charset.replace(/\*.*/, ''), { fatal: true });
      return decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
    } catch {
      return word;
    }
  });
}

/** Decodes the encoding Q: each byte of the word becomes a character. */
function unquoted(encoded: string): string {
  return encoded
    .replaceAll('_', ' ')
    .replaceAll(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
