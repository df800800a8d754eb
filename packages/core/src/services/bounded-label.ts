/**
 * The maximum number of distinct values: more than any network uses, but strangers cannot create endless time series.
 */
const MOST_VALUES = 100;
const VALUE = /^[a-z0-9_]{1,40}$/;

/**
 * Maps a label value to itself, or to `other` if the value is not a plain name or comes after a hundred
 * others.
 */
export function boundedLabel(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= MOST_VALUES || !VALUE.test(value)) return 'other';
    known.add(value);
    return value;
  };
}
