/** The name under which a Signal key is stored. */
export function keyName(type: string, id: string): string {
  return `key.${type}.${id}`;
}
