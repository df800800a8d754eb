import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '@trunkline/test-postgres/server';
import { until } from '@trunkline/test-support';
import { sized } from '@trunkline/test-support/long-form';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import type { RandomNumber } from '@trunkline/test-support/seeded-test';
import { expectNotifiedOnce, requestsAbout, startHarness, untilNotified } from './support/harness.ts';

/** The number of kills on each storage. If the variable RESTART_RUNS is set, the times are printed. */
const RUNS = sized('RESTART_RUNS', { short: 1, long: 2 });
/** Less than the shortest lease (30 s), and more than a busy machine needs. */
const WITHIN_MS = 25_000;

interface Times {
  /** The time from the kill, which includes the start of the new process. */
  readonly ready: number;
  readonly sent: number;
  /** The time until the webhooks in flight, in both slots, arrive again. */
  readonly reported: number;
}

describe.concurrent('a server that was killed, and is started again immediately', () => {
  it.for(['SQLite', 'PostgreSQL'] as const)(
    `sends, and repeats webhook requests in flight, without waiting for leases, on %s (${RUNS} times)`,
    { timeout: 300_000 + RUNS * 30_000 },
    async (storage, context) => {
      const postgres = storage === 'PostgreSQL' ? await startPostgres() : null;
      try {
        const times = await killAgainAndAgain(
          randomInTest(context),
          postgres ? { DATABASE_URL: postgres.url } : {},
        );
        if (process.env['RESTART_RUNS'] !== undefined) report(storage, times);
        for (const { ready, sent, reported } of times) {
          expect(sent - ready).toBeLessThan(WITHIN_MS);
          expect(reported - ready).toBeLessThan(WITHIN_MS);
        }
      } finally {
        await postgres?.stop();
      }
    },
  );
});

async function killAgainAndAgain(
  random: RandomNumber,
  env: Readonly<Record<string, string>>,
): Promise<readonly Times[]> {
  const { harness, server } = await startHarness(env);
  const { receiver, instance } = harness;
  const times: Times[] = [];
  const ids: string[] = [];
  let running = server;
  for (let run = 1; run <= RUNS; run += 1) {
    // A new endpoint, because many runs together exceed the limit of 120 requests per minute.
    if (run > 1) await harness.replaceWebhook(running);
    receiver.hold('message.sent');
    const held = [await running.client.send({ instance }), await running.client.send({ instance })];
    await until('both slots of the endpoint are held', () => held.every(({ id }) => isCutOff(id)));
    const waiting = await running.client.send({ instance });
    await setTimeout(random(300));
    await running.kill();
    receiver.release();

    const killedAt = performance.now();
    const since = (): number => Math.round(performance.now() - killedAt);
    running = await harness.startNow(env);
    const ready = since();
    const next = await running.client.send({ instance });
    const sent = until('the next message is sent', async () => {
      const { status } = await running.client.message(next.id);
      return status !== 'queued' && since();
    });
    const reported = until('what was cut off has come again', () => held.every(isNotified) && since());
    times.push({ ready, sent: await sent, reported: await reported });
    ids.push(...held.map(({ id }) => id), waiting.id, next.id);
    for (const id of ids.slice(-4)) await untilNotified(harness, running, id);
  }
  expect(await running.stop()).toBe(0);
  for (const id of ids) expectNotifiedOnce(receiver, id);
  expect(new Set(harness.acceptedByNetwork().map(({ networkId }) => networkId)).size).toBe(ids.length);
  return times;

  function isCutOff(id: string): boolean {
    return requestsAbout(receiver, id).some(
      ({ event, responded }) => event.type === 'message.sent' && !responded,
    );
  }

  function isNotified({ id }: { readonly id: string }): boolean {
    return requestsAbout(receiver, id).some(
      ({ event, responded }) => event.type === 'message.sent' && responded,
    );
  }
}

function report(storage: string, times: readonly Times[]): void {
  const figures = (['ready', 'sent', 'reported'] as const).map((what) => {
    const sorted = times.map((one) => one[what]).toSorted((a, b) => a - b);
    return `${what} ${sorted[Math.floor(sorted.length / 2)]} ms in the median, ${sorted.at(-1)} ms at most`;
  });
  console.info(`${storage}, ${times.length} kills, from the kill: ${figures.join('; ')}`);
}
