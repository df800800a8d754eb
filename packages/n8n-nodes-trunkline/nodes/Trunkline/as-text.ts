/**
 * Converts a value of an expression or of the API to text: an expression may return a phone number as a number. Values
 * other than text, numbers and booleans become an empty text.
 */
export function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
