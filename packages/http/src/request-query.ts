import { invalid } from '@trunkline/core/spi/http';
import type { Result } from '@trunkline/core/spi/http';

export type Query = Readonly<Record<string, string>>;

/**
 * The query parameters with these names, as text. Unknown names are refused, because a misspelt filter must not select
 * everything; repeated and empty parameters are refused, too. The operation validates the values.
 */
export function readQuery(request: Request, names: readonly string[]): Result<Query> {
  if (!request.url.includes('?')) return NO_QUERY;
  const { searchParams } = new URL(request.url);
  const query: [name: string, value: string][] = [];
  const complaints: [name: string, complaints: readonly string[]][] = [];
  for (const name of new Set(searchParams.keys())) {
    const [value = '', ...more] = searchParams.getAll(name);
    if (!names.includes(name)) complaints.push([name, [unknownAmong(names)]]);
    else if (more.length > 0) complaints.push([name, ['Must be given once.']]);
    else if (value === '') complaints.push([name, ['Must not be empty.']]);
    else query.push([name, value]);
  }
  // Use `fromEntries`, which treats no name specially, not even __proto__.
  return complaints.length > 0
    ? invalid(Object.fromEntries(complaints))
    : { ok: true, value: Object.fromEntries(query) };
}

/** An empty query. Parsing the URL would take longer than most checks. */
const NO_QUERY: Result<Query> = { ok: true, value: Object.freeze({}) };

function unknownAmong(names: readonly string[]): string {
  return names.length === 0
    ? 'Is unknown: this path takes no query parameters.'
    : `Is unknown: this path takes ${names.join(', ')}.`;
}
