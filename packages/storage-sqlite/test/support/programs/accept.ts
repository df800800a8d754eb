// Accepts messages for ever, 16 at once, and prints the id of each when it is accepted.
import { flushCompileCache } from 'node:module';
import { sqliteStorage } from '../../../src/index.ts';
import { aMessage, anInstance, aWorkspace } from '../examples.ts';
import { storageContext } from '../storage-context.ts';
import { print } from './parent.ts';

// For those after it: who is killed writes no cache.
flushCompileCache();
const storage = sqliteStorage({ path: process.argv[2] ?? '' });
await storage.open(storageContext);
const workspace = aWorkspace();
const instance = anInstance(workspace);
await storage.workspaces.insert(workspace);
await storage.instances.insert(instance, null);
print(workspace.id);

const acceptForEver = async (): Promise<never> => {
  for (;;) {
    const message = aMessage(instance);
    const idempotency = {
      key: message.id,
      fingerprint: 'f',
      messageId: message.id,
      createdAt: message.createdAt,
    };
    const { kind } = await storage.messages.accept({
      message,
      idempotency,
      backlogLimit: 1e6,
      trialLimit: null,
    });
    if (kind !== 'accepted') throw new Error(`The message was not accepted: ${kind}.`);
    print(message.id);
  }
};
await Promise.all(Array.from({ length: 16 }, acceptForEver));
