import { describe, expect, it, onTestFinished } from 'vitest';
import type {
  Acceptance,
  AcceptanceResult,
  Instance,
  Lease,
  Message,
  Signal,
  Storage,
} from '@trunkline/core/spi/storage';
import { idToUuid } from '@trunkline/core/spi/storage';
import { sending } from '@trunkline/storage-contract/fixtures';
import { aMessage, anIdempotencyRecord, anInstance } from '@trunkline/storage-contract/examples';
import { must } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { keptSchemas, openStorage, storeInstance } from './support/open-storage.ts';
import type { TestSchema } from './support/test-schema.ts';

const keptSchema = keptSchemas();

describe('acceptances that come together', () => {
  it('share commits of 500 at most', async () => {
    const { storage, schema, instance } = await fixture();
    const before = await commitsIn(schema);
    await acceptAll(storage, messagesOf(instance, 1200));
    // Each stored row has the id of the transaction that stored it.
    expect((await commitsIn(schema)) - before).toBe(3);
  });

  it('resolve once another connection can read what they wrote', async () => {
    const { storage, schema, instance } = await fixture();
    const sql = `SELECT count(*)::integer AS found FROM ${schema.name}.messages WHERE network_id = $1`;
    const found = messagesOf(instance, 300).map(async (message) => {
      await accept(storage, message);
      return (await schema.pool.query<{ found: number }>(sql, [message.networkId])).rows[0]?.found;
    });
    expect(new Set(await Promise.all(found))).toEqual(new Set([1]));
  });

  it('keep their order on each instance, whatever they are checked for', async () => {
    const { storage, schema, instance } = await fixture();
    const others = [anInstance({ ...must(await workspaceOf(storage, instance)) }), instance];
    await storage.instances.insert(must(others[0]), null);
    const calls: Promise<unknown>[] = [];
    const messages: Message[] = [];
    // Sends in bursts, so that some messages come while others are in flight. Every third message takes several
    // statements.
    for (let burst = 0; burst < 20; burst += 1) {
      for (let index = 0; index < 60; index += 1) {
        const message = aMessage(must(others[index % 2]));
        messages.push(message);
        calls.push(storage.messages.accept(of(message, { trialLimit: index % 3 === 0 ? 1e6 : null })));
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(calls);
    for (const { id } of others) {
      const expected = messages
        .filter(({ instanceId }) => instanceId === id)
        .map(({ networkId }) => networkId);
      expect(await queueOf(schema, expected)).toEqual(expected);
    }
  });

  it.runIf(isLongForm)('count a backlog to the message', async () => {
    const { storage, instance } = await fixture();
    const results = await Promise.all(
      messagesOf(instance, 700).map((message) => storage.messages.accept(of(message, { backlogLimit: 610 }))),
    );
    expect(results.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 610 }, () => 'accepted'),
      ...Array.from({ length: 90 }, () => 'backlog_full'),
    ]);
  });

  it('are all stored if they are of several processes for the same instances, in order and up to each limit', async () => {
    const { storage, schema, instance } = await fixture();
    const workspace = must(await workspaceOf(storage, instance));
    const instances = Array.from({ length: 5 }, () => anInstance(workspace));
    for (const one of instances) await storage.instances.insert(one, null);
    const processes = [storage, await openStorage(schema), await openStorage(schema)];
    const sent = processes.map((process) => ({ process, messages: [] as Message[] }));
    const calls: Promise<AcceptanceResult>[] = [];
    // Sends in bursts, so that processes find queues that another process has just locked.
    for (let burst = 0; burst < 10; burst += 1) {
      for (const { process, messages } of sent) {
        for (const one of instances) {
          const message = aMessage(one);
          messages.push(message);
          calls.push(process.messages.accept(of(message, { backlogLimit: 20 })));
        }
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    const results = await Promise.all(calls);
    const accepted = results.filter(({ kind }) => kind === 'accepted');
    const refused = results.filter(({ kind }) => kind === 'backlog_full');
    expect([accepted.length, refused.length]).toEqual([5 * 20, 5 * 10]);
    for (const { messages } of sent) {
      for (const { id } of instances) {
        const own = messages.filter(({ instanceId }) => instanceId === id).map(({ networkId }) => networkId);
        const queued = await queueOf(schema, own);
        expect(queued).toEqual(own.slice(0, queued.length));
      }
    }
  });

  it.runIf(isLongForm)('count a trial to the message, over several instances', async () => {
    const { storage, instance } = await fixture();
    const workspace = must(await workspaceOf(storage, instance));
    const second = anInstance(workspace);
    await storage.instances.insert(second, null);
    const messages = [...messagesOf(instance, 40), ...messagesOf(second, 40)];
    const results = await Promise.all(
      messages.map((message) => storage.messages.accept(of(message, { trialLimit: 50 }))),
    );
    expect(accepted(results)).toHaveLength(50);
    expect(await storage.workspaces.find(workspace.id)).toHaveProperty('trialMessagesUsed', 50);
  });

  it.runIf(isLongForm)(
    'become one message if they have one key, over several instances and processes',
    async () => {
      const { storage, schema, instance } = await fixture();
      const workspace = must(await workspaceOf(storage, instance));
      const second = anInstance(workspace);
      await storage.instances.insert(second, null);
      const storages = [storage, await openStorage(schema)];
      const results = await Promise.all(
        Array.from({ length: 60 }, (_, index) => {
          const message = aMessage(index % 3 === 0 ? instance : second);
          const idempotency = anIdempotencyRecord(message, { key: `key ${index % 2}` });
          return must(storages[index % storages.length]).messages.accept(of(message, { idempotency }));
        }),
      );
      expect(accepted(results)).toHaveLength(2);
      const remembered = results.flatMap((result) =>
        result.kind === 'remembered' ? [result.record.messageId] : [],
      );
      expect(new Set(remembered).size).toBe(2);
    },
  );
});

describe('an acceptance that fails among others', () => {
  it('rejects without the others, and leaves nothing', async () => {
    const { storage, schema, instance } = await fixture();
    const messages = messagesOf(instance, 600);
    const taken = new Set([0, 7, 8, 300, 499, 500, 599]);
    await acceptAll(
      storage,
      messages.filter((_, index) => taken.has(index)),
    );
    const signals: Signal[] = [];
    storage.subscribe((signal) => signals.push(signal));
    const results = await Promise.allSettled(
      messages.map((message) =>
        storage.messages.accept(
          of(message, { idempotency: anIdempotencyRecord(message, { key: message.id }) }),
        ),
      ),
    );
    for (const [index, { status }] of results.entries()) {
      expect(status, `message ${index}`).toBe(taken.has(index) ? 'rejected' : 'fulfilled');
    }
    expect(await countOf(schema, 'queued_messages')).toBe(600);
    expect(await countOf(schema, 'idempotency_records')).toBe(593);
    const { rows } = await schema.pool.query(`SELECT length, next_position FROM ${schema.name}.queues`);
    expect(rows).toEqual([{ length: '600', next_position: '600' }]);
    expect(signals).toContainEqual({ topic: 'queue', instanceId: instance.id });
  });

  it.each<[what: string, changes: Partial<Message>]>([
    ['an id of the wrong form', { id: 'msg_1' }],
    ['a time that no column holds', { createdAt: 1e300 }],
    ['a group id of the wrong form', { groupId: 'grp_1' }],
    [
      'media that nobody noted',
      { media: { available: true, mimeType: 'a/b', size: 1, filename: 'a', sha256: null } },
    ],
  ])('for %s harms nobody', async (_, changes) => {
    const { storage, instance } = await fixture();
    const before = aMessage(instance);
    const after = aMessage(instance);
    const results = await Promise.allSettled([
      accept(storage, before),
      accept(storage, aMessage(instance, changes)),
      accept(storage, after),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('changes of messages that come together', () => {
  it('share commits of 100 at most', async () => {
    const { storage, schema, heads } = await manyInstances(250);
    const results = await Promise.all(
      heads.map(({ lease, message }) => storage.messages.change(lease, sending(message))),
    );
    expect(new Set(results)).toEqual(new Set(['changed']));
    expect(await commitsIn(schema)).toBe(3);
    expect(await countOf(schema, 'queued_messages')).toBe(0);
  });

  it('do not wait for one whose queue another transaction has locked', async () => {
    const { storage, schema, heads } = await manyInstances(20);
    const [first, ...others] = heads;
    const { lease, message } = must(first);
    const app = await schema.pool.connect();
    onTestFinished(() => app.release(true));
    await app.query('BEGIN');
    const queue = `SELECT 1 FROM ${schema.name}.queues WHERE instance_id = $1 FOR UPDATE`;
    await app.query(queue, [idToUuid('ins', message.instanceId)]);
    let isLockedOut = true;
    const locked = storage.messages.change(lease, sending(message)).finally(() => (isLockedOut = false));
    const results = await Promise.all(
      others.map((other) => storage.messages.change(other.lease, sending(other.message))),
    );
    expect(new Set(results)).toEqual(new Set(['changed']));
    expect(isLockedOut).toBe(true);
    await app.query('COMMIT');
    expect(await locked).toBe('changed');
  });

  it('succeed without the one that has a value that no column holds', async () => {
    const { storage, heads } = await manyInstances(3);
    const results = await Promise.allSettled(
      heads.map(({ lease, message }, index) => {
        const change = sending(message);
        const sentAt = index === 1 ? 1e300 : change.message.sentAt;
        return storage.messages.change(lease, { ...change, message: { ...change.message, sentAt } });
      }),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('writes of instances that come together', () => {
  const restored = (instance: Instance): Instance => ({ ...instance, lastError: 'restored' });

  async function held(count: number) {
    const { storage, schema, heads } = await manyInstances(count);
    const claimed = await storage.instances.list(must(heads[0]).message.workspaceId);
    const writes = claimed.map((instance) => {
      const { lease } = must(heads.find((head) => head.lease.instanceId === instance.id));
      return { instance: restored(instance), event: null, lease };
    });
    return { storage, schema, writes };
  }

  it('share commits of 200 at most', async () => {
    const { storage, schema, writes } = await held(450);
    const results = await Promise.all(writes.map((write) => storage.instances.write(write)));
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['written']));
    expect(await commitsIn(schema, 'instances')).toBe(3);
  });

  it.runIf(isLongForm)('do not wait for one whose instance another transaction has locked', async () => {
    const { storage, schema, writes } = await held(20);
    const [first, ...others] = writes;
    const app = await schema.pool.connect();
    onTestFinished(() => app.release(true));
    await app.query('BEGIN');
    const lock = `SELECT 1 FROM ${schema.name}.instances WHERE id = $1 FOR UPDATE`;
    await app.query(lock, [idToUuid('ins', must(first).instance.id)]);
    let isLockedOut = true;
    const locked = storage.instances.write(must(first)).finally(() => (isLockedOut = false));
    const results = await Promise.all(others.map((write) => storage.instances.write(write)));
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['written']));
    expect(isLockedOut).toBe(true);
    await app.query('COMMIT');
    expect(await locked).toHaveProperty('kind', 'written');
  });

  it('succeed without the one that has a value that no column holds', async () => {
    const { storage, writes } = await held(3);
    const results = await Promise.allSettled(
      writes.map((write, index) => {
        const { instance } = write;
        const updatedAt = index === 1 ? 1e300 : instance.updatedAt;
        return storage.instances.write({ ...write, instance: { ...instance, updatedAt } });
      }),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

it('closing waits for acceptances that were called before', async () => {
  const { storage, schema, instance } = await fixture();
  const calls = acceptAll(storage, messagesOf(instance, 1200));
  await storage.close();
  await calls;
  expect(await countOf(schema, 'messages')).toBe(1200);
});

interface Fixture {
  readonly storage: Storage;
  readonly schema: TestSchema;
  readonly instance: Instance;
}

async function fixture(): Promise<Fixture> {
  const schema = await keptSchema();
  const storage = await openStorage(schema);
  return { storage, schema, instance: (await storeInstance(storage)).instance };
}

interface Head {
  readonly lease: Lease;
  readonly message: Message;
}

async function manyInstances(
  count: number,
): Promise<Pick<Fixture, 'storage' | 'schema'> & { readonly heads: readonly Head[] }> {
  const { storage, schema, instance } = await fixture();
  const workspace = must(await workspaceOf(storage, instance));
  const instances = [instance, ...Array.from({ length: count - 1 }, () => anInstance(workspace))];
  await Promise.all(instances.slice(1).map((other) => storage.instances.insert(other, null)));
  const claim = { owner: 'a', now: instance.createdAt, networks: ['sandbox'], ttlMs: 30_000, limit: count };
  const heads = (await storage.leases.claim(claim)).map((leased) => ({
    lease: leased.lease,
    message: aMessage(leased.instance),
  }));
  await acceptAll(
    storage,
    heads.map(({ message }) => message),
  );
  return { storage, schema, heads };
}

function messagesOf(instance: Instance, count: number): readonly Message[] {
  return Array.from({ length: count }, () => aMessage(instance));
}

function of(message: Message, changes: Partial<Acceptance> = {}): Acceptance {
  return { message, idempotency: null, backlogLimit: 10_000, trialLimit: null, ...changes };
}

function accept(storage: Storage, message: Message): Promise<AcceptanceResult> {
  return storage.messages.accept(of(message));
}

async function acceptAll(storage: Storage, messages: readonly Message[]): Promise<void> {
  const results = await Promise.all(messages.map((message) => accept(storage, message)));
  expect(accepted(results)).toHaveLength(messages.length);
}

function accepted(results: readonly AcceptanceResult[]): readonly AcceptanceResult[] {
  return results.filter(({ kind }) => kind === 'accepted');
}

function workspaceOf(storage: Storage, { workspaceId }: Instance) {
  return storage.workspaces.find(workspaceId);
}

async function countOf({ pool, name }: TestSchema, table: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::integer FROM ${name}.${table}`);
  return must(rows[0]).count;
}

/** The number of transactions that stored the rows of this table. */
async function commitsIn({ pool, name }: TestSchema, table = 'messages'): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(DISTINCT xmin::text)::integer AS count FROM ${name}.${table}`,
  );
  return must(rows[0]).count;
}

async function queueOf(
  { pool, name }: TestSchema,
  networkIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ network_id: string }>(
    `SELECT network_id FROM ${name}.queued_messages JOIN ${name}.messages ON id = message_id
     WHERE network_id = ANY ($1) ORDER BY position`,
    [networkIds],
  );
  return rows.map(({ network_id: networkId }) => networkId);
}
