/** The unchecked parameters of the URL. */
export type RawSearch = Readonly<Record<string, unknown>>;

/** Keeps all values as text, so that no id or cursor is parsed as a number. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') parameters.set(name, value);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** A text parameter of the URL; undefined if it is missing, empty or longer than `max`. */
export function textIn(search: RawSearch, name: string, max: number = 500): string | undefined {
  const value = search[name];
  return typeof value === 'string' && value !== '' && value.length <= max ? value : undefined;
}

/** The parameter `name`; undefined unless it is one of `values`. */
export function oneOfIn<Value extends string>(
  search: RawSearch,
  name: string,
  values: readonly Value[],
): Value | undefined {
  return values.find((value) => value === search[name]);
}

/** Omits fields that are undefined or null, which the router's types do not allow. */
export function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(there) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> }; // only entries of `fields`
}
