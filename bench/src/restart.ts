/**
 * How soon a number sends again after its process was killed: from the kill until the network has the next text, which
 * is posted as soon as the next process responds. "By hand" is a short program on Baileys, as in `feel`. Set ROUNDS
 * (7).
 */
import { setTimeout as wait } from 'node:timers/promises';
import { spawnFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Account, Person, RemoteFakeWhatsApp } from '@trunkline/fake-whatsapp';
import type { Child } from './child.ts';
import type { FeelFacts, FeelPlan, FeelUse } from './feel/plan.ts';
import { bundlesIn, post, startProgram, VARIANTS } from './feel/program.ts';
import type { Variant } from './feel/program.ts';
import { compare, printMachine, printTable, size, spread } from './figures.ts';
import { dropSchema, providePostgres } from './postgres.ts';
import { inRounds } from './rounds.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';
import { now } from './time.ts';

const ROUNDS = size('ROUNDS', 7);
/** By hand's time, and this. */
const AIM_MS = 500;
/** CPU until the next process responds. */
const READY_CPU_MS = 700;
/** How often a refused text is posted again. */
const AGAIN_MS = 20;

interface Running {
  readonly wa: RemoteFakeWhatsApp;
  readonly account: Account;
  readonly person: Person;
  readonly plan: FeelPlan;
  child: Child<FeelFacts>;
}

const directory = makeDirectory();
const programs = await bundlesIn(directory);
const postgres = await providePostgres();
const running: Partial<Record<Variant, Running>> = {};
printMachine();
try {
  for (const variant of VARIANTS) running[variant] = await link(variant);
  const results = await inRounds(VARIANTS, ROUNDS, (variant, round) => killed(variant, `round ${round}`));
  const of = (variant: Variant, figure: keyof (typeof results)[Variant][number]): readonly number[] =>
    results[variant].map((figures) => figures[figure]);
  printTable(
    `From a kill until the network has the next text, ${ROUNDS} rounds`,
    [
      '',
      'ms',
      'until the next process responds',
      'CPU ms until then',
      'until the network sees the number',
      'CPU ms',
    ],
    VARIANTS.map((variant) => [
      variant,
      spread(of(variant, 'sentMs')),
      spread(of(variant, 'readyMs')),
      spread(of(variant, 'readyCpuMs')),
      spread(of(variant, 'onlineMs')),
      spread(of(variant, 'cpuMs')),
    ]),
  );
  const hand = of('by hand', 'sentMs');
  for (const variant of ['SQLite', 'PostgreSQL'] as const) {
    compare(`${variant}: ms of CPU until HTTP answers`, of(variant, 'readyCpuMs'), { atMost: READY_CPU_MS });
    compare(
      `${variant}: ms from a kill to the next text, more than by hand`,
      of(variant, 'sentMs').map((ms, round) => ms - (hand[round] ?? Number.NaN)),
      { atMost: AIM_MS },
    );
  }
} finally {
  for (const [variant, { wa, child, plan }] of Object.entries(running)) {
    await child.stop();
    // By hand, keys that were not saved before a kill are used again, and the network cannot read what they encrypt.
    await wa.stop().catch((error: unknown) => {
      if (variant !== 'by hand') throw error;
    });
    if (variant === 'PostgreSQL') await dropSchema(plan.directory);
    removeDirectory(plan.directory);
  }
  await postgres.stop();
  removeDirectory(directory);
}

async function link(variant: Variant): Promise<Running> {
  const wa = await spawnFakeWhatsApp();
  const plan = { directory: makeDirectory(), network: wa.client, webhookUrl: 'http://127.0.0.1:9/' };
  const child = await startProgram(variant, plan, programs);
  const account = await wa.account('551190000001', { name: variant });
  const person = await wa.person('551180000001', { name: 'Customer' });
  await wa.scanQr(account, child.ready.qr);
  while (!(await child.ask<FeelUse>('use')).isConnected) await wait(AGAIN_MS);
  const linked = { wa, account, person, plan, child };
  await textArrives(linked, 'linked');
  return linked;
}

async function killed(
  variant: Variant,
  text: string,
): Promise<Record<'sentMs' | 'readyMs' | 'readyCpuMs' | 'onlineMs' | 'cpuMs', number>> {
  const one = running[variant];
  if (!one) throw new Error(`${variant} does not run.`);
  const killedAt = now();
  await one.child.kill();
  const online = onlineAgain(one);
  one.child = await startProgram(variant, one.plan, programs);
  const readyMs = now() - killedAt;
  const { cpuMs: readyCpuMs } = await one.child.ask<FeelUse>('use');
  const sentMs = (await textArrives(one, text)) - killedAt;
  const { cpuMs } = await one.child.ask<FeelUse>('use');
  return { sentMs, readyMs, readyCpuMs, onlineMs: (await online) - killedAt, cpuMs };
}

/** Posts a text until it is accepted. Returns when the network got it. */
async function textArrives({ wa, account, person, child }: Running, text: string): Promise<number> {
  for (;;) {
    const response = await post(child.ready, person, text);
    await response.body?.cancel();
    if (response.ok) break;
    await wait(AGAIN_MS);
  }
  for (;;) {
    const sent = await wa.sentMessages({ from: account });
    const found = sent.find(({ content }) => content.type === 'text' && content.text === text);
    if (found) return found.receivedAt;
    await wait(AGAIN_MS);
  }
}

async function onlineAgain({ wa, account }: Running): Promise<number> {
  const isOnline = async (): Promise<boolean> =>
    (await wa.linkedDevices(account)).some(({ connected }) => connected);
  while (await isOnline()) await wait(1); // the network has yet to notice the kill
  while (!(await isOnline())) await wait(AGAIN_MS);
  return now();
}
