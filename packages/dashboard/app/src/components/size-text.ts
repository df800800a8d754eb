const SIZES = [
  { unit: 'gigabyte', bytes: 1_000_000_000 },
  { unit: 'megabyte', bytes: 1_000_000 },
  { unit: 'kilobyte', bytes: 1_000 },
  { unit: 'byte', bytes: 1 },
] as const;

/** A number of bytes in its largest unit: *86.2 MB*. */
export function sizeText(locale: string, size: number): string {
  const { unit, bytes } = SIZES.find((each) => size >= each.bytes) ?? SIZES[3];
  const format = { style: 'unit', unit, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, format).format(size / bytes);
}
