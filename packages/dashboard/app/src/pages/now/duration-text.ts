/** A duration in milliseconds, seconds or minutes; a dash if it is null. */
export function durationText(locale: string, ms: number | null): string {
  if (ms === null) return '–';
  const [value, unit] =
    ms < 1_000
      ? ([ms, 'millisecond'] as const)
      : ms < 60_000
        ? ([ms / 1_000, 'second'] as const)
        : ([ms / 60_000, 'minute'] as const);
  const maximumFractionDigits = value < 10 && unit !== 'millisecond' ? 1 : 0;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits }).format(value);
}
