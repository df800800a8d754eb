import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { elapsing } from '@trunkline/test-support';
import type { Instance, Message, Signal, Storage } from '@trunkline/core/spi/storage';
import type { SqliteStorageOptions } from '../src/index.ts';
import { aMessage, anInstance, aWorkspace } from '@trunkline/storage-contract/examples';
import { connectTo, openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

describe('a message that is accepted in a transaction of the app’s', () => {
  it.each([
    ['COMMIT', 1],
    ['ROLLBACK', 0],
  ])('exists after %s as often as the rows that the app wrote', async (end, count) => {
    const { storage, instance, app } = await fixture();
    const message = aMessage(instance);
    app.exec('BEGIN IMMEDIATE; INSERT INTO orders (item) VALUES (1)');
    expect(await accept(storage, message, app)).toEqual({ kind: 'accepted' });
    app.exec(end);
    expect(app.prepare('SELECT count(*) AS orders FROM orders').get()).toEqual({ orders: count });
    expect(app.prepare('SELECT count(*) AS messages FROM messages').get()).toEqual({ messages: count });
    expect((await storage.messages.queueHeads([instance.id], message.createdAt)).length).toBe(count);
  });

  it('is announced soon after the commit, and not before', async () => {
    const { storage, instance, app } = await fixture();
    const signals: Signal[] = [];
    const { promise: reported, resolve } = Promise.withResolvers<void>();
    storage.subscribe((signal) => {
      signals.push(signal);
      resolve();
    });
    app.exec('BEGIN IMMEDIATE');
    await accept(storage, aMessage(instance), app);
    await accept(storage, aMessage(instance), app);
    await eventLoopRounds(50);
    expect(signals).toEqual([]);
    app.exec('COMMIT');
    await reported;
    expect(signals).toEqual([{ topic: 'queue', instanceId: instance.id }]);
  });

  it('may be given by a connection with settings of its own, on another name of the file', async () => {
    const { storage, instance, path } = await fixture();
    symlinkSync(path, `${path}-link`);
    const app = new DatabaseSync(`${path}-link`, { readBigInts: true, returnArrays: true });
    onTestFinished(() => app.close());
    app.exec('BEGIN IMMEDIATE');
    const message = aMessage(instance);
    expect(await accept(storage, message, app)).toEqual({ kind: 'accepted' });
    expect(await storage.messages.find(message.workspaceId, message.id, app)).toEqual(message);
    app.exec('COMMIT');
    expect(await storage.messages.find(message.workspaceId, message.id)).toEqual(message);
  });
});

describe('while a transaction of the app’s is open', () => {
  it('the storage’s own writes wait, and the app continues', async () => {
    const { storage, instance, app } = await fixture();
    app.exec('BEGIN IMMEDIATE');
    const messages = Array.from({ length: 600 }, () => aMessage(instance));
    const accepted = Promise.all(messages.map((message) => accept(storage, message)));
    // A blocked event loop would stay blocked until the writes had waited too long and rejected.
    await eventLoopRounds(200);
    expect(await accept(storage, aMessage(instance), app)).toEqual({ kind: 'accepted' });
    app.exec('COMMIT');
    expect((await accepted).every(({ kind }) => kind === 'accepted')).toBe(true);
    const queued = app.prepare('SELECT message_id FROM queue ORDER BY position').all();
    expect(queued.slice(1).map((row) => row['message_id'])).toEqual(messages.map(({ id }) => id));
  });

  it('an acceptance that the app awaits in there rejects, and the transaction can still commit', async () => {
    const { storage, instance, app } = await fixture({ lockTimeoutMs: elapsing(30) });
    app.exec('BEGIN IMMEDIATE');
    const outside = aMessage(instance);
    await expect(accept(storage, outside)).rejects.toThrow(
      'The database is locked: a transaction of another connection has not ended within 30 ms.',
    );
    const inside = aMessage(instance);
    await accept(storage, inside, app);
    app.exec('COMMIT');
    expect(await storage.messages.find(inside.workspaceId, inside.id)).toEqual(inside);
    expect(await storage.messages.find(outside.workspaceId, outside.id)).toBeNull();
    expect(await accept(storage, outside)).toEqual({ kind: 'accepted' });
  });

  it('closing waits for earlier calls', async () => {
    const { storage, instance, app } = await fixture();
    app.exec('BEGIN IMMEDIATE');
    const message = aMessage(instance);
    const accepted = accept(storage, message);
    const closed = storage.close();
    await eventLoopRounds(20);
    app.exec('COMMIT');
    await closed;
    expect(await accepted).toEqual({ kind: 'accepted' });
  });

  it('a transaction that began by reading, and was overtaken, gets an error and has nothing of it', async () => {
    const { storage, instance, app } = await fixture();
    app.exec('BEGIN');
    app.prepare('SELECT count(*) FROM orders').get();
    await accept(storage, aMessage(instance));
    const late = aMessage(instance);
    await expect(accept(storage, late, app)).rejects.toThrow('database is locked');
    app.exec('ROLLBACK');
    expect(await storage.messages.find(late.workspaceId, late.id)).toBeNull();
  });
});

describe('what cannot be used as a transaction', () => {
  const refused: readonly [what: string, why: string, make: (path: string) => unknown][] = [
    ['a connection without one', 'no transaction is open on it: run BEGIN IMMEDIATE first', connectTo],
    ['a closed connection', 'its connection is closed', closed],
    ['a connection in memory', 'it is not a connection to', () => begun(':memory:')],
    ['a connection to another file', 'it is not a connection to', (path) => begun(`${path}-other`)],
    ['another kind of handle', 'it must be a DatabaseSync of node:sqlite', () => ({ exec() {} })],
    ['null', 'it must be a DatabaseSync of node:sqlite', () => null],
  ];

  it.each(refused)('%s', async (_, why, make) => {
    const { storage, instance, path } = await fixture();
    const message = aMessage(instance);
    const handle = make(path) as DatabaseSync; // JavaScript callers may pass anything
    const expected = `sqliteStorage: the transaction cannot be used: ${why}`;
    await expect(accept(storage, message, handle)).rejects.toThrow(expected);
    await expect(storage.messages.find(message.workspaceId, message.id, handle)).rejects.toThrow(expected);
    expect(await storage.messages.find(message.workspaceId, message.id)).toBeNull();
  });

  it('any connection at all, where the storage is in memory', async () => {
    const storage = await openStorage(':memory:');
    const message = aMessage(anInstance(aWorkspace()));
    await expect(accept(storage, message, begun(':memory:'))).rejects.toThrow(TypeError);
  });
});

interface Fixture {
  readonly storage: Storage<DatabaseSync>;
  readonly instance: Instance;
  readonly path: string;
  /** The app's own connection to the file, which also has a table of the app. */
  readonly app: DatabaseSync;
}

async function fixture(options: Partial<SqliteStorageOptions> = {}): Promise<Fixture> {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = await openStorage(path, options);
  const workspace = aWorkspace();
  const instance = anInstance(workspace);
  await storage.workspaces.insert(workspace);
  await storage.instances.insert(instance, null);
  const app = connectTo(path);
  app.exec('CREATE TABLE orders (item INTEGER)');
  return { storage, instance, path, app };
}

function accept(storage: Storage<DatabaseSync>, message: Message, transaction?: DatabaseSync) {
  const acceptance = { message, idempotency: null, backlogLimit: 10_000, trialLimit: null };
  return storage.messages.accept(acceptance, transaction);
}

function begun(path: string): DatabaseSync {
  const connection = connectTo(path);
  connection.exec('BEGIN IMMEDIATE');
  return connection;
}

function closed(path: string): DatabaseSync {
  const connection = new DatabaseSync(path);
  connection.close();
  return connection;
}

async function eventLoopRounds(count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
