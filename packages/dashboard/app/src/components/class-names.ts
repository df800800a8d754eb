/** Joins the given classes for `className`. To TypeScript, any name of a CSS module may be missing. */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
