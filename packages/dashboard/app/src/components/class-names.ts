/** Joins class names. Accepts undefined, because the type of a CSS module does not list its names. */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
