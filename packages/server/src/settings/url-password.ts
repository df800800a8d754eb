/**
 * Whether a text is a URL with a password in it, in a form that PostgreSQL accepts: before the host, or as a parameter.
 */
export function hasPassword(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.password !== '' || url.searchParams.has('password'));
}
