/** More values than any network has: strangers behind a gateway must not create series without limit. */
const MOST_VALUES = 100;
const VALUE = /^[a-z0-9_]{1,40}$/;

/** Returns a label value as given; `other` if it is not a plain name, or comes after a hundred others. */
export function boundedLabel(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= MOST_VALUES || !VALUE.test(value)) return 'other';
    known.add(value);
    return value;
  };
}
