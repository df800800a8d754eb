/**
 * The speed that users of one number feel: the time of a text from its POST to the network, and of a received one to the
 * receiver's webhook; the texts that the number sends per second; and a burst on a line as slow as the internet's.
 * "By hand" is a short program on Baileys, as tutorials show it. All variants run against the same loopback network,
 * quiet and next to busy processes. Set `TEXTS` (of each measurement, 300), `ROUNDS` (1) and
 * `BURNERS` (0,3,5).
 */
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, Person, RemoteFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Child } from './child.ts';
import { compare, median, percentile, plain, printMachine, printTable, ratios, size } from './figures.ts';
import { startBurners } from './feel/burners.ts';
import type { FeelFacts, FeelUse } from './feel/plan.ts';
import { post, startProgram, VARIANTS } from './feel/program.ts';
import type { Variant } from './feel/program.ts';
import { slowLine } from './feel/slow-line.ts';
import { dropSchema, providePostgres } from './postgres.ts';
import { inRounds } from './rounds.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';
import { startTextReceiver } from './text-receiver.ts';

const TEXTS = size('TEXTS', 300);
const ROUNDS = size('ROUNDS', 1);
const BURNERS = (process.env['BURNERS'] ?? '0,3,5').split(',').map(Number);
const PER_SECOND = 20;
const RECIPIENTS = 50;
const BURST = 100;
const LINE_MS = 100;

interface Figures {
  /** Milliseconds between each POST and the arrival of its text at the network. */
  readonly sent: readonly number[];
  readonly responded: readonly number[];
  /** Milliseconds between each arrival of a text at the network and the webhook's request. */
  readonly received: readonly number[];
  readonly cpuMs: number;
  readonly perSecond: number;
  /** How long a burst takes on the slow line; null if it was not measured. */
  readonly burstMs: number | null;
  readonly load: number;
}

interface Running {
  readonly wa: RemoteFakeWhatsApp;
  readonly account: Account;
  readonly people: readonly Person[];
  readonly facts: FeelFacts;
  readonly child: Child<FeelFacts>;
  /** When the receiver got each text. */
  readonly webhooks: ReadonlyMap<string, number>;
}

// The first round is short, because each program writes to every person before it is measured.
const postgres = await providePostgres();
printMachine();
try {
  for (const burners of BURNERS) await measureBeside(burners);
} finally {
  await postgres.stop();
}

async function measureBeside(burners: number): Promise<void> {
  const results = await inRounds(VARIANTS, ROUNDS, async (variant, round) => {
    const burning = startBurners(round === 0 ? 0 : burners);
    try {
      return await measure(variant, { texts: round === 0 ? 20 : TEXTS, isQuiet: burners === 0 });
    } finally {
      burning.stop();
    }
  });
  const beside = burners === 0 ? 'quiet' : `next to ${burners} busy processes`;
  const spreadOf = (values: readonly number[]): string =>
    [0.5, 0.9, 0.99].map((share) => plain(percentile(values, share))).join(' / ');
  printTable(
    `${beside}: ${TEXTS} texts at ${PER_SECOND} a second to ${RECIPIENTS} people, p50 / p90 / p99 ms`,
    [
      '',
      'POST to network',
      'response',
      'network to webhook',
      'CPU ms a text',
      'texts a second',
      'busy',
      'burst on a slow line, ms',
      'load',
    ],
    VARIANTS.map((variant) => {
      const all = results[variant];
      const bursts = all.flatMap(({ burstMs }) => (burstMs === null ? [] : [burstMs]));
      const perSecond = median(all.map((figures) => figures.perSecond));
      return [
        variant,
        spreadOf(all.flatMap(({ sent }) => sent)),
        spreadOf(all.flatMap(({ responded }) => responded)),
        spreadOf(all.flatMap(({ received }) => received)),
        plain(median(all.map(({ cpuMs }) => cpuMs)), 1),
        plain(perSecond),
        plain(PER_SECOND / perSecond, 2),
        bursts.length === 0 ? '–' : plain(median(bursts)),
        plain(median(all.map(({ load }) => load)), 1),
      ];
    }),
  );
  const hand = results['by hand'];
  const quantiles = (all: readonly Figures[], share: number): readonly number[] =>
    all.map(({ sent }) => percentile(sent, share));
  for (const variant of ['SQLite', 'PostgreSQL'] as const) {
    const all = results[variant];
    const what = (text: string): string => `${variant}, ${beside}: ${text}`;
    compare(what('POST to network, p50, of by hand'), ratios(quantiles(all, 0.5), quantiles(hand, 0.5)), {
      atMost: 1,
    });
    compare(what('POST to network, p99, of by hand'), ratios(quantiles(all, 0.99), quantiles(hand, 0.99)), {
      atMost: 1.5,
    });
    if (burners > 0) continue;
    const received = all.flatMap((figures) => figures.received);
    compare(what('network to webhook, p50 ms'), [percentile(received, 0.5)], { atMost: 20 });
    compare(what('network to webhook, p99 ms'), [percentile(received, 0.99)], { atMost: 150 });
    const cpu = (figures: readonly Figures[]): readonly number[] => figures.map(({ cpuMs }) => cpuMs);
    compare(what('CPU of a text, of by hand'), ratios(cpu(all), cpu(hand)), { atMost: 1.15 });
    compare(
      what('texts a second'),
      all.map(({ perSecond }) => perSecond),
      { atLeast: variant === 'SQLite' ? 120 : 90 },
    );
    const burst = (figures: readonly Figures[]): readonly number[] =>
      figures.map(({ burstMs }) => burstMs ?? Number.NaN);
    compare(what(`burst of ${BURST} on a slow line, of by hand`), ratios(burst(all), burst(hand)), {
      atMost: 1.5,
    });
  }
}

async function measure(
  variant: Variant,
  { texts, isQuiet }: { readonly texts: number; readonly isQuiet: boolean },
): Promise<Figures> {
  const figures = await withProgram(variant, 0, (running) => measureTexts(running, texts));
  const burstMs = isQuiet ? await withProgram(variant, LINE_MS, measureBurst) : null;
  return { ...figures, burstMs };
}

/** Runs a program with a linked number, which has written to each of its people. */
async function withProgram<Result>(
  variant: Variant,
  delayMs: number,
  work: (running: Running) => Promise<Result>,
): Promise<Result> {
  const directory = makeDirectory();
  const wa = await spawnFakeWhatsApp();
  const url = new URL(wa.client.waWebSocketUrl);
  const line = delayMs === 0 ? null : await slowLine(Number(url.port), delayMs);
  if (line) url.port = String(line.port);
  const receiver = await startTextReceiver();
  const network = { ...wa.client, waWebSocketUrl: url.href };
  const child = await startProgram(variant, { directory, network, webhookUrl: receiver.url });
  try {
    const account = await wa.account('551190000001', { name: 'Shop' });
    const numbers = Array.from({ length: Math.max(RECIPIENTS, line ? BURST : 0) }, (_, index) => index);
    const people = await Promise.all(
      numbers.map((index) => wa.person(`5511800${String(index).padStart(5, '0')}`, { name: `P${index}` })),
    );
    await wa.scanQr(account, child.ready.qr);
    while (!(await child.ask<FeelUse>('use')).isConnected) await wait(50);
    const running = { wa, account, people, facts: child.ready, child, webhooks: receiver.arrivals };
    for (const [index, person] of people.entries()) await postText(running, person, `first ${index}`);
    await arrivals(running, 'first', people.length);
    return await work(running);
  } finally {
    await child.stop();
    line?.close();
    receiver.close();
    await wa.stop();
    if (variant === 'PostgreSQL') await dropSchema(directory);
    removeDirectory(directory);
  }
}

async function measureTexts(running: Running, texts: number): Promise<Omit<Figures, 'burstMs'>> {
  const { wa, account, people, child, webhooks } = running;
  const begun: number[] = [];
  const responded: number[] = [];
  const use = await child.ask<FeelUse>('use');
  await steadily(texts, async (index, person) => {
    begun[index] = Date.now();
    await postText(running, person, `text ${index}`);
    responded.push(Date.now() - (begun[index] ?? Number.NaN));
  });
  const sentAt = await arrivals(running, 'text', texts);
  const cpuMs = ((await child.ask<FeelUse>('use')).cpuMs - use.cpuMs) / texts;
  const load = loadavg()[0] ?? Number.NaN;

  const burst = Date.now();
  await Promise.all(
    Array.from({ length: texts }, (_, index) => postText(running, personOf(people, index), `burst ${index}`)),
  );
  const last = Math.max(...(await arrivals(running, 'burst', texts)).values());

  const writtenAt: number[] = [];
  const inbound = Math.min(texts, 100);
  await steadily(inbound, async (index, person) => {
    writtenAt[index] = Date.now();
    await wa.inbound(person, account, `in ${index}`);
  });
  while (Array.from({ length: inbound }, (_, index) => webhooks.has(`in ${index}`)).includes(false))
    await wait(20);
  return {
    sent: begun.map((at, index) => (sentAt.get(`text ${index}`) ?? Number.NaN) - at),
    responded,
    received: writtenAt.map((at, index) => (webhooks.get(`in ${index}`) ?? Number.NaN) - at),
    cpuMs,
    perSecond: (texts / (last - burst)) * 1_000,
    load,
  };

  /** Calls `work` at an even rate, whether or not the earlier calls have ended. */
  async function steadily(
    count: number,
    work: (index: number, person: Person) => Promise<void>,
  ): Promise<void> {
    const began = performance.now();
    const started: Promise<void>[] = [];
    for (let index = 0; index < count; index += 1) {
      await wait(Math.max(0, began + (index * 1_000) / PER_SECOND - performance.now()));
      started.push(work(index, personOf(people, index)));
    }
    await Promise.all(started);
  }
}

/** The time until the network has the last of many texts that are posted together, each to another person. */
async function measureBurst(running: Running): Promise<number> {
  const began = Date.now();
  const posted = running.people
    .slice(0, BURST)
    .map((person, index) => postText(running, person, `b ${index}`));
  await Promise.all(posted);
  return Math.max(...(await arrivals(running, 'b', BURST)).values()) - began;
}

function personOf(people: readonly Person[], index: number): Person {
  const person = people[index % RECIPIENTS];
  if (!person) throw new Error('There are too few people.');
  return person;
}

async function postText({ facts }: Running, person: Person, text: string): Promise<void> {
  const response = await post(facts, person, text);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}

/** When the network got each text that begins with this word. Waits for all; throws if one came twice. */
async function arrivals(
  { wa, account }: Pick<Running, 'wa' | 'account'>,
  word: string,
  count: number,
): Promise<ReadonlyMap<string, number>> {
  for (;;) {
    const at = new Map<string, number>();
    for (const { content, receivedAt } of await wa.sentMessages({ from: account })) {
      if (content.type !== 'text' || !content.text.startsWith(`${word} `)) continue;
      if (at.has(content.text)) throw new Error(`The network got "${content.text}" twice.`);
      at.set(content.text, receivedAt);
    }
    if (at.size === count) return at;
    await wait(100);
  }
}
