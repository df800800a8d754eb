/** The value of which a test knows that it is there; else the test fails here. */
export function must<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('A value was expected.');
  return value;
}

export function only<Value>(values: readonly Value[]): Value {
  if (values.length !== 1) throw new Error(`One value was expected, there are ${values.length}.`);
  return must(values[0]);
}
