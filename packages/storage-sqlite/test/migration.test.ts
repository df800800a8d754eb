import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { contentIdOf } from '@trunkline/core/spi/storage';
import type { Message } from '@trunkline/core/spi/storage';
import { storedEvent } from '@trunkline/storage-contract/fixtures';
import { must } from '@trunkline/test-support';
import { builtProgram } from '@trunkline/test-support/built-program';
import { linesOf, startChild } from '@trunkline/test-support/start-child';
import { idempotencyLog } from '../src/migrations/0015-idempotency-log.ts';
import { INITIAL_VERSION, MIGRATIONS } from '../src/migrations/migrate.ts';
import {
  claimAt,
  anEndpoint,
  anEvent,
  aMessage,
  anInstance,
  aSubscription,
  aWorkspace,
  NOW,
} from '@trunkline/storage-contract/examples';
import { connectTo, openStorage } from './support/open-storage.ts';
import { storageContext } from './support/storage-context.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const OPEN = await builtProgram(new URL('support/programs/open.ts', import.meta.url));
const OPEN_AND_DIE = await builtProgram(new URL('support/programs/open-and-die.ts', import.meta.url));

it('several processes may open a new file concurrently', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const children = Array.from({ length: 8 }, () => startChild(OPEN, path));
  for (const child of children) expect((await child.lines.next()).value).toBe('ready');
  for (const child of children) child.go();
  const printed = (await Promise.all(children.map(linesOf))).flat();
  expect(printed).toHaveLength(8);
  expect(new Set(printed).size).toBe(1);
  expect(connectTo(path).prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
});

it('a process that dies in the middle of a migration leaves none of it', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  await startChild(OPEN_AND_DIE, path).ended;
  expect(connectTo(path).prepare('SELECT count(*) AS tables FROM sqlite_schema').get()).toEqual({
    tables: 0,
  });
  const storage = await openStorage(path);
  const workspace = aWorkspace();
  await storage.workspaces.insert(workspace);
  expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
});

describe('a database of the first version', () => {
  it('is brought up to date with all that is in it', async () => {
    const path = join(temporaryDirectory(), 'test.db');
    const { workspace, delivery, message } = await makeFirstVersion(path);
    const storage = await openStorage(path);
    expect(schemaOf(path)).toEqual(await newSchema());
    expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
    expect((await storage.deliveries.claim(claimAt(NOW))).claimed).toMatchObject([{ delivery }]);
    // Its file is kept under the message's own id.
    expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
    expect(contentIdOf(message)).toBe(message.id);
    await storage.uploads.release(message.id);
    expect(await storage.messages.find(workspace.id, message.id)).toMatchObject({
      media: { available: false },
    });

    const subscription = await storage.subscriptions.register(aSubscription());
    const [instance] = await storage.instances.list(workspace.id);
    const event = { ...anEvent(workspace), type: 'message.received' as const };
    await storage.instances.write({ instance: must(instance), event, lease: null });
    const claim = { subscriptionId: subscription.id, eventTypes: subscription.eventTypes, now: NOW };
    const result = await storage.subscriptions.claim({ ...claim, limit: 5, leaseMs: 1000 });
    expect(must(result).claimed).toMatchObject([{ event: storedEvent(event) }]);
    expect(await storage.retention.deleteHistory(NOW + 1, 10)).toBe(5);
  });

  it('stays as it is where the process dies in the middle of it', async () => {
    const path = join(temporaryDirectory(), 'test.db');
    const { workspace } = await makeFirstVersion(path);
    const tables = () => connectTo(path).prepare('SELECT count(*) AS tables FROM sqlite_schema').get();
    const before = tables();
    await startChild(OPEN_AND_DIE, path).ended;
    expect(tables()).toEqual(before);
    expect(connectTo(path).prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    expect(await (await openStorage(path)).workspaces.find(workspace.id)).toEqual(workspace);
  });
});

it('an idempotency key that is used again while the records are moved keeps its new record', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const connection = new DatabaseSync(path);
  const apply = (from: number, to: number): void => {
    for (const migration of MIGRATIONS.slice(from, to)) {
      if (typeof migration === 'string') connection.exec(migration);
      else expect(migration.step(connection).isComplete).toBe(true);
    }
    // "trnk"
    connection.exec(`PRAGMA application_id = 1953656427; PRAGMA user_version = ${INITIAL_VERSION - 1 + to}`);
  };
  const use = (messageId: string, createdAt: number): unknown =>
    connection
      .prepare(
        `INSERT OR REPLACE INTO idempotency_records (workspace_id, key, fingerprint, message_id, created_at)
         VALUES ('workspace', 'key', 'f', ?, ?)`,
      )
      .run(messageId, createdAt);
  const beforeLog = MIGRATIONS.indexOf(idempotencyLog);
  apply(0, beforeLog);
  use('msg_old', NOW);
  apply(beforeLog, beforeLog + 1);
  // By a process that does not know the log yet.
  use('msg_new', NOW + 1);
  connection.close();

  const { messages } = await openStorage(path);
  expect(await messages.findIdempotencyRecord('workspace', 'key')).toMatchObject({ messageId: 'msg_new' });
  expect(connectTo(path).prepare('SELECT message_id FROM idempotency_log').all()).toEqual([
    { message_id: 'msg_new' },
  ]);
});

// Four migrations became one. Commits from before numbered them as they came.
it.each([
  [2, ['lease-owners']],
  [2, ['subscriptions']],
  [2, ['pairing-number']],
  [3, ['lease-owners', 'subscriptions']],
] as const)(
  'a database of version %i, which has %j beside the first tables, gets what it lacks and keeps what it has',
  async (version, parts) => {
    const path = join(temporaryDirectory(), 'test.db');
    const { workspace, message } = await makeEarlierVersion(path, version, ['first', ...parts]);
    const storage = await openStorage(path);
    expect(schemaOf(path)).toEqual(await newSchema());
    expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
    expect(await storage.messages.find(workspace.id, message.id)).toEqual(message);
  },
);

/** Tables and indexes, however they were written down. */
function schemaOf(path: string): readonly unknown[] {
  const rows = connectTo(path).prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
  return rows.map(({ sql, ...row }) => {
    const words = String(sql)
      .replaceAll(/--.*$/gm, '')
      .match(/\w+|\S/g);
    return { ...row, sql: words?.join(' ') };
  });
}

async function newSchema(): Promise<readonly unknown[]> {
  const path = join(temporaryDirectory(), 'test.db');
  await openStorage(path);
  return schemaOf(path);
}

describe('a large database of the first version', () => {
  const COUNT = 12_000;

  it('is brought up to date in steps, goes on where it was killed, and loses no network id', async () => {
    const path = join(temporaryDirectory(), 'test.db');
    const { message } = await makeFirstVersion(path);
    addMessages(path, message.id);
    addKeys(path, message);
    // The first time it notes how far it has come, and the second.
    await startChild(OPEN_AND_DIE, path, '2').ended;
    const copied = () => connectTo(path).prepare('SELECT count(*) AS ids FROM network_ids').get();
    expect(copied()).toEqual({ ids: 5_000 });
    // What a process of the version before stores meanwhile.
    addMessages(path, message.id, { from: COUNT, count: 1 });
    // The second time in the migration of the keys.
    await startChild(OPEN_AND_DIE, path, '4').ended;
    addKeys(path, message, { from: COUNT, count: 1 });

    const info = vi.fn();
    const { messages } = await openStorage(path, {}, { logger: { ...storageContext.logger, info } });
    expect(copied()).toEqual({ ids: COUNT + 2 });
    expect(info).toHaveBeenCalledWith(
      { rows: expect.any(Number), task: 'moving idempotency keys' },
      expect.stringMatching(/is being upgraded/),
    );
    expect(info).toHaveBeenLastCalledWith({ rows: expect.any(Number) }, 'the database is upgraded');
    for (const index of [0, 1_999, 2_000, 4_000, 11_999, 12_000]) {
      const key = `key ${index}`;
      expect(await messages.findIdempotencyRecord(message.workspaceId, key)).toEqual({
        key,
        fingerprint: 'f',
        messageId: message.id,
        createdAt: NOW + index,
      });
    }
    const records = 'SELECT count(*) AS records, count(DISTINCT key) AS keys FROM idempotency_log';
    expect(connectTo(path).prepare(records).get()).toEqual({ records: COUNT + 1, keys: COUNT + 1 });
    expect(await messages.findOutbound(message.instanceId, message.networkId)).toEqual(message);
    for (const index of [0, 1, 4_999, 5_000, 11_999, 12_000]) {
      const networkId = `network id ${index}`;
      if (index % 2 === 0) {
        expect(await messages.findOutbound(message.instanceId, networkId)).toMatchObject({ networkId });
      } else {
        expect(await messages.hasInbound(message.instanceId, networkId, 'sender')).toBe(true);
      }
    }
  });

  /** Idempotency records, one in each millisecond. */
  function addKeys(path: string, message: Message, { from = 0, count = COUNT } = {}): void {
    const connection = new DatabaseSync(path);
    connection
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1 + ?2)
         INSERT OR REPLACE INTO idempotency_records (workspace_id, key, fingerprint, message_id, created_at)
         SELECT ?3, format('key %d', n), 'f', ?4, ?5 + n FROM numbers`,
      )
      .run(from, count, message.workspaceId, message.id, NOW);
    connection.close();
  }

  /** Copies of a message, every other one inbound. */
  function addMessages(path: string, id: string, { from = 0, count = COUNT } = {}): void {
    const connection = new DatabaseSync(path);
    connection
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1 + ?2)
         INSERT INTO messages (id, workspace_id, instance_id, network_id, sender_id, direction, type, status, created_at)
         SELECT format('msg_7%025d', n), workspace_id, instance_id, format('network id %d', n),
           iif(n % 2 = 0, '', 'sender'), iif(n % 2 = 0, 'outbound', 'inbound'), 'text', 'sent', created_at
         FROM messages JOIN numbers WHERE id = ?3`,
      )
      .run(from, count, id);
    connection.close();
  }
});

const makeFirstVersion = (path: string) => makeEarlierVersion(path, 1, ['first']);

/** With an instance, a message with a file, an endpoint and a delivery to it. */
async function makeEarlierVersion(path: string, version: number, parts: readonly string[]) {
  const present = `${path}-present`;
  const storage = await openStorage(present);
  const workspace = aWorkspace();
  const endpoint = anEndpoint(workspace);
  await storage.workspaces.insert(workspace);
  const instance = anInstance(workspace);
  await storage.instances.insert(instance, null);
  const media = { available: true, mimeType: 'image/png', size: 12, filename: 'ü.png', sha256: 'ab' };
  const message = aMessage(instance, { type: 'image', media });
  await storage.uploads.reserve(message.id, NOW);
  await storage.messages.accept({ message, idempotency: null, backlogLimit: 10, trialLimit: null });
  await storage.endpoints.insert(endpoint, 5);
  const delivery = must(await storage.deliveries.enqueue(endpoint.id, anEvent(workspace)));
  await storage.close();

  const connection = new DatabaseSync(path);
  const { application_id } = must(connectTo(present).prepare('PRAGMA application_id').get());
  for (const part of parts) {
    connection.exec(readFileSync(new URL(`support/earlier-schemas/${part}.sql`, import.meta.url), 'utf8'));
  }
  connection.exec(`PRAGMA application_id = ${String(application_id)}; PRAGMA user_version = ${version}`);
  const tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  connection.prepare('ATTACH ? AS present').run(present);
  for (const name of tables.map((row) => String(row['name']))) {
    const columns = connection
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(name)
      .map((row) => row['name'])
      .join();
    connection.exec(`DELETE FROM main.${name}`);
    connection.exec(`INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM present.${name}`);
  }
  connection.close();
  return { workspace, delivery, message };
}
