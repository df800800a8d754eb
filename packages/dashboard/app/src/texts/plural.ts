/** Returns the form that a language has for this count (Intl.PluralRules), with the count instead of `#`. */
export function pluralIn(
  locale: string,
): (count: number, forms: Readonly<Record<'one' | 'other', string>>) => string {
  let known: { readonly rules: Intl.PluralRules; readonly numbers: Intl.NumberFormat } | undefined;
  return (count, forms) => {
    // On the first use: a phone takes 50 ms to make them, which the first page should not wait for.
    known ??= { rules: new Intl.PluralRules(locale), numbers: new Intl.NumberFormat(locale) };
    const { rules, numbers } = known;
    return forms[rules.select(count) === 'one' ? 'one' : 'other'].replace('#', numbers.format(count));
  };
}
