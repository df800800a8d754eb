/** Joins the given classes for `className`. A CSS module's names may be missing as far as TypeScript knows. */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
