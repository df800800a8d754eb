/** The number as people write it: `+15550100`. */
export function phoneText(digits: string): string {
  return `+${digits}`;
}
