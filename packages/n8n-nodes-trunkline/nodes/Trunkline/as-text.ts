/**
 * Converts a value of an expression or of the API to text, because an expression may return a phone number as a number.
 * Other types become an empty text.
 */
export function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
