import { StatementSync } from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { elapsing } from '@trunkline/test-support';
import type { Instance, Message, Signal, Storage } from '@trunkline/core/spi/storage';
import type { SqliteStorageOptions } from '../src/index.ts';
import { aMessage, anInstance, aWorkspace, NOW } from '@trunkline/storage-contract/examples';
import { connectTo, openStorage, openWithConnection } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

describe('calls that come together', () => {
  it('share one commit', async () => {
    const { storage, instance } = await fixture();
    goOnWhenRead(0);
    const count = watchCommits();
    await acceptAll(storage, messagesOf(instance, 1200));
    expect(count()).toBe(1);
  });

  it('share a commit only until it has taken 8 ms, with turns of the event loop in between', async () => {
    const { storage, instance } = await fixture();
    // Each operation reads the time once.
    goOnWhenRead(1);
    const count = watchCommits();
    const accepted = acceptAll(storage, messagesOf(instance, 80));
    let turns = 0;
    const countTurns = (): void => {
      turns += 1;
      if (count() < 10) setImmediate(countTurns);
    };
    countTurns();
    await accepted;
    expect(count()).toBe(10);
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it('resolve once another process can read what they wrote', async () => {
    const { storage, instance, path } = await fixture();
    const find = connectTo(path).prepare('SELECT count(*) AS found FROM messages WHERE id = ?');
    const found = messagesOf(instance, 1200).map(async (message) => {
      await accept(storage, message);
      return find.get(message.id)?.['found'];
    });
    expect(new Set(await Promise.all(found))).toEqual(new Set([1]));
  });

  it('resolve, and are written, in the order of the calls', async () => {
    const { storage, instance, path } = await fixture();
    const resolved: string[] = [];
    const messages = messagesOf(instance, 1200);
    await Promise.all(
      messages.map((message) => accept(storage, message).then(() => resolved.push(message.id))),
    );
    const ids = messages.map(({ id }) => id);
    expect(resolved).toEqual(ids);
    const queued = connectTo(path).prepare('SELECT message_id FROM queue ORDER BY position').all();
    expect(queued.map((row) => row['message_id'])).toEqual(ids);
  });

  it('see what those before them did, even if they are of different kinds', async () => {
    const { storage, instance } = await fixture();
    const { workspaceId } = instance;
    const calls = [
      storage.setting('name', 'first'),
      storage.setting('name', 'second'),
      storage.workspaces.update(workspaceId, { name: 'New' }),
      storage.workspaces.update(workspaceId, { suspendedAt: NOW }),
    ] as const;
    const [first, second, , last] = await Promise.all(calls);
    expect([first, second]).toEqual(['first', 'first']);
    expect(last).toMatchObject({ name: 'New', suspendedAt: NOW });
  });
});

describe('acceptances of one commit', () => {
  it('see what is written of their instance between them', async () => {
    const { storage, instance } = await fixture();
    const count = watchCommits();
    const off = { ...instance, desired: 'stopped', status: 'disconnected' } as const;
    const [before, , after] = await Promise.all([
      accept(storage, aMessage(instance)),
      storage.instances.write({ instance: off, event: null, lease: null }),
      accept(storage, aMessage(instance)),
    ]);
    expect([before.kind, after.kind]).toEqual(['accepted', 'instance_not_connected']);
    expect(count()).toBe(1);
  });

  it('are refused once the backlog is full', async () => {
    const { storage, instance } = await fixture();
    const results = await Promise.all(
      messagesOf(instance, 5).map((message) =>
        storage.messages.accept({ message, idempotency: null, backlogLimit: 3, trialLimit: null }),
      ),
    );
    expect(results.map(({ kind }) => kind)).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'backlog_full',
      'backlog_full',
    ]);
  });
});

describe('a call that fails among others', () => {
  it('rejects without the others', async () => {
    const { storage, instance, path } = await fixture();
    const messages = messagesOf(instance, 600);
    const taken = new Set([0, 7, 8, 300, 499, 500, 599]);
    await acceptAll(
      storage,
      messages.filter((_, index) => taken.has(index)),
    );
    const signals = listen(storage);
    const results = await Promise.allSettled(messages.map((message) => accept(storage, message)));
    for (const [index, { status }] of results.entries()) {
      expect(status, `message ${index}`).toBe(taken.has(index) ? 'rejected' : 'fulfilled');
    }
    expect(results[7]).toMatchObject({
      reason: { message: expect.stringContaining('UNIQUE constraint failed') },
    });
    expect(connectTo(path).prepare('SELECT count(*) AS queued FROM queue').get()).toEqual({ queued: 600 });
    expect(signals).toContainEqual({ topic: 'queue', instanceId: instance.id });
  });

  it('leaves nothing, and no signal', async () => {
    const { storage, instance, path } = await fixture();
    const message = aMessage(instance);
    await accept(storage, message);
    const signals = listen(storage);
    const idempotency = { key: 'k', fingerprint: 'f', messageId: message.id, createdAt: NOW };
    const again = storage.messages.accept({ message, idempotency, backlogLimit: 10, trialLimit: 10 });
    await expect(again).rejects.toThrow('UNIQUE constraint failed');
    expect(signals).toEqual([]);
    expect(await storage.messages.findIdempotencyRecord(instance.workspaceId, 'k')).toBeNull();
    expect(connectTo(path).prepare('SELECT count(*) AS queued FROM queue').get()).toEqual({ queued: 1 });
  });
});

describe('when the disk is full', () => {
  it('only confirmed writes are stored, and the storage continues when there is room again', async () => {
    const { storage, instance, path, connection } = await fixture();
    const allowPages = (pages: number) => connection.exec(`PRAGMA max_page_count = ${pages}`);
    allowPages(Number(connection.prepare('PRAGMA page_count').get()?.['page_count']) + 20);
    const messages = messagesOf(instance, 1000);
    const results = await Promise.allSettled(messages.map((message) => accept(storage, message)));
    const rejected = results.filter(({ status }) => status === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.length).toBeLessThan(1000);
    expect(rejected[0]).toMatchObject({
      reason: { message: expect.stringContaining('database or disk is full') },
    });

    const find = connectTo(path).prepare('SELECT count(*) AS found FROM messages WHERE id = ?');
    for (const [index, { id }] of messages.entries()) {
      const expected = results[index]?.status === 'fulfilled' ? 1 : 0;
      expect(find.get(id), id).toEqual({ found: expected });
    }
    allowPages(1e6);
    expect(await accept(storage, aMessage(instance))).toEqual({ kind: 'accepted' });
  });
});

describe('when another process does not release the lock on the file', () => {
  it('all calls of a batch reject after one wait, and the storage continues when the file is free again', async () => {
    const { storage, instance, path } = await fixture({ lockTimeoutMs: elapsing(20) });
    const other = connectTo(path);
    other.exec('BEGIN IMMEDIATE');
    const results = await Promise.allSettled(
      messagesOf(instance, 500).map((message) => accept(storage, message)),
    );
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(results[499]).toMatchObject({
      reason: { message: expect.stringContaining('not ended within 20 ms') },
    });
    expect(await storage.instances.find(instance.workspaceId, instance.id)).toEqual(instance);
    other.exec('ROLLBACK');
    expect(await accept(storage, aMessage(instance))).toEqual({ kind: 'accepted' });
  });
});

describe('closing', () => {
  it('writes earlier calls', async () => {
    const { storage, instance, path } = await fixture();
    const accepted = acceptAll(storage, messagesOf(instance, 1200));
    await storage.close();
    await accepted;
    const again = await openStorage(path);
    const { rows } = await again.messages.list(instance.workspaceId, {}, { from: null, limit: 2000 });
    expect(rows).toHaveLength(1200);
  });
});

interface Fixture {
  readonly storage: Storage;
  readonly instance: Instance;
  readonly path: string;
  readonly connection: DatabaseSync;
}

async function fixture(options: Partial<SqliteStorageOptions> = {}): Promise<Fixture> {
  const path = join(temporaryDirectory(), 'test.db');
  const { storage, connection } = await openWithConnection(path, options);
  const workspace = aWorkspace();
  const instance = anInstance(workspace);
  await storage.workspaces.insert(workspace);
  await storage.instances.insert(instance, null);
  return { storage, instance, path, connection };
}

function messagesOf(instance: Instance, count: number): readonly Message[] {
  return Array.from({ length: count }, () => aMessage(instance));
}

function accept(storage: Storage, message: Message) {
  return storage.messages.accept({ message, idempotency: null, backlogLimit: 10_000, trialLimit: null });
}

async function acceptAll(storage: Storage, messages: readonly Message[]): Promise<void> {
  const results = await Promise.all(messages.map((message) => accept(storage, message)));
  expect(results.every(({ kind }) => kind === 'accepted')).toBe(true);
}

function listen(storage: Storage): readonly Signal[] {
  const signals: Signal[] = [];
  storage.subscribe((signal) => signals.push(signal));
  return signals;
}

/** From now on, the time goes on by this many milliseconds whenever it is read. */
function goOnWhenRead(ms: number): void {
  let now = performance.now();
  const read = vi.spyOn(performance, 'now').mockImplementation(() => (now += ms));
  onTestFinished(() => read.mockRestore());
}

function watchCommits(): () => number {
  const run = vi.spyOn(StatementSync.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  return () =>
    run.mock.contexts.filter(
      (statement) => statement instanceof StatementSync && statement.sourceSQL === 'COMMIT',
    ).length;
}
