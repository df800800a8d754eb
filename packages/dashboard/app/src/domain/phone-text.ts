/** The digits as people write a number: `+15550100`. */
export function phoneText(digits: string): string {
  return `+${digits}`;
}
