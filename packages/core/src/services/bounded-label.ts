/** More values than any network has: what a gateway passes on from strangers must not make more and more series. */
const MOST_VALUES = 100;
const VALUE = /^[a-z0-9_]{1,40}$/;

/** Returns a value for a label as it was given; `other` for one that looks like no name, or comes after a hundred of them. */
export function boundedLabel(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= MOST_VALUES || !VALUE.test(value)) return 'other';
    known.add(value);
    return value;
  };
}
