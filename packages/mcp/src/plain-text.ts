const REPLACEMENT = '\ufffd';

/**
 * Matches runs of characters that control a terminal, reverse the direction of text, or are invisible: a stranger could
 * use them to hide from people what a model reads. `\n` and tabs do not match. A single joiner between letters or emoji,
 * or the selector of an emoji's style, is captured in group 1, so that the caller keeps it.
 */
const HIDDEN =
  /((?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d](?=[\p{L}\p{Extended_Pictographic}])|(?<=\p{Emoji})[\ufe0e\ufe0f])|(?:(?![\t\n])[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}\u2800\ufff9-\ufffb])+/gu;

/** Cuts the text to `longest` characters, notes how many more it had, and replaces each hidden run with U+FFFD. */
export function plainText(text: string, longest: number): string {
  const shown = text.length <= longest ? text : text.slice(0, longest);
  const plain = shown
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(HIDDEN, (_, kept?: string) => kept ?? REPLACEMENT);
  return shown === text ? plain : `${plain}… [${text.length - longest} more characters were left out]`;
}

/** A copy of a JSON value, with `plainText` applied to each text and each name. */
export function plainJson<Value>(value: Value, longest: number): Value {
  return copy(value) as Value; // `copy` keeps the shape

  function copy(part: unknown): unknown {
    if (typeof part === 'string') return plainText(part, longest);
    if (Array.isArray(part)) return part.map(copy);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [plainText(name, 200), copy(inner)]),
    );
  }
}
