/** Returns a value that the test knows to exist; fails the test if it does not. */
export function must<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('A value was expected, and there is none.');
  return value;
}

/** Returns the only value of a list; fails the test if there are more or none. */
export function only<Value>(values: readonly Value[]): Value {
  const [value] = values;
  if (values.length !== 1 || value === undefined) {
    throw new Error(`Expected one value, got ${values.length}.`);
  }
  return value;
}
