/** The digits of a phone number, however it is written; null if the text is not a number of 7 to 15 digits. */
export function digitsOf(text: string): string | null {
  if (!/^\+?[\d\s().-]+$/.test(text.trim())) return null;
  const digits = text.replace(/\D/g, '');
  return digits.length >= 7 && digits.length <= 15 ? digits : null;
}
