/** Returns a function that picks the form for a count and replaces its `#` with the count. */
export function pluralIn(
  locale: string,
): (count: number, forms: Readonly<Record<'one' | 'other', string>>) => string {
  let known: { readonly rules: Intl.PluralRules; readonly numbers: Intl.NumberFormat } | undefined;
  return (count, forms) => {
    // Created on first use, because that takes 50 ms on a phone.
    known ??= { rules: new Intl.PluralRules(locale), numbers: new Intl.NumberFormat(locale) };
    const { rules, numbers } = known;
    return forms[rules.select(count) === 'one' ? 'one' : 'other'].replace('#', numbers.format(count));
  };
}
