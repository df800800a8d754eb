/**
 * Webhooks per second from the claim to the outcome on disk, over TLS, compared with loops that only sign and send, and
 * with job queues that use the same sender or fetch. WEBHOOKS, HOSTS and ROUNDS set the sizes.
 */
import { issueFor } from './certificates.ts';
import { startChild } from './child.ts';
import { compare, median, plain, printMachine, printTable, ratios, size, spread } from './figures.ts';
import { providePostgres } from './postgres.ts';
import { inRounds } from './rounds.ts';
import { DOMAIN } from './webhooks/plan.ts';
import type { Plan, SendFigures } from './webhooks/plan.ts';
import type { Variant } from './webhooks/sender.ts';

const VARIANTS: readonly Variant[] = [
  'undici dispatch',
  'undici fetch',
  'trunkline, SQLite',
  'trunkline, PostgreSQL',
  'graphile-worker',
  'graphile-worker, fetch',
  'pg-boss',
];
const ROUNDS = size('ROUNDS', 5);

const postgres = await providePostgres();
const { ca, cert, key } = await issueFor(DOMAIN);
const receiver = await startChild<number>(new URL('webhooks/receiver.ts', import.meta.url), cert, key);
const plan: Plan = {
  port: receiver.ready,
  ca,
  hosts: size('HOSTS', 400),
  webhooks: size('WEBHOOKS', 40_000),
};

const results = await inRounds(VARIANTS, ROUNDS, async (variant) => {
  const sender = await startChild(new URL('webhooks/sender.ts', import.meta.url), variant);
  const figures = await sender.ask<SendFigures>(plan);
  await sender.stop();
  const received = await receiver.ask<number>('count');
  if (received !== plan.webhooks) throw new Error(`${variant}: ${received} webhooks arrived.`);
  return figures;
});
await receiver.stop();
await postgres.stop();

const rates = (variant: Variant): readonly number[] => results[variant].map(({ perSecond }) => perSecond);
printMachine();
printTable(
  `${plan.webhooks} webhooks of 1 KB to ${plan.hosts} hosts on TLS, ${ROUNDS} rounds`,
  ['', 'per second', 'of undici dispatch', 'CPU µs of the Node process'],
  VARIANTS.map((variant) => [
    variant,
    spread(rates(variant)),
    spread(ratios(rates(variant), rates('undici dispatch')), 2),
    plain(median(results[variant].map(({ cpu }) => cpu)), 1),
  ]),
);
console.log();
const compareRates = (variant: Variant, base: Variant, atLeast: number): void =>
  compare(`${variant}, of ${base}`, ratios(rates(variant), rates(base)), { atLeast });
compareRates('trunkline, PostgreSQL', 'graphile-worker', 0.9);
compareRates('trunkline, PostgreSQL', 'graphile-worker, fetch', 2);
compareRates('trunkline, SQLite', 'trunkline, PostgreSQL', 1);
