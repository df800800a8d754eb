/** The value, which a test knows to be there. */
export function must<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Error('Something that must be there is missing.');
  return value;
}
