/**
 * Whether a stream shows colours: a terminal does, unless NO_COLOR or NODE_DISABLE_COLORS is set or TERM is `dumb`.
 * FORCE_COLOR overrides all of these, as in Node itself.
 */
export function showsColors(
  { isTTY }: { readonly isTTY?: boolean | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const { FORCE_COLOR, NO_COLOR = '', NODE_DISABLE_COLORS = '', TERM } = environment;
  if (FORCE_COLOR !== undefined) return !['0', 'false'].includes(FORCE_COLOR);
  return isTTY === true && NO_COLOR === '' && NODE_DISABLE_COLORS === '' && TERM !== 'dumb';
}
