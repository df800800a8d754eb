/** The form that a language has for this count (Intl.PluralRules), with the count in the place of `#`. */
export function pluralIn(
  locale: string,
): (count: number, forms: Readonly<Record<'one' | 'other', string>>) => string {
  const rules = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return (count, forms) =>
    forms[rules.select(count) === 'one' ? 'one' : 'other'].replace('#', numbers.format(count));
}
