import { afterAll, vi } from 'vitest';

const EVENTS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2', 'uncaughtException', 'unhandledRejection'];

/** Files that share a process would find what the ones before them have left of its state. */
const before = { globals: valuesOfGlobals(), process: stateOfProcess() };

// Registered before those of the file, so it runs after them, when they have restored what the file changed.
afterAll(() => {
  vi.unstubAllEnvs();
  const now = valuesOfGlobals();
  // A global that is new is one that Node makes when it is first needed.
  const globals = [...before.globals].filter(([key, value]) => !Object.is(now.get(key), value));
  const names = [...globals.map(([key]) => String(key)), ...differing(before.process, stateOfProcess())];
  if (names.length === 0) return;
  throw new Error(
    `This file left ${names.join(', ')} changed, which the next one in its process would find.`,
  );
});

function valuesOfGlobals(): Map<PropertyKey, unknown> {
  // Vitest keeps some of its own there.
  const keys = Reflect.ownKeys(globalThis).filter((key) => !/^__|jest|vitest/iu.test(String(key)));
  return new Map(keys.map((key) => [key, Reflect.get(globalThis, key)]));
}

function stateOfProcess(): Readonly<Record<string, unknown>> {
  return {
    ...Object.fromEntries(Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value])),
    ...Object.fromEntries(EVENTS.map((name) => [`listeners of ${name}`, process.listenerCount(name)])),
    'process.cwd()': process.cwd(),
  };
}

function differing(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys({ ...one, ...other }).filter((name) => one[name] !== other[name]);
}
