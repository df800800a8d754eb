import { join } from 'node:path';
import { StatementSync } from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { eventually, must } from '@trunkline/test-support';
import type { AcceptanceResult, Instance, Storage } from '@trunkline/core/spi/storage';
import { builtProgram } from '@trunkline/test-support/built-program';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startChild } from '@trunkline/test-support/start-child';
import { aMessage, anInstance, aWorkspace, NOW } from '@trunkline/storage-contract/examples';
import { connectTo, openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const ACCEPT = await builtProgram(new URL('support/programs/accept.ts', import.meta.url));
/** More records than are kept in memory before the index is written. */
const MANY = 9_000;

async function openConnected() {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path);
  const workspace = aWorkspace();
  const instance = anInstance(workspace);
  await storage.workspaces.insert(workspace);
  await storage.instances.insert(instance, null);
  return { path, storage, workspace, instance };
}

type Accepting = Pick<Storage<DatabaseSync>, 'messages'>;

function use(
  { messages }: Accepting,
  instance: Instance,
  key: string,
  createdAt = NOW,
  transaction?: DatabaseSync,
): Promise<AcceptanceResult> {
  const message = aMessage(instance, { createdAt });
  const idempotency = { key, fingerprint: 'f', messageId: message.id, createdAt };
  return messages.accept({ message, idempotency, backlogLimit: 1e6, trialLimit: null }, transaction);
}

async function useMany(storage: Accepting, instance: Instance, prefix: string): Promise<void> {
  const uses = Array.from({ length: MANY }, (_, index) => use(storage, instance, `${prefix} ${index}`));
  for (const { kind } of await Promise.all(uses)) expect(kind).toBe('accepted');
}

/** Appends records as another process does. Accepting their messages would take a hundred times as long. */
function appendMany(connection: DatabaseSync, workspaceId: string, prefix: string): void {
  connection
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1)
       INSERT INTO idempotency_log (workspace_id, key, fingerprint, message_id, created_at)
       SELECT ?2, format('%s %d', ?3, n), 'f', format('msg_%d', n), ?4 FROM numbers`,
    )
    .run(MANY, workspaceId, prefix, NOW);
}

const INDEX = 'SELECT count(*) AS entries FROM idempotency_index';
const INDEXED = 'SELECT up_to FROM idempotency_indexed';
/**
 * Counts index entries without a record, and records without an entry up to the position where the index is complete.
 */
const FLAWS = `
  SELECT (SELECT count(*) FROM idempotency_index WHERE position NOT IN (SELECT position FROM idempotency_log)) AS dangling,
    (SELECT count(*) FROM idempotency_log
     WHERE position <= (${INDEXED}) AND position NOT IN (SELECT position FROM idempotency_index)) AS missing`;

it('remembers keys that are in the index, in memory, and only in the log', async () => {
  const { path, storage, workspace, instance } = await openConnected();
  const neighbour = await openStorage(path);
  expect(await neighbour.messages.findIdempotencyRecord(workspace.id, 'one 0')).toBeNull();
  await useMany(storage, instance, 'one');
  await eventually(() => expect(connectTo(path).prepare(INDEXED).get()).not.toEqual({ up_to: 0 }));
  await use(storage, instance, 'last');
  const fresh = await openStorage(path);
  for (const one of [storage, neighbour, fresh]) {
    for (const key of ['one 0', 'one 5000', `one ${MANY - 1}`, 'last']) {
      expect((await use(one, instance, key)).kind).toBe('remembered');
    }
    expect(await one.messages.findIdempotencyRecord(workspace.id, 'two 0')).toBeNull();
  }
  // By now, the neighbour has read how far the index goes.
  appendMany(connectTo(path), workspace.id, 'two');
  expect((await use(neighbour, instance, 'two 0')).kind).toBe('remembered');
  await eventually(() => expect(connectTo(path).prepare(FLAWS).get()).toEqual({ dangling: 0, missing: 0 }));
  for (const one of [storage, neighbour, fresh]) {
    for (const key of ['one 0', 'last', 'two 0', `two ${MANY - 1}`]) {
      expect((await use(one, instance, key)).kind).toBe('remembered');
    }
  }
});

it('the idempotency log writes keys to the index that were used only in transactions of the app', async () => {
  const { path, storage, workspace, instance } = await openConnected();
  const app = connectTo(path);
  app.exec('BEGIN IMMEDIATE');
  for (let index = 0; index < 3; index += 1) await use(storage, instance, `last ${index}`, NOW, app);
  appendMany(app, workspace.id, 'one');
  app.exec('COMMIT; BEGIN IMMEDIATE');
  expect((await use(storage, instance, 'one 0', NOW, app)).kind).toBe('remembered');
  app.exec('COMMIT');
  await eventually(() => expect(app.prepare(INDEXED).get()).toEqual({ up_to: MANY + 3 }));
  expect(app.prepare(FLAWS).get()).toEqual({ dangling: 0, missing: 0 });
  app.exec('BEGIN IMMEDIATE');
  expect((await use(storage, instance, `one ${MANY - 1}`, NOW, app)).kind).toBe('remembered');
  app.exec('COMMIT');
});

it('the idempotency log finds a key that another process stored after its own record was rolled back', async () => {
  const { path, storage, workspace, instance } = await openConnected();
  const other = await openStorage(path);
  const app = connectTo(path);
  // The record of the key is written before the trial is counted.
  app.exec(`CREATE TRIGGER no_trial BEFORE UPDATE ON workspaces BEGIN SELECT RAISE(ABORT, 'no trial'); END`);
  const message = aMessage(instance);
  const idempotency = { key: 'rolled back', fingerprint: 'f', messageId: message.id, createdAt: NOW };
  const accepting = storage.messages.accept({ message, idempotency, backlogLimit: 10, trialLimit: 10 });
  await expect(accepting).rejects.toThrow('no trial');
  app.exec('DROP TRIGGER no_trial');

  expect((await use(other, instance, 'stored')).kind).toBe('accepted');
  expect(app.prepare('SELECT position, key FROM idempotency_log').all()).toEqual([
    { position: 1, key: 'stored' },
  ]);
  expect((await use(storage, instance, 'stored')).kind).toBe('remembered');
  expect(await storage.messages.findIdempotencyRecord(workspace.id, 'rolled back')).toBeNull();
});

it('the idempotency log reads nothing that is in the index, however much others have appended', async () => {
  const { path, storage, workspace, instance } = await openConnected();
  const idle = await openStorage(path);
  expect(await idle.messages.findIdempotencyRecord(workspace.id, 'none')).toBeNull();
  appendMany(connectTo(path), workspace.id, 'one');
  await use(storage, instance, 'that finds so many');
  await eventually(() => expect(connectTo(path).prepare(INDEXED).get()).toEqual({ up_to: MANY + 1 }));
  const left = 3;
  for (let index = 0; index < left; index += 1) await use(storage, instance, `left ${index}`);
  const read = countLogRows();
  expect(await idle.messages.findIdempotencyRecord(workspace.id, 'none')).toBeNull();
  expect(read()).toBe(left);
  expect(await idle.messages.findIdempotencyRecord(workspace.id, 'one 0')).not.toBeNull();
  await use(storage, instance, 'last');
  expect(await idle.messages.findIdempotencyRecord(workspace.id, 'last')).not.toBeNull();
  expect(read()).toBe(left + 1);
});

/** From now on, counts the rows that this process reads from the end of the log. */
function countLogRows(): () => number {
  const all = vi.spyOn(StatementSync.prototype, 'all');
  onTestFinished(() => all.mockRestore());
  return () => {
    let rows = 0;
    for (const [call, statement] of all.mock.contexts.entries()) {
      const result: unknown = all.mock.results[call]?.value;
      const isTail =
        statement instanceof StatementSync &&
        statement.sourceSQL.includes('FROM idempotency_log WHERE position >');
      if (isTail && Array.isArray(result)) rows += result.length;
    }
    return rows;
  };
}

it('the idempotency log takes an expired key for a new one, wherever it is remembered', async () => {
  const { path, storage, workspace, instance } = await openConnected();
  const day = 24 * 60 * 60 * 1000;
  await use(storage, instance, 'in the index');
  appendMany(connectTo(path), workspace.id, 'other');
  // The index is written after a lookup that finds this many records in the log.
  expect(await storage.messages.findIdempotencyRecord(workspace.id, 'other 0')).not.toBeNull();
  await eventually(() => expect(connectTo(path).prepare(INDEXED).get()).not.toEqual({ up_to: 0 }));
  await use(storage, instance, 'in memory');
  for (const key of ['in the index', 'in memory']) {
    expect((await use(storage, instance, key, NOW + day - 1)).kind).toBe('remembered');
    expect((await use(storage, instance, key, NOW + day)).kind).toBe('accepted');
    const record = await storage.messages.findIdempotencyRecord(workspace.id, key);
    expect(record).toMatchObject({ createdAt: NOW + day });
  }
  let deleted = 0;
  for (let last = 1; last > 0; deleted += last) {
    last = await storage.retention.deleteIdempotencyRecords(NOW + day, 3_000);
  }
  expect(deleted).toBe(MANY);
  expect(connectTo(path).prepare(FLAWS).get()).toEqual({ dangling: 0, missing: 0 });
  expect(connectTo(path).prepare('SELECT count(*) AS records FROM idempotency_log').get()).toEqual({
    records: 2,
  });
  expect((await use(storage, instance, 'other 1', NOW + day)).kind).toBe('accepted');
  expect((await use(storage, instance, 'in the index', NOW + day)).kind).toBe('remembered');
});

const KILLS = [
  ['in the middle of writing the index', 'INSERT OR IGNORE INTO idempotency_index', '3000'],
  ['before it notes that the index is written', 'UPDATE idempotency_indexed', '1'],
] as const;

it.each(isLongForm ? KILLS : KILLS.slice(0, 1))(
  'a process that is killed %s has forgotten no key',
  async (_, statement, times) => {
    const path = join(temporaryDirectory(), 'test.db');
    const child = startChild(ACCEPT, path, statement, times);
    const workspaceId = must((await child.lines.next()).value);
    const printed: string[] = [];
    for await (const id of child.lines) printed.push(id);
    await child.ended;
    expect(printed.length).toBeGreaterThan(8_000);
    expect(connectTo(path).prepare(INDEXED).get()).toEqual({ up_to: 0 });
    expect(connectTo(path).prepare(INDEX).get()).not.toEqual({ entries: 0 });

    const storage = await openStorage(path);
    const [instance] = await storage.instances.list(workspaceId);
    const uses = await Promise.all(printed.map((key) => use(storage, must(instance), key)));
    for (const [index, result] of uses.entries()) {
      expect(result).toMatchObject({ kind: 'remembered', record: { messageId: printed[index] } });
    }
    await eventually(() => expect(connectTo(path).prepare(INDEXED).get()).not.toEqual({ up_to: 0 }));
    expect(connectTo(path).prepare(FLAWS).get()).toEqual({ dangling: 0, missing: 0 });
  },
);
