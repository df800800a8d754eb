import type { HonoRequest } from 'hono';
import { invalid } from '@trunkline/core';
import type { Result } from '@trunkline/core';

export type Query = Readonly<Record<string, string>>;

/**
 * The query parameters of these names, as the text they came as; others are ignored. One that is given twice or is
 * empty is refused here, its value is judged by the operation.
 */
export function readQuery(request: HonoRequest, names: readonly string[]): Result<Query> {
  const query: Record<string, string> = {};
  const complaints: Record<string, readonly string[]> = {};
  for (const name of names) {
    const [value, ...more] = request.queries(name) ?? [];
    if (value === undefined) continue;
    if (more.length > 0) complaints[name] = ['Must be given once.'];
    else if (value === '') complaints[name] = ['Must not be empty.'];
    else query[name] = value;
  }
  return Object.keys(complaints).length > 0 ? invalid(complaints) : { ok: true, value: query };
}
