// Accepts messages, printing the id of each that is accepted, and dies when the index of their keys is written: where a
// statement begins with the text given, for the time given.
import { StatementSync } from 'node:sqlite';
import type { SQLInputValue } from 'node:sqlite';
import { sqliteStorage } from '../../../src/index.ts';
import { aMessage, anInstance, aWorkspace } from '../examples.ts';
import { storageContext } from '../storage-context.ts';
import { print } from './parent.ts';

const [, , path = '', statement = '', times = '1'] = process.argv;
let left = Number(times);
const run = StatementSync.prototype.run;
Object.defineProperty(StatementSync.prototype, 'run', {
  value(this: StatementSync, ...values: SQLInputValue[]) {
    if (this.sourceSQL.trim().startsWith(statement)) left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return Reflect.apply(run, this, values);
  },
});

const storage = sqliteStorage({ path });
await storage.open(storageContext);
const workspace = aWorkspace();
const instance = anInstance(workspace);
await storage.workspaces.insert(workspace);
await storage.instances.insert(instance, null);
print(workspace.id);

for (;;) {
  const messages = Array.from({ length: 100 }, () => aMessage(instance));
  await Promise.all(
    messages.map(async (message) => {
      const { id: key, createdAt } = message;
      const idempotency = { key, fingerprint: 'f', messageId: message.id, createdAt };
      await storage.messages.accept({ message, idempotency, backlogLimit: 1e6, trialLimit: null });
      print(message.id);
    }),
  );
}
