import { writeSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

// Preloaded into a command. Sends the command a signal right before a step that changes the disk: the n-th step, or the
// first whose text contains the given text. This reaches each state that a kill can leave, whatever the load of the
// machine.

const [signal = '', at = ''] = (process.env['SIGNAL_AT_STEP'] ?? '').split(' ');
let steps = 0;
let isOver = false;

type Call = (...args: readonly unknown[]) => unknown;

function step(what: string): void {
  steps += 1;
  if (isOver || (/^\d+$/.test(at) ? at !== String(steps) : !what.includes(at))) return;
  isOver = true;
  writeSync(2, 'at the step\n');
  process.kill(process.pid, signal);
}

for (const name of ['link', 'mkdir', 'open', 'rename', 'rm', 'unlink'] as const) {
  const original = fs[name] as Call; // each function takes its own parameters
  const patched: Call = (...args) => {
    if (name !== 'open') step(`${name}:${String(args[0])}`);
    else if (args[1] === 'wx') return opened(original, args);
    return original(...args);
  };
  Object.assign(fs, { [name]: patched });
}

async function opened(original: Call, args: readonly unknown[]): Promise<unknown> {
  step(`open:${String(args[0])}`);
  const file = (await original(...args)) as Record<'writeFile' | 'sync', Call>; // a FileHandle has both methods
  for (const name of ['writeFile', 'sync'] as const) {
    const method = file[name];
    file[name] = (...values) => {
      step(`${name}:${String(args[0])}`);
      return Reflect.apply(method, file, values);
    };
  }
  return file;
}

syncBuiltinESMExports();
