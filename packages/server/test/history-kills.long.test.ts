import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { InstanceHistoryResource } from '@trunkline/core';
import { startPostgres } from '@trunkline/test-postgres/server';
import { until } from '@trunkline/test-support';
import { sized } from '@trunkline/test-support/long-form';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { startHarness } from './support/harness.ts';
import type { Harness, RunningServer } from './support/harness.ts';

/** The number of kills, by turns while the instance is being disconnected and while it is being connected. */
const KILLS = sized('HISTORY_KILLS', { short: 2, long: 4 });
/** A kill comes within this time, about as long as a request and its effects in the gateway take. */
const KILLED_WITHIN_MS = 120;

describe.concurrent('a server that is killed while an instance is disconnected and connected', () => {
  it.for(['SQLite', 'PostgreSQL'] as const)(
    `leaves a history that agrees with the status, on %s (${KILLS} times)`,
    async (storage, context) => {
      const random = randomInTest(context);
      const postgres = storage === 'PostgreSQL' ? await startPostgres() : null;
      context.onTestFinished(async () => postgres?.stop());
      const env: Readonly<Record<string, string>> = postgres ? { DATABASE_URL: postgres.url } : {};
      const { harness, server } = await startHarness(env);
      let running = server;
      let known: readonly InstanceHistoryResource[] = [];
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const action = await untilAtRest(running, harness);
        const request = ask(running, harness, action).catch(() => null); // null if the server is gone
        await setTimeout(random(KILLED_WITHIN_MS));
        await running.kill();
        const answered = await request;

        const looking = await harness.startNow({ ...env, ROLES: 'api' });
        const history = await historyOf(looking, harness);
        const { status } = await looking.client.instance(harness.instance);
        expect(history.at(-1)?.to).toBe(status);
        expect(breaksIn(history)).toEqual([]);
        // Earlier entries remain, and an answered request has an entry.
        expect(history.slice(0, known.length).map(({ id }) => id)).toEqual(known.map(({ id }) => id));
        const news = history.slice(known.length).map(({ reason }) => reason);
        if (answered !== null) expect(news).toContain(`${action}_requested`);
        known = history;
        await looking.kill();
        running = await harness.startNow(env);
      }
      await untilAtRest(running, harness);
      expect(breaksIn(await historyOf(running, harness))).toEqual([]);
      expect(await running.stop()).toBe(0);
    },
  );
});

type Action = 'connect' | 'disconnect';

/** Waits until the instance is at rest, and returns the next possible action. */
function untilAtRest(server: RunningServer, harness: Harness): Promise<Action> {
  return until('the instance is at rest', async () => {
    const latest = (await historyOf(server, harness)).at(-1);
    if (latest === undefined || latest.next !== null) return false;
    if (latest.reason === 'disconnected') return 'connect';
    return ['paired', 'connected', 'reconnected'].includes(latest.reason) && 'disconnect';
  });
}

async function ask({ client }: RunningServer, { instance }: Harness, action: Action): Promise<number> {
  const { status } = await client.request('POST', `/api/v1/instances/${instance}/${action}`);
  return status;
}

/** Oldest entry first. */
async function historyOf(
  { client }: RunningServer,
  { instance }: Harness,
): Promise<readonly InstanceHistoryResource[]> {
  const { status, body } = await client.request('GET', `/api/v1/instances/${instance}/history?limit=100`);
  expect(status).toBe(200);
  const { data } = body as { readonly data: readonly InstanceHistoryResource[] }; // the specification defines this type
  return data.toReversed();
}

/** Entries that do not begin with the status in which the previous entry ended. */
function breaksIn(history: readonly InstanceHistoryResource[]): readonly InstanceHistoryResource[] {
  return history.filter(({ from }, index) => from !== (history[index - 1]?.to ?? null));
}
