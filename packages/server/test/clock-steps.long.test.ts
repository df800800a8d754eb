import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '@trunkline/test-postgres/server';
import { until } from '@trunkline/test-support';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { requestsAbout, startHarness } from './support/harness.ts';
import type { RunningServer, Harness } from './support/harness.ts';

/** The number of rounds on each storage. If the variable CLOCK_STEP_RUNS is set, the longest times are printed. */
const RUNS = sized('CLOCK_STEP_RUNS', { short: 1, long: 1 });
const HOUR = 3_600_000;
/** How far ahead of real time the clock is set, at each step while a server runs and at each start. */
const WHILE_RUNNING = isLongForm ? [-HOUR, 0, HOUR, 0] : [-HOUR, HOUR];
const AT_STARTS = isLongForm ? [-HOUR, HOUR, 0] : [-HOUR, HOUR];
/** The maximum time without progress: less than the shortest lease (30 s), and more than a busy machine needs. */
const WITHIN_MS = 25_000;
/** How long messages are sent after each step of the clock: longer than processes take to agree on the time. */
const PULSE_MS = 4_000;
/** Keeps within an endpoint's limit of 120 requests per minute. */
const PULSE_EVERY_MS = 500;

/** Times in milliseconds. */
interface Dark {
  /** The time from sending a message until the receiver has its notification. */
  running: number;
  /** The time from a process being ready until its first message is sent and the receiver is notified. */
  restarted: number;
  /** The time from a process being ready until webhooks that were in flight or queued at the kill have arrived. */
  queued: number;
}

describe.concurrent("a server whose machine's clock is set back and forward by an hour", () => {
  it.for(['SQLite', 'PostgreSQL'] as const)(
    `sends and delivers within ${WITHIN_MS / 1000} s, while it runs and over restarts, on %s (${RUNS} rounds)`,
    { timeout: 300_000 + RUNS * 120_000 },
    async (storage) => {
      const postgres = storage === 'PostgreSQL' ? await startPostgres() : null;
      try {
        const dark = await setAgainAndAgain(postgres ? { DATABASE_URL: postgres.url } : {});
        if (process.env['CLOCK_STEP_RUNS'] !== undefined)
          console.info(`${storage}, ${RUNS} rounds, at most (ms): ${JSON.stringify(dark)}`);
        for (const longest of Object.values(dark)) expect(longest).toBeLessThan(WITHIN_MS);
      } finally {
        await postgres?.stop();
      }
    },
  );
});

async function setAgainAndAgain(env: Readonly<Record<string, string>>): Promise<Dark> {
  const { harness, server } = await startHarness(env, ['message.sent']);
  const dark: Dark = { running: 0, restarted: 0, queued: 0 };
  let running = server;
  for (let run = 1; run <= RUNS; run += 1) {
    // A new endpoint, because several rounds together exceed the limit of 120 requests per minute.
    if (run > 1) await harness.replaceWebhook(running);
    for (const aheadMs of WHILE_RUNNING) {
      await running.setClock(aheadMs);
      dark.running = Math.max(dark.running, await pulse(harness, running));
    }
    for (const aheadMs of AT_STARTS) {
      const held = await holdWebhooks(harness, running);
      await running.kill();
      harness.receiver.release();
      running = await harness.startAt(aheadMs, env);
      const readyAt = performance.now();
      const next = sentAndNotified(harness, running).then(
        (ms) => (dark.restarted = Math.max(dark.restarted, ms)),
      );
      for (const id of held) {
        await until('the receiver is notified of the queued message', () => isNotified(harness, id));
        expectOneDelivery(harness, id);
      }
      dark.queued = Math.max(dark.queued, Math.round(performance.now() - readyAt));
      await next;
    }
  }
  expect(await running.stop()).toBe(0);
  const accepted = harness.acceptedByNetwork().map(({ networkId }) => networkId);
  expect(new Set(accepted).size).toBe(accepted.length);
  return dark;
}

/** Returns how long the slowest message took. */
async function pulse(harness: Harness, server: RunningServer): Promise<number> {
  const times: Promise<number>[] = [];
  for (let sent = 0; sent < PULSE_MS / PULSE_EVERY_MS; sent += 1) {
    times.push(sentAndNotified(harness, server));
    await setTimeout(PULSE_EVERY_MS);
  }
  return Math.max(...(await Promise.all(times)));
}

async function sentAndNotified(harness: Harness, { client }: RunningServer): Promise<number> {
  const startedAt = performance.now();
  const { id } = await client.send({ instance: harness.instance });
  await until('the receiver is notified', () => isNotified(harness, id));
  return Math.round(performance.now() - startedAt);
}

async function holdWebhooks(
  { receiver, instance }: Harness,
  { client }: RunningServer,
): Promise<readonly string[]> {
  receiver.hold('message.sent');
  const held = [await client.send({ instance }), await client.send({ instance })];
  const isHeld = (id: string): boolean =>
    requestsAbout(receiver, id).some(({ event, responded }) => event.type === 'message.sent' && !responded);
  await until('both slots of the endpoint are held', () => held.every(({ id }) => isHeld(id)));
  const queued = await client.send({ instance });
  await until('the next message is sent', async () => (await client.message(queued.id)).status !== 'queued');
  return [...held, queued].map(({ id }) => id);
}

function isNotified({ receiver }: Harness, id: string): boolean {
  return requestsAbout(receiver, id).some(
    ({ event, responded }) => event.type === 'message.sent' && responded,
  );
}

function expectOneDelivery({ receiver }: Harness, id: string): void {
  const sent = requestsAbout(receiver, id).filter(({ event }) => event.type === 'message.sent');
  expect(new Set(sent.map(({ deliveryId }) => deliveryId)).size).toBe(1);
}
