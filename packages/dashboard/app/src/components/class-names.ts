/**
 * Joins the given classes for `className`. Accepts undefined, because TypeScript does not know the names in a CSS
 * module.
 */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
