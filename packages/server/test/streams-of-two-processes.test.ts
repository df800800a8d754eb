import { describe, expect, it } from 'vitest';
import { createClient } from '@trunkline/http/client';
import { readEvent } from '@trunkline/receiver';
import type { WebhookEvent } from '@trunkline/receiver';
import { newDatabase } from '@trunkline/test-postgres';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { startHarness } from './support/harness.ts';
import type { Harness, RunningServer } from './support/harness.ts';
import { API_KEY } from './support/test-client.ts';

/**
 * Other processes poll every second, so this is more than a busy machine needs, but less than the time between
 * heartbeats.
 */
const WITHIN_MS = 10_000;
const KILLS = 2;
const PER_KILL = 20;

describe('Two processes on one PostgreSQL', () => {
  it('each show in their streams what happens in the other, about a second later', async () => {
    const { env, harness, server: writer } = await startOnPostgres();
    const other = await harness.startNow(env);
    const follower = await follow(other);
    for (let count = 1; count <= 5; count += 1) {
      const { id } = await writer.client.send({ instance: harness.instance });
      const sent = await until('the other one shows that it is sent', () =>
        follower.found('message.sent', id),
      );
      expect(sent.arrivedAt - Date.parse(sent.event.created_at)).toBeLessThan(WITHIN_MS);
      await until('and that it is read', () => follower.found('message.read', id));
    }
    await follower.stop();
    expect(await Promise.all([writer.stop(), other.stop()])).toEqual([0, 0]);
  });

  it.runIf(isLongForm)(
    `miss nothing in a stream that is continued at the other when its process is killed (${KILLS} times)`,
    async () => {
      const { env, harness, server } = await startOnPostgres();
      const other = await harness.startNow(env);
      let writer = server;
      const received = new Set<string>();
      const accepted: string[] = [];
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const first = await follow(writer);
        const ids = await Promise.all(
          Array.from(
            { length: PER_KILL },
            async () => (await other.client.send({ instance: harness.instance })).id,
          ),
        );
        await until('some of it has happened', () => first.ids().size >= 5);
        await writer.kill();
        await first.ended;
        const before = first.ids().size;
        // The stream must still lack events at the kill, or it could not miss any.
        expect(before).toBeLessThan(PER_KILL * 3);

        writer = await harness.startNow(env);
        expect(writer.stdout()).not.toContain('without the role gateway');
        // Gives the resumed stream many events to catch up on.
        await until('all is read', async () => {
          const messages = await Promise.all(ids.map((id) => other.client.message(id)));
          return messages.every(({ status }) => status === 'read');
        });
        const second = await follow(other, first.last());
        for (const id of ids)
          await until(
            'the stream shows that it is read',
            () => (first.found('message.read', id) ?? second.found('message.read', id)) !== undefined,
          );
        await second.stop();
        for (const id of [...first.ids(), ...second.ids()]) received.add(id);
        accepted.push(...ids);
      }
      const stored = await storedEvents(other, harness);
      expect(stored.length).toBe(accepted.length * 3);
      expect(stored.filter(({ id }) => !received.has(id))).toEqual([]);
      expect(await Promise.all([writer.stop(), other.stop()])).toEqual([0, 0]);
    },
  );
});

async function startOnPostgres(): Promise<{
  readonly env: Readonly<Record<string, string>>;
  readonly harness: Harness;
  readonly server: RunningServer;
}> {
  const env = { DATABASE_URL: (await newDatabase()).url };
  return { env, ...(await startHarness(env)) };
}

interface Arrival {
  readonly event: WebhookEvent;
  /** Epoch milliseconds. */
  readonly arrivedAt: number;
}

interface Follower {
  ids(): ReadonlySet<string>;
  /** The id after which the next stream continues. */
  last(): string | undefined;
  found(type: string, messageId: string): Arrival | undefined;
  /** Resolves when the stream has ended, in any way. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

async function follow({ url }: RunningServer, after?: string): Promise<Follower> {
  const controller = new AbortController();
  const { signal } = controller;
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey: API_KEY });
  const reply = await client.events.stream({ last_event_id: after }, { signal });
  if (!reply.ok) throw new Error(`There is no stream: ${reply.error.message}`);
  const arrivals = new Map<string, Arrival>();
  let last = after;
  const read = async (): Promise<void> => {
    for await (const { id, event } of reply.data) {
      const known = event && readEvent(event.body);
      if (known?.ok) arrivals.set(id, { event: known.event, arrivedAt: Date.now() });
      last = id;
    }
  };
  const ended = read().catch(() => undefined); // its server was killed, or the test stopped it
  return {
    ids: () => new Set(arrivals.keys()),
    last: () => last,
    found: (type, messageId) =>
      [...arrivals.values()].find(
        ({ event }) => event.type === type && 'message' in event.data && event.data.message.id === messageId,
      ),
    ended,
    async stop() {
      controller.abort();
      await ended;
    },
  };
}

async function storedEvents({ url }: RunningServer, { instance }: Harness): Promise<readonly WebhookEvent[]> {
  const client = createClient({ baseUrl: `${url}/api/v1`, apiKey: API_KEY });
  const stored: WebhookEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.instances.events(instance, { limit: 100, cursor });
    if (!page.ok) throw new Error(page.error.message);
    stored.push(...page.data.filter(({ type }) => type.startsWith('message.')));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return stored;
}
