/**
 * One or two characters that stand for a name: the first of its first and last words that begin with a letter or a
 * digit. For a phone number, its last two digits. `#` if nothing is left.
 */
export function initialsOf(name: string): string {
  const digits = name.replace(/[\s+().-]/g, '');
  if (/^\d{3,}$/.test(digits)) return digits.slice(-2);
  const words = name.split(/\s+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  const initials = chosen.map((word = '') => [...word][0] ?? '').join('');
  return initials === '' ? '#' : initials.toLocaleUpperCase();
}
