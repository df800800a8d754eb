/** The ids before and after all others. */
export const LOWEST = '00000000-0000-0000-0000-000000000000';
export const HIGHEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The condition on `item`, an entry, whose words follow spaces. Its parameters, from the place, are `beginnings`. */
export function matching(words: readonly string[], firstPlace: number): string {
  return words.map((_, index) => `strpos(item.words, $${firstPlace + index}) > 0`).join(' AND ');
}

export function beginnings(words: readonly string[]): readonly string[] {
  return words.map((one) => ` ${one}`);
}
