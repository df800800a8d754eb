import { afterAll } from 'vitest';

/** Files that share a process would find what the ones before them have left of its globals. */
const before = valuesOfGlobals();

// Registered before those of the file, so it runs after them, when they have restored what the file changed.
afterAll(() => {
  const now = valuesOfGlobals();
  const changed = [...before].filter(([key, value]) => !Object.is(now.get(key), value));
  if (changed.length === 0) return;
  const names = changed.map(([key]) => String(key)).join(', ');
  throw new Error(`This file left ${names} changed, which the next one in its process would find.`);
});

function valuesOfGlobals(): Map<PropertyKey, unknown> {
  // Vitest keeps some of its own there.
  const keys = Reflect.ownKeys(globalThis).filter((key) => !/^__|jest|vitest/iu.test(String(key)));
  return new Map(keys.map((key) => [key, Reflect.get(globalThis, key)]));
}
