import { StatementSync } from 'node:sqlite';
import type { SQLInputValue } from 'node:sqlite';

// Preloaded into a command; kills it right before it runs, for the n-th time, a statement that begins with a text.

const [times, ...words] = (process.env['KILL_AT_STATEMENT'] ?? '').split(' ');
const beginning = words.join(' ');
let left = Number(times);

const run = StatementSync.prototype.run;
Object.defineProperty(StatementSync.prototype, 'run', {
  value(this: StatementSync, ...values: SQLInputValue[]) {
    if (this.sourceSQL.trim().startsWith(beginning)) left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return Reflect.apply(run, this, values);
  },
});
