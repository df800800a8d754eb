/**
 * The search index of both storages. The words of each filed message are an entry. Entries are grouped in windows of
 * consecutive ids; the latest entries are not in a window yet. Of each window, the index knows the tokens: the first
 * characters of all of its words, in several lengths. A search skips the windows without its tokens, however many there
 * are, and reads the entries of the others.
 */

/** The number of entries that become a window. */
export const SEARCH_WINDOW = 500;

/** In code points. A longer token skips more windows, and each length adds to the size of the index. */
const TOKEN_LENGTHS = [1, 2, 4, 7, 12] as const;

/** The words of an entry as they are stored: each follows a space, so that the beginning of a word is found as text. */
export function storedWords(words: readonly string[]): string {
  return words.map((word) => ` ${word}`).join('');
}

/** All tokens of stored words, sorted. */
export function tokensOf(stored: Iterable<string>): readonly string[] {
  const words = new Set([...stored].flatMap((entry) => entry.split(' ')));
  const tokens = new Set<string>();
  for (const word of words) {
    const characters = [...word];
    for (const length of TOKEN_LENGTHS) {
      if (characters.length >= length) tokens.add(characters.slice(0, length).join(''));
    }
  }
  return [...tokens].toSorted();
}

/** The longest token of a word. Each word that begins with this word has the token, too. */
export function tokenOf(word: string): string {
  const characters = [...word];
  const length = TOKEN_LENGTHS.findLast((one) => one <= characters.length) ?? 0;
  return characters.slice(0, length).join('');
}

/** How the tokens of a window change after some of its entries were added, changed or deleted. */
export function changedTokens(
  changed: Iterable<string>,
  present: Iterable<string>,
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  const now = new Set(tokensOf(present));
  const all = tokensOf(changed);
  return { added: all.filter((token) => now.has(token)), removed: all.filter((token) => !now.has(token)) };
}

/** A window holds the ids after `after` up to `last`. Within a workspace, later windows have larger numbers. */
export interface SearchWindow {
  readonly number: number;
  /** Null for the first window. */
  readonly after: string | null;
  readonly last: string;
}

/** The windows that these ids make, which are sorted and come after all windows. The last ids may be left over. */
export function windowsOf(
  ids: readonly string[],
  after: string | null,
): readonly Omit<SearchWindow, 'number'>[] {
  const windows: Omit<SearchWindow, 'number'>[] = [];
  for (let end = SEARCH_WINDOW - 1; end < ids.length; end += SEARCH_WINDOW) {
    const last = ids[end];
    if (last !== undefined) windows.push({ after: windows.at(-1)?.last ?? after, last });
  }
  return windows;
}
