import { describe, expect, it } from 'vitest';
import type { MessageResource } from '@trunkline/core';
import { newDatabase } from '@trunkline/test-postgres';
import { until } from '@trunkline/test-support';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { startHarness } from './support/harness.ts';
import type { RunningServer } from './support/harness.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Longer than the servers of a test take to start, however busy the machine is. */
const MARGIN = 10 * MINUTE;
const KEYS = sized('IDEMPOTENCY_KEYS', { short: 10, long: 30 });
const ROUNDS = 3;
const STORAGES = ['SQLite', 'PostgreSQL'] as const;

describe('an idempotency key', () => {
  it.for(isLongForm ? STORAGES : STORAGES.slice(1))(
    'makes one message on two servers concurrently, one of which has just started, on %s',
    async (storage) => {
      const env = await databaseFor(storage);
      const { harness, server: first } = await startHarness(env);
      const use = (server: RunningServer, key: string) => send(server, harness.instance, key);
      const before = await use(first, 'before');
      expect(before.status).toBe(202);

      const second = await harness.startNow(env);
      const uses = Array.from({ length: KEYS }, (_, index) =>
        Promise.all([use(first, `key-${index}`), use(second, `key-${index}`)]),
      );
      for (const both of await Promise.all(uses)) {
        expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 202]));
        expect(new Set(both.map(({ id }) => id)).size).toBe(1);
      }
      expect(await use(second, 'before')).toEqual({ status: 200, id: before.id });
      for (const [after, server, other] of [
        ['after', first, second],
        ['last', second, first],
      ] as const) {
        const { id } = await use(server, after);
        expect(await use(other, after)).toEqual({ status: 200, id });
      }

      await until('all are sent', async () => {
        const { body } = await second.client.request('GET', '/api/v1/messages?status=queued');
        return (body as { data: readonly unknown[] }).data.length === 0; // the specification defines this type
      });
      expect([await first.stop(), await second.stop()]).toEqual([0, 0]);
      expect(harness.acceptedByNetwork()).toHaveLength(KEYS + 3);
    },
  );

  it.runIf(isLongForm).for(STORAGES)(
    'is remembered by each server after the one before was killed right after its response, on %s',
    async (storage) => {
      const env = await databaseFor(storage);
      const { harness, server } = await startHarness(env);
      const ids = new Map<string, string>();
      let running = server;
      for (let round = 1; round <= ROUNDS; round += 1) {
        const key = `order-${round}`;
        const { status, id } = await send(running, harness.instance, key);
        expect(status).toBe(202);
        ids.set(key, id);
        await running.kill();
        running = await harness.startLater(env);
        for (const [former, expected] of ids) {
          expect(await send(running, harness.instance, former)).toEqual({ status: 200, id: expected });
        }
      }
      expect(await running.stop()).toBe(0);
    },
  );

  // On PostgreSQL, the database's clock decides, which a test cannot set, so the storage contract tests this case.
  it.runIf(isLongForm)('lasts for 24 hours, across kills of servers, on SQLite', async () => {
    const { harness, server } = await startHarness();
    const { instance } = harness;
    const first = await send(server, instance, 'order-1');
    await server.kill();
    const dayAfter = await harness.startAt(DAY - MARGIN);
    expect(await send(dayAfter, instance, 'order-1')).toEqual({ status: 200, id: first.id });
    await dayAfter.kill();

    const next = await harness.startAt(DAY);
    const second = await send(next, instance, 'order-1');
    expect(second).toEqual({ status: 202, id: expect.not.stringMatching(first.id) });
    await next.kill();
    const last = await harness.startAt(2 * DAY - MARGIN);
    expect(await send(last, instance, 'order-1')).toEqual({ status: 200, id: second.id });
    expect(await last.stop()).toBe(0);
  });
});

async function databaseFor(storage: (typeof STORAGES)[number]): Promise<Readonly<Record<string, string>>> {
  if (storage === 'SQLite') return {};
  return { DATABASE_URL: (await newDatabase()).url };
}

/** Right after a start, waits until the instance is connected again. */
function send(
  { client }: RunningServer,
  instance: string,
  key: string,
): Promise<{ readonly status: number; readonly id: string }> {
  return until('the message is accepted', async () => {
    const { status, body } = await client.request('POST', '/api/v1/messages', {
      body: { instance, to: '15550100', type: 'text', text: 'Hello' },
      headers: { 'Idempotency-Key': key },
    });
    if (status === 409) return false;
    expect([200, 202]).toContain(status);
    return { status, id: (body as { data: MessageResource }).data.id }; // the specification defines this type
  });
}
