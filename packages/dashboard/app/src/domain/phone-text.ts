/** Country codes of two digits. `1` and `7` have one digit, and the others three (ITU-T E.164). */
const OF_TWO_DIGITS = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** The sizes of the groups after the country code, by the number of digits there. */
const GROUPS: Readonly<Record<number, readonly number[]>> = {
  5: [5],
  6: [3, 3],
  7: [3, 4],
  8: [4, 4],
  9: [3, 3, 3],
  10: [3, 3, 4],
  11: [4, 3, 4],
  12: [4, 4, 4],
};

/**
 * Returns a number in groups, such as `+1 555 010 0123`. The groups are for reading: those of each country's own
 * numbering plan may be others.
 */
export function phoneText(digits: string): string {
  const codeLength = /^[17]/.test(digits) ? 1 : OF_TWO_DIGITS.test(digits) ? 2 : 3;
  const rest = digits.slice(codeLength);
  const sizes = GROUPS[rest.length];
  if (sizes === undefined) return `+${digits}`;
  let from = 0;
  const groups = sizes.map((size) => rest.slice(from, (from += size)));
  return [`+${digits.slice(0, codeLength)}`, ...groups].join(' ');
}
