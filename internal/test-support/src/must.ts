/** The value of which a test knows that it is there; otherwise the test fails here. */
export function must<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('A value was expected, and there is none.');
  return value;
}

/** The one value of a list that has one. */
export function only<Value>(values: readonly Value[]): Value {
  const [value] = values;
  if (values.length !== 1 || value === undefined) {
    throw new Error(`Expected one value, got ${values.length}.`);
  }
  return value;
}
