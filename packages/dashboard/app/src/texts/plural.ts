/** Returns the form that a language has for this count (Intl.PluralRules), with the count instead of `#`. */
export function pluralIn(
  locale: string,
): (count: number, forms: Readonly<Record<'one' | 'other', string>>) => string {
  let known: { readonly rules: Intl.PluralRules; readonly numbers: Intl.NumberFormat } | undefined;
  return (count, forms) => {
    // Created on the first use, because that takes a phone 50 ms, which the first page should not wait for.
    known ??= { rules: new Intl.PluralRules(locale), numbers: new Intl.NumberFormat(locale) };
    const { rules, numbers } = known;
    return forms[rules.select(count) === 'one' ? 'one' : 'other'].replace('#', numbers.format(count));
  };
}
