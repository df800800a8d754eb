import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

// Preloaded into a command. Once the command has printed a text that matches HOLD_AT_PRINT, the command pauses at its
// next step until it is interrupted, so that the interruption hits that phase at any speed and load.

const pattern = new RegExp(process.env['HOLD_AT_PRINT'] ?? '(?!)');
let held: Promise<unknown> | null = null;

// Results go to stdout, progress to stderr.
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (...args: readonly unknown[]) => boolean; // takes the arguments of each overload
  stream.write = (...args: readonly unknown[]): boolean => {
    if (pattern.test(String(args[0]))) held ??= interrupted();
    return write(...args);
  };
}

function interrupted(): Promise<void> {
  const alive = setInterval(() => {}, 60_000); // a process that only waits for a signal would end
  return new Promise((resolve) =>
    process.once('SIGINT', () => {
      clearInterval(alive);
      resolve();
    }),
  );
}

type Call = (...args: readonly unknown[]) => unknown;

function hold(owner: object, name: string): void {
  const original = Reflect.get(owner, name) as Call; // a function of its module
  Object.assign(owner, {
    [name]: async (...args: readonly unknown[]) => {
      await held;
      return original(...args);
    },
  });
}

hold(timers, 'setImmediate');
for (const name of ['open', 'stat', 'lstat', 'mkdir', 'link', 'rename']) hold(fs, name);
syncBuiltinESMExports();
