/**
 * How long webhooks of quiet endpoints wait, from queueing to arrival, with and without a noisy endpoint that has a
 * million waiting deliveries. ENDPOINTS, BACKLOG, PER_SECOND, SECONDS and ROUNDS are the sizes. The noisy endpoint's
 * throttle shows only after more than a minute (ROUNDS × SECONDS).
 */
import { setTimeout } from 'node:timers/promises';
import { startChild } from './child.ts';
import { mostAtOneEndpoint } from './fairness/limits.ts';
import type { Arrival } from './fairness/receiver.ts';
import { createScenario, NOISY_PATH } from './fairness/scenario.ts';
import type { Scenario } from './fairness/scenario.ts';
import {
  compare,
  median,
  percentile,
  plain,
  printMachine,
  printTable,
  ratios,
  size,
  spread,
} from './figures.ts';
import { inRounds } from './rounds.ts';

const ENDPOINTS = size('ENDPOINTS', 5_000);
const BACKLOG = size('BACKLOG', 1_000_000);
const PER_SECOND = size('PER_SECOND', 200);
const SECONDS = size('SECONDS', 30);
const ROUNDS = size('ROUNDS', 5);
const EVERY_MS = 10;

const receiver = await startChild<string>(new URL('fairness/receiver.ts', import.meta.url));
const names = ['without it', 'with the noisy one'] as const;
const common = { url: receiver.ready, endpoints: ENDPOINTS };
const scenarios: Record<(typeof names)[number], Scenario> = {
  'without it': await createScenario({ ...common, backlog: 0 }),
  'with the noisy one': await createScenario({ ...common, backlog: BACKLOG }),
};
const log: Arrival[] = [];

/** Queues deliveries for the quiet endpoints in turn, and returns how long each webhook took to arrive. */
async function quietWaits(scenario: Scenario): Promise<readonly number[]> {
  const running = await scenario.start();
  const queuedAt = new Map<string, number>();
  const queued: Promise<void>[] = [];
  const enqueue = async (index: number): Promise<void> => {
    const at = performance.timeOrigin + performance.now();
    queuedAt.set(await running.enqueue(scenario.quiet[index % scenario.quiet.length] ?? ''), at);
  };
  const began = performance.now();
  const total = PER_SECOND * SECONDS;
  while (queued.length < total) {
    await setTimeout(EVERY_MS);
    const due = Math.min(total, ((performance.now() - began) / 1000) * PER_SECOND);
    while (queued.length < due) queued.push(enqueue(queued.length));
  }
  await Promise.all(queued);
  const arrivals: Arrival[] = [];
  const waits = new Map<string, number>();
  while (waits.size < total) {
    await setTimeout(EVERY_MS);
    const news = await receiver.ask<readonly Arrival[]>('log');
    arrivals.push(...news);
    for (const { deliveryId, at } of news) {
      const since = queuedAt.get(deliveryId);
      if (since !== undefined && !waits.has(deliveryId)) waits.set(deliveryId, at - since);
    }
  }
  await running.stop();
  log.push(...arrivals, ...(await receiver.ask<readonly Arrival[]>('log')));
  return [...waits.values()];
}

const results = await inRounds(names, ROUNDS, (name) => quietWaits(scenarios[name]));
await receiver.stop();
for (const name of names) scenarios[name].remove();

const p99s = (name: keyof typeof scenarios): readonly number[] =>
  results[name].map((waits) => percentile(waits, 0.99));
const most = mostAtOneEndpoint(log);
printMachine();
printTable(
  `${ENDPOINTS} endpoints, ${PER_SECOND} webhooks a second to the quiet ones, ${plain(BACKLOG)} wait for the noisy one`,
  ['', 'median wait ms', 'p99 wait ms'],
  names.map((name) => [name, spread(results[name].map(median), 1), spread(p99s(name), 1)]),
);
console.log(
  `\nThe noisy one got ${log.filter(({ path }) => path === NOISY_PATH).length} webhooks meanwhile; the most at one endpoint: ${most.atOnce} concurrently, ${most.inAMinute} within 60 s.\n`,
);
compare(
  'p99 with the noisy one, of that without it',
  ratios(p99s('with the noisy one'), p99s('without it')),
  {
    atMost: 2,
  },
);
compare('requests to one endpoint concurrently', [most.atOnce], { atMost: 2 });
compare('requests to one endpoint within 60 s', [most.inAMinute], { atMost: 120 });
