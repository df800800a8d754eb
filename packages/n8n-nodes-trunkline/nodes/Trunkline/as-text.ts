/** What an expression or the API gives where a text belongs: a phone number may come as a number. Anything else is no text. */
export function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
