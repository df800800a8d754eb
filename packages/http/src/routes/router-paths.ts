import type { Context } from 'hono';
import { parameterOf } from './route.ts';

/**
 * The values of the specification's paths, by the paths for Hono's router: `/instances/:instance` for
 * `/instances/{instance}`. Hono's faster router does not support `/events/stream` next to `/events/{event}`: with both,
 * all paths would use the slower router, which takes 4 µs more per request. Therefore only `/events/:event` is
 * returned. Its function returns the value of `/events/stream` if the parameter is `stream`.
 */
export function byRouterPath<Value>(
  values: ReadonlyMap<string, Value>,
): ReadonlyMap<string, (c: Context) => Value> {
  const chosen = new Map<string, (c: Context) => Value>();
  const words = new Set<string>();
  for (const [path, value] of values) {
    const name = parameterOf(path);
    const beside = name === undefined ? new Map<string, Value>() : wordsBeside(path, values);
    for (const word of beside.keys()) words.add(stemOf(path) + word);
    const choose = (c: Context): Value => beside.get(c.req.param(name ?? '') ?? '') ?? value;
    chosen.set(path.replace(/\{(\w+)\}/, ':$1'), beside.size === 0 ? () => value : choose);
  }
  for (const path of words) chosen.delete(path);
  return chosen;
}

/** Finds the literals next to a parameter: for `/events/{event}`, maps `stream` to the value of `/events/stream`. */
function wordsBeside<Value>(path: string, values: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  const stem = stemOf(path);
  if (!path.endsWith('}')) return new Map();
  return new Map(
    [...values]
      .filter(([other]) => other.startsWith(stem) && /^[^/{]+$/.test(other.slice(stem.length)))
      .map(([other, value]) => [other.slice(stem.length), value]),
  );
}

function stemOf(path: string): string {
  return path.slice(0, path.indexOf('{'));
}
