/** More than any network uses. Limited so that strangers behind a gateway cannot create endless series. */
const MOST_VALUES = 100;
const VALUE = /^[a-z0-9_]{1,40}$/;

/** Maps a label value to itself, or to `other` if it is not a plain name or follows a hundred others. */
export function boundedLabel(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= MOST_VALUES || !VALUE.test(value)) return 'other';
    known.add(value);
    return value;
  };
}
