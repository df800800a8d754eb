import { expect, it } from 'vitest';
import { idToUuid } from '@trunkline/core/spi/storage';
import { aMessage, NOW, testId } from '@trunkline/storage-contract/examples';
import { accept, storeInstance, storeLeasedInstance } from '@trunkline/storage-contract/fixtures';
import { openStorage, temporarySchema } from './support/open-storage.ts';

const ADA = { kind: 'number', digits: '15550111' } as const;
const FIRST = { from: null, limit: 100 };

/** Messages to one person: the first three are filed, the last one is not. */
async function openChat() {
  const schema = await temporarySchema();
  const storage = await openStorage(schema);
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
  const run = async (sql: string, ...values: readonly unknown[]) =>
    schema.pool.query(sql.replaceAll('trunkline.', `"${schema.name}".`), [...values]);
  const remove = async (...numbers: readonly number[]): Promise<void> => {
    const uuids = numbers.map((number) => idToUuid('msg', messages[number]?.id ?? ''));
    await run('DELETE FROM trunkline.messages WHERE id = ANY ($1::uuid[])', uuids);
  };
  return { schema, storage, run, list, remove };
}

it('a message that is deleted leaves its chat, whether it was filed or not', async () => {
  const { storage, run, list, remove } = await openChat();
  expect(await list()).toEqual({ messages: [3, 2, 1, 0], chats: [3] });
  await remove(3, 1);
  expect(await list()).toEqual({ messages: [2, 0], chats: [2] });
  await remove(2);
  expect(await list()).toEqual({ messages: [0], chats: [0] });
  await remove(0);
  expect(await list()).toEqual({ messages: [], chats: [] });
  expect(await storage.chats.file?.(10)).toEqual({ filed: 0, lastId: null, more: false });
  for (const table of ['chats', 'chat_messages', 'unfiled_messages']) {
    expect((await run(`SELECT * FROM trunkline.${table}`)).rows).toEqual([]);
  }
});

it('a message leaves the chat that it was filed in, whatever that is filed under', async () => {
  const schema = await temporarySchema();
  const storage = await openStorage(schema);
  const { instance } = await storeLeasedInstance(storage);
  const contact = {
    id: testId('con', NOW),
    phoneNumber: null,
    dialledNumbers: [],
    username: null,
    name: null,
  };
  await accept(storage, aMessage(instance, { to: ADA.digits, createdAt: NOW }));
  await accept(storage, aMessage(instance, { to: null, groupId: testId('grp', NOW), createdAt: NOW + 1 }));
  await accept(storage, aMessage(instance, { to: ADA.digits, contact, createdAt: NOW + 2 }));
  await accept(storage, aMessage(instance, { to: null, createdAt: NOW + 3 }));
  const run = async (sql: string) =>
    (await schema.pool.query(sql.replaceAll('trunkline.', `"${schema.name}".`))).rows;
  // Makes one message inbound, from a number; other columns do not matter here.
  await run(
    "UPDATE trunkline.messages SET direction = 'inbound', sender = '15550122' WHERE recipient IS NULL AND group_id IS NULL",
  );
  expect(await storage.chats.file?.(10)).toMatchObject({ filed: 4, more: false });
  const keys = await run(
    'SELECT left(key, 1) AS kind, count(*)::int FROM trunkline.chats GROUP BY 1 ORDER BY 1',
  );
  expect(keys).toEqual([
    { kind: 'c', count: 1 },
    { kind: 'g', count: 1 },
    { kind: 'n', count: 2 },
  ]);
  await run('DELETE FROM trunkline.messages');
  for (const table of ['chats', 'chat_messages'])
    expect(await run(`SELECT * FROM trunkline.${table}`)).toEqual([]);
});

it('a message that another transaction stores late is filed when it appears', async () => {
  const schema = await temporarySchema();
  const storage = await openStorage(schema);
  const { workspace, instance } = await storeLeasedInstance(storage);
  const late = aMessage(instance, { to: ADA.digits, createdAt: NOW });
  const early = aMessage(await storeInstance(storage, workspace), { to: ADA.digits, createdAt: NOW + 1 });
  const client = await schema.pool.connect();
  try {
    await client.query('BEGIN');
    const acceptance = { message: late, idempotency: null, backlogLimit: 10, trialLimit: null };
    await storage.messages.accept(acceptance, client);
    await accept(storage, early);
    await storage.chats.file?.(10);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  await storage.chats.file?.(10);
  await schema.pool.query(`DELETE FROM "${schema.name}".unfiled_messages`);
  const { rows } = await storage.messages.list(workspace.id, { counterpart: ADA }, FIRST);
  expect(rows).toEqual([early, late]);
});

it('only one process files at a time, and another one continues if that is ended', async () => {
  const { schema, storage, list } = await openChat();
  const client = await schema.pool.connect();
  const ended = new Promise((resolve) => client.on('error', resolve));
  await client.query('BEGIN');
  // Acts as a process that is killed in the middle of a transaction that files messages.
  await client.query(
    `SELECT pg_advisory_xact_lock(1667788148, (SELECT tableoid::integer FROM "${schema.name}".schema_versions LIMIT 1))`,
  );
  await client.query(`DELETE FROM "${schema.name}".unfiled_messages`);
  expect(await storage.chats.file?.(10)).toEqual({ filed: 0, lastId: null, more: true });
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  await schema.pool.query('SELECT pg_terminate_backend($1, 5000)', [rows[0].pid]);
  await ended;
  client.release(true);
  expect(await storage.chats.file?.(10)).toMatchObject({ filed: 1, more: false });
  expect(await list()).toEqual({ messages: [3, 2, 1, 0], chats: [3] });
});
