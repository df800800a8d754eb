export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return compare(a.id, b.id);
}

export function compare<Value extends string | number>(a: Value, b: Value): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Compares like the binary collation of databases; `<` compares UTF-16 code units, which puts U+FFFD after
 * an emoji.
 */
export function compareCodePoints(a: string, b: string): number {
  const left = Array.from(a, codePointOf);
  const right = Array.from(b, codePointOf);
  const differs = left.findIndex((codePoint, index) => codePoint !== right[index]);
  return differs === -1 ? left.length - right.length : compare(left[differs] ?? -1, right[differs] ?? -1);
}

function codePointOf(character: string): number {
  return character.codePointAt(0) ?? -1;
}
