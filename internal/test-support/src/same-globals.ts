import { afterAll, vi } from 'vitest';

const EVENTS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2', 'uncaughtException', 'unhandledRejection'];

declare global {
  var __stateBeforeTests: Map<PropertyKey, unknown> | undefined;
}

/** The state that all files in this process rely on. Vitest itself may change it between two files. */
const before = (globalThis.__stateBeforeTests ??= stateOfProcess());

// Registered before the file's own hooks, so it runs after them, when they have restored what the file changed.
afterAll(() => {
  vi.unstubAllEnvs();
  const now = stateOfProcess();
  // New keys are ignored: Node and libraries add some when they are first used.
  const changed = [...before].filter(([key, value]) => !Object.is(now.get(key), value));
  if (changed.length === 0) return;
  const names = changed.map(([key]) => String(key)).join(', ');
  throw new Error(`This file left ${names} changed, which the next one in its process would find.`);
});

function stateOfProcess(): Map<PropertyKey, unknown> {
  // Leave out Vitest's own globals and variables.
  const globals = Reflect.ownKeys(globalThis).filter((key) => !/^__|jest|vitest/iu.test(String(key)));
  return new Map<PropertyKey, unknown>([
    ...globals.map((key) => [key, Reflect.get(globalThis, key)] as const),
    ...Object.entries(process.env)
      .filter(([name]) => !name.startsWith('VITEST_'))
      .map(([name, value]) => [`process.env.${name}`, value] as const),
    ...EVENTS.map((name) => [`listeners of ${name}`, process.listenerCount(name)] as const),
    ['process.cwd()', process.cwd()],
  ]);
}
