import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { elapsing } from '@trunkline/test-support';
import { createTrunkline } from '@trunkline/core';
import type { Gateway, Storage, WorkspaceApi } from '@trunkline/core';
import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import { createSandbox } from '@trunkline/core/sandbox';
import { testRuntime } from '@trunkline/core/testing';
import { sqliteStorage } from '../src/index.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const PNG = Uint8Array.of(
  0x89,
  0x50,
  0x4e,
  0x47,
  0x0d,
  0x0a,
  0x1a,
  0x0a,
  0,
  0,
  0,
  13,
  0x49,
  0x48,
  0x44,
  0x52,
);

describe('an order and its message', () => {
  it('become visible together, and the message is sent, once the app commits', async () => {
    const { app, api, text, arrived, sent } = await fixture();
    app.exec('BEGIN IMMEDIATE');
    app.exec("INSERT INTO orders (id) VALUES ('order-1')");
    const { message } = await api.messages.send(text, { transaction: app });
    await expect(api.messages.get(message.id)).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
    app.exec('COMMIT');
    await arrived(1);
    expect(sent).toMatchObject([{ content: { text: 'Your order is on its way' } }]);
    expect(app.prepare('SELECT id FROM orders').all()).toEqual([{ id: 'order-1' }]);
  });

  it('are neither of them there when the app rolls back, and the key is free', async () => {
    const { app, api, text, arrived, sent } = await fixture();
    app.exec('BEGIN IMMEDIATE');
    app.exec("INSERT INTO orders (id) VALUES ('order-1')");
    const undone = await api.messages.send(text, { transaction: app, idempotencyKey: 'order-1' });
    app.exec('ROLLBACK');
    const again = await api.messages.send(text, { idempotencyKey: 'order-1' });
    expect(again.replayed).toBe(false);
    await arrived(1);
    expect(sent).toHaveLength(1);
    expect((await api.messages.list()).data.map(({ id }) => id)).toEqual([again.message.id]);
    expect(again.message.id).not.toBe(undone.message.id);
    expect(app.prepare('SELECT id FROM orders').all()).toEqual([]);
  });
});

describe('a key that is used twice', () => {
  it('makes the second message of one transaction a replay', async () => {
    const { app, api, text } = await fixture();
    const options = { transaction: app, idempotencyKey: 'order-1' };
    app.exec('BEGIN IMMEDIATE');
    const { message } = await api.messages.send(text, options);
    expect(await api.messages.send(text, options)).toEqual({ message, replayed: true });
    await expect(api.messages.send({ ...text, text: 'Other' }, options)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    app.exec('COMMIT');
    expect(await api.messages.send(text, { idempotencyKey: 'order-1' })).toMatchObject({
      message: { id: message.id },
      replayed: true,
    });
  });

  it('before it and in it is a replay', async () => {
    const { app, api, text } = await fixture();
    const { message } = await api.messages.send(text, { idempotencyKey: 'order-1' });
    app.exec('BEGIN IMMEDIATE');
    const again = await api.messages.send(text, { transaction: app, idempotencyKey: 'order-1' });
    expect(again).toMatchObject({ message: { id: message.id }, replayed: true });
    app.exec('COMMIT');
  });
});

it('a refused message leaves nothing in the transaction', async () => {
  const { app, api, text } = await fixture();
  app.exec('BEGIN IMMEDIATE');
  app.exec("INSERT INTO orders (id) VALUES ('order-1')");
  const wrong = { ...text, to: 'nobody' };
  await expect(api.messages.send(wrong, { transaction: app })).rejects.toMatchObject({
    code: 'INVALID_RECIPIENT',
  });
  const elsewhere = { ...text, instance: 'ins_1' };
  await expect(api.messages.send(elsewhere, { transaction: app })).rejects.toMatchObject({
    code: 'INSTANCE_NOT_FOUND',
  });
  app.exec('COMMIT');
  expect((await api.messages.list()).data).toEqual([]);
  expect(app.prepare('SELECT id FROM orders').all()).toEqual([{ id: 'order-1' }]);
});

describe('a file', () => {
  it('is sent in the transaction if it was uploaded before', async () => {
    const { app, api, text, arrived, sent } = await fixture();
    const file = await api.messages.upload(new Blob([PNG]).stream());
    app.exec('BEGIN IMMEDIATE');
    const { instance, to } = text;
    await api.messages.send({ instance, to, type: 'image', file }, { transaction: app });
    app.exec('COMMIT');
    await arrived(1);
    expect(sent).toMatchObject([{ content: { type: 'image', file: { size: PNG.length } } }]);
  });

  it('is there to be sent again when the app rolls back, but not to be discarded', async () => {
    const { app, api, text, arrived, sent } = await fixture();
    const file = await api.messages.upload(new Blob([PNG]).stream());
    const { instance, to } = text;
    const image = { instance, to, type: 'image', file } as const;
    app.exec('BEGIN IMMEDIATE');
    await expect(api.messages.send({ ...image, to: '1' }, { transaction: app })).rejects.toThrow();
    await api.messages.send(image, { transaction: app });
    app.exec('ROLLBACK; BEGIN IMMEDIATE');
    const { message } = await api.messages.send(image, { transaction: app });
    app.exec('COMMIT');
    await file.discard();
    await arrived(1);
    expect(sent).toMatchObject([{ content: { type: 'image', file: { size: PNG.length } } }]);

    // The file belongs to that message now.
    await expect(api.messages.send(image)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    app.exec('BEGIN IMMEDIATE');
    await expect(api.messages.send(image, { transaction: app })).rejects.toThrow(
      'belongs to another message',
    );
    app.exec('COMMIT');
    expect((await api.messages.list()).data).toMatchObject([{ id: message.id, media: { available: true } }]);
  });

  it('is refused if it would have to be stored within the transaction, and may be sent without one', async () => {
    const { app, api, text } = await fixture();
    app.exec('BEGIN IMMEDIATE');
    const { instance, to } = text;
    const image = { instance, to, type: 'image', file: new Blob([PNG]) } as const;
    await expect(api.messages.send(image, { transaction: app })).rejects.toThrow(
      new TypeError(
        'send: with a transaction, a file has to be uploaded (messages.upload) before it begins.',
      ),
    );
    app.exec('ROLLBACK');
    expect(await api.messages.send(image)).toMatchObject({ replayed: false });
  });
});

it('a service whose storage has no type of transaction takes none', async () => {
  const { gateway } = createSandbox();
  const storage: Storage = sqliteStorage({ path: ':memory:' });
  const trunkline = createTrunkline({
    ...testRuntime(),
    storage,
    gateways: [gateway],
    secretKey: 'k'.repeat(32),
  });
  await trunkline.start();
  onTestFinished(() => trunkline.stop());
  const { id } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const transaction = new DatabaseSync(':memory:');
  const input = { instance: 'ins_1', to: '34600000009', type: 'text', text: 'Hello' } as const;
  // @ts-expect-error: the type of its storage is that of one without transactions.
  const sent = trunkline.workspace(id).messages.send(input, { transaction });
  await expect(sent).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
});

interface Fixture {
  readonly app: DatabaseSync;
  readonly api: WorkspaceApi<DatabaseSync>;
  readonly text: {
    readonly instance: string;
    readonly to: string;
    readonly type: 'text';
    readonly text: string;
  };
  readonly sent: readonly OutgoingMessage[];
  /** Resolves when this many messages have arrived. Trunkline's timers never fire in these tests. */
  arrived(count: number): Promise<void>;
}

async function fixture(): Promise<Fixture> {
  const path = join(temporaryDirectory(), 'test.db');
  const sandbox = createSandbox();
  const { gateway, sent, arrived } = watched(sandbox.gateway);
  const { clock, ...runtime } = testRuntime();
  const storage = sqliteStorage({ path, lockTimeoutMs: elapsing(50) });
  const trunkline = createTrunkline({
    ...runtime,
    clock,
    storage,
    gateways: [gateway],
    secretKey: 'k'.repeat(32),
  });
  await trunkline.start();
  const { id } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const api = trunkline.workspace(id);
  const instance = await api.instances.create();
  await api.instances.connect(instance.id);
  await clock.advance(25);
  await sandbox.phone(instance.id).scan();
  while ((await api.instances.get(instance.id)).status !== 'connected') await clock.settle();
  const app = new DatabaseSync(path);
  app.exec('CREATE TABLE orders (id TEXT)');
  onTestFinished(async () => {
    if (app.isTransaction) app.exec('ROLLBACK');
    app.close();
    await trunkline.stop();
  });
  const text = {
    instance: instance.id,
    to: '34600000001',
    type: 'text',
    text: 'Your order is on its way',
  } as const;
  return { app, api, text, sent, arrived };
}

function watched(gateway: Gateway) {
  const sent: OutgoingMessage[] = [];
  let look = (): void => {};
  const watchedGateway: Gateway = {
    network: gateway.network,
    title: gateway.title,
    linking: gateway.linking,
    capabilities: gateway.capabilities,
    attach: (context) => gateway.attach(context),
    newMessageId: (random) => gateway.newMessageId(random),
    unlink: (session) => gateway.unlink(session),
    async open(session, listener) {
      const connection = await gateway.open(session, listener);
      return {
        async send(message) {
          sent.push(message);
          look();
          return { kind: 'accepted' };
        },
        close: () => connection.close(),
        logout: () => connection.logout(),
      };
    },
  };
  const arrived = (count: number): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (sent.length >= count) resolve();
      };
      look();
    });
  return { gateway: watchedGateway, sent, arrived };
}
