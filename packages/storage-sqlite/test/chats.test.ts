import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aMessage, NOW } from '@trunkline/storage-contract/examples';
import { accept, storeLeasedInstance } from '@trunkline/storage-contract/fixtures';
import { connectTo, openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const ADA = { kind: 'number', digits: '15550111' } as const;
const FIRST = { from: null, limit: 100 };

/** Messages to one person: the first three are filed, the last one is not. */
async function openChat() {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path);
  const { workspace, instance } = await storeLeasedInstance(storage);
  const messages = [0, 1, 2, 3].map((at) => aMessage(instance, { to: ADA.digits, createdAt: NOW + at }));
  for (const [index, message] of messages.entries()) {
    if (index === 3) await storage.chats.file?.(10);
    await accept(storage, message);
  }
  const list = async () => {
    const page = await storage.messages.list(workspace.id, { counterpart: ADA }, FIRST);
    const chats = await storage.chats.list(workspace.id, instance.id, FIRST);
    return {
      messages: page.rows.map(({ id }) => messages.findIndex((message) => message.id === id)),
      chats: chats.rows.map(({ lastMessage }) => messages.findIndex(({ id }) => id === lastMessage.id)),
    };
  };
  const database = connectTo(path);
  const remove = (...numbers: readonly number[]): void => {
    for (const number of numbers) {
      database.prepare('DELETE FROM messages WHERE id = ?').run(messages[number]?.id ?? '');
    }
  };
  return { storage, database, list, remove };
}

it('a message that is deleted leaves its chat, whether it was filed or not', async () => {
  const { storage, database, list, remove } = await openChat();
  expect(await list()).toEqual({ messages: [3, 2, 1, 0], chats: [3] });
  remove(3, 1);
  expect(await list()).toEqual({ messages: [2, 0], chats: [2] });
  remove(2);
  expect(await list()).toEqual({ messages: [0], chats: [0] });
  remove(0);
  expect(await list()).toEqual({ messages: [], chats: [] });
  expect(await storage.chats.file?.(10)).toEqual({ filed: 0, lastId: null, more: false });
  for (const table of ['chats', 'chat_messages', 'unfiled_messages']) {
    expect(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()).toEqual({ rows: 0 });
  }
});
