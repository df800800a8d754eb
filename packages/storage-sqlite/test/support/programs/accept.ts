// Accepts messages until it is killed, 64 concurrently, and prints the id of each accepted one. Given the beginning of
// a statement and a number n, it dies just before the nth such statement runs.
import { flushCompileCache } from 'node:module';
import { StatementSync } from 'node:sqlite';
import type { SQLInputValue } from 'node:sqlite';
import { sqliteStorage } from '../../../src/index.ts';
import { aMessage, anInstance, aWorkspace } from '@trunkline/storage-contract/examples';
import { storageContext } from '../storage-context.ts';
import { print } from './parent.ts';

const [, , path = '', fatalStatement, times = '1'] = process.argv;
if (fatalStatement !== undefined) dieAt(fatalStatement, Number(times));
// Writes the compile cache now, because a killed process does not.
flushCompileCache();
const storage = sqliteStorage({ path });
await storage.open(storageContext);
const workspace = aWorkspace();
const instance = anInstance(workspace);
await storage.workspaces.insert(workspace);
await storage.instances.insert(instance, null);
await print(workspace.id);

const acceptForEver = async (): Promise<never> => {
  for (;;) {
    const message = aMessage(instance);
    const { id, createdAt } = message;
    const { kind } = await storage.messages.accept({
      message,
      idempotency: { key: id, fingerprint: 'f', messageId: id, createdAt },
      backlogLimit: 1e6,
      trialLimit: null,
    });
    if (kind !== 'accepted') throw new Error(`The message was not accepted: ${kind}.`);
    await print(id);
  }
};
await Promise.all(Array.from({ length: 64 }, acceptForEver));

function dieAt(statement: string, count: number): void {
  let left = count;
  const run = StatementSync.prototype.run;
  Object.defineProperty(StatementSync.prototype, 'run', {
    value(this: StatementSync, ...values: SQLInputValue[]) {
      if (this.sourceSQL.trim().startsWith(statement)) left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return Reflect.apply(run, this, values);
    },
  });
}
