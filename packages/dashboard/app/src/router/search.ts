/** The unchecked texts after the `?` of the URL. */
export type RawSearch = Readonly<Record<string, unknown>>;

/** Keeps every value as text, so that ids and cursors are never parsed as numbers. */
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

/** A text of the URL, if present and not too long for the API. */
export function textIn(search: RawSearch, name: string, max: number = 500): string | undefined {
  const value = search[name];
  return typeof value === 'string' && value !== '' && value.length <= max ? value : undefined;
}

/** The value, if it is one of `values`. */
export function oneOfIn<Value extends string>(
  search: RawSearch,
  name: string,
  values: readonly Value[],
): Value | undefined {
  return values.find((value) => value === search[name]);
}

/** Omits fields without a value, as the types of the router require. */
export function present<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const there = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(there) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> }; // only entries of `fields`
}
