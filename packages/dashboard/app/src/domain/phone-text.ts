/** Returns a text such as `+15550100`. */
export function phoneText(digits: string): string {
  return `+${digits}`;
}
