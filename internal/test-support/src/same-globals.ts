import { afterAll } from 'vitest';

/** Files that share a process would find what the ones before them have left of its globals. */
const before = valuesOfGlobals();

// Registered before those of the file, so it runs after them, when they have restored what the file changed.
afterAll(() => {
  const now = valuesOfGlobals();
  const changed = [...before].filter(([name, value]) => !Object.is(now.get(name), value)).map(([name]) => name);
  if (changed.length === 0) return;
  throw new Error(`This file left ${changed.join(', ')} changed, which the next one in its process would find.`);
});

function valuesOfGlobals(): Map<string, unknown> {
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__'));
  return new Map(names.map((name) => [name, Reflect.get(globalThis, name)]));
}
