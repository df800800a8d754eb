import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Person, RemoteFakeWhatsApp } from '@trunkline/fake-whatsapp';
import { must, until } from '@trunkline/test-support';
import { startManyNumbers } from './support/many-numbers.ts';
import type { LinkedNumber, ManyNumbers } from './support/many-numbers.ts';

// The long form: SOAK_NUMBERS=50 SOAK_MESSAGES=20 SOAK_GAP_MS=5000 SOAK_DROP_EVERY_MS=30000.
const NUMBERS = Number(process.env['SOAK_NUMBERS'] ?? 3);
const MESSAGES = Number(process.env['SOAK_MESSAGES'] ?? 6);
const GAP_MS = Number(process.env['SOAK_GAP_MS'] ?? 400);
const DROP_EVERY_MS = Number(process.env['SOAK_DROP_EVERY_MS'] ?? 2_000);
/**
 * The time within which 99 of 100 texts must arrive while files stall and other numbers are refused, limited and
 * dropped. Checked only in the long form, which has the machine to itself.
 */
const MAY_TAKE_MS = 2_000;
const IS_LONG = process.env['SOAK_NUMBERS'] !== undefined;
/** More files than one number downloads concurrently. */
const STALLED_FILES = 10;
/** How many times as fast the service's clock runs: limited messages are held for six seconds instead of a minute. */
const SPEED = 10;
/** The time in which a dropped number reconnects and gets the messages that arrived in the meantime. */
const BACK_AFTER_MS = 5_000;
const FINISHED_MS = 60_000 + NUMBERS * MESSAGES * 500;

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it(
  'many numbers lose and double nothing while WhatsApp refuses, limits, drops and stalls',
  { timeout: 120_000 + 4 * FINISHED_MS },
  async () => {
    const service = await startManyNumbers({ numbers: NUMBERS, speed: SPEED });

    await stallFiles(service);
    checkTimes(await exchange(service, 'calm').arrived());

    const rough = exchange(service, 'rough');
    await disturb(service, rough.written);
    const texts = await rough.arrived();
    const disturbed = await service.wa.disturbed();
    expect(new Set(disturbed.map(({ what }) => what))).toEqual(new Set(['connection', 'message', 'query']));
    checkTimes(undisturbed(texts, disturbed), texts.length / 2);
    await checkNothingIsDoubled(service, ['calm', 'rough']);
  },
);

/** Sends photos to each number, each of which stalls halfway. */
async function stallFiles({ wa, numbers }: ManyNumbers): Promise<void> {
  await wa.failMedia('stall', numbers.length * STALLED_FILES);
  for (const number of numbers) {
    for (let file = 0; file < STALLED_FILES; file += 1) {
      await wa.inbound(writerTo(number), number.account, {
        type: 'image',
        bytes: PNG,
        mimeType: 'image/png',
      });
    }
  }
}

type Round = 'calm' | 'rough';
type Disturbed = Awaited<ReturnType<RemoteFakeWhatsApp['disturbed']>>[number];

interface Arrived {
  /** The phone number of the account that wrote or received the text. */
  readonly account: string;
  /** The recipient. Texts to the same recipient wait for each other. */
  readonly to: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
  readonly arrivedAt: number;
}

interface Exchange {
  readonly written: Promise<unknown>;
  arrived(): Promise<readonly Arrived[]>;
}

function exchange(service: ManyNumbers, round: Round): Exchange {
  const { wa, api, numbers, sent, received } = service;
  const begun = new Map<string, Omit<Arrived, 'arrivedAt'>>();
  const begin = (text: string, account: string, to: string): string => {
    begun.set(text, { account, to, writtenAt: Date.now() });
    return text;
  };
  const writing = numbers.map(async (number, place) => {
    await setTimeout((GAP_MS * place) / numbers.length);
    const { account, instance } = number;
    for (let index = 0; index < MESSAGES; index += 1) {
      const { phoneNumber: to } = recipientOf(number, round, index);
      const { phoneNumber } = account;
      const text = begin(outText(number, round, index), phoneNumber, to);
      await api.messages.send({ instance, to, type: 'text', text });
      const response = begin(inText(number, round, index), phoneNumber, phoneNumber);
      await wa.inbound(writerTo(number), account, response);
      await setTimeout(GAP_MS);
    }
  });
  const written = Promise.all(writing);

  const arrived = new Map<string, Arrived>();
  const look = (): boolean => {
    for (const { message, at } of received) note(message.text, at);
    for (const { content, refused, receivedAt } of sent) {
      if (refused === null && content.type === 'text') note(content.text, receivedAt);
    }
    return arrived.size === begun.size;
  };
  const note = (text: string | null, arrivedAt: number): void => {
    const written = begun.get(text ?? '');
    if (written !== undefined && !arrived.has(text ?? '')) arrived.set(text ?? '', { ...written, arrivedAt });
  };
  const allArrived = async (): Promise<readonly Arrived[]> => {
    await written;
    await until('all texts have arrived', look, FINISHED_MS).catch((error: unknown) => {
      const missing = [...begun.keys()].filter((text) => !arrived.has(text));
      throw new Error(`Some texts have not arrived: ${missing.join(', ')}`, { cause: error });
    });
    return [...arrived.values()];
  };
  return { written, arrived: allArrived };
}

/**
 * The texts whose number was not refused, limited or dropped from BACK_AFTER_MS before the text until its arrival,
 * without those that waited behind a disturbed text to the same recipient.
 */
function undisturbed(texts: readonly Arrived[], disturbances: readonly Disturbed[]): readonly Arrived[] {
  const byAccount = Map.groupBy(disturbances, ({ account }) => account);
  const isHit = ({ account, writtenAt, arrivedAt }: Arrived): boolean =>
    (byAccount.get(account) ?? []).some(({ at }) => at > writtenAt - BACK_AFTER_MS && at <= arrivedAt);
  const chats = Map.groupBy(texts, ({ account, to }) => `${account} ${to}`);
  return [...chats.values()].flatMap((chat) => {
    let heldUntil = -Infinity;
    return chat
      .toSorted((a, b) => a.writtenAt - b.writtenAt)
      .filter((text) => {
        if (!isHit(text) && text.writtenAt >= heldUntil) return true;
        heldUntil = Math.max(heldUntil, text.arrivedAt);
        return false;
      });
  });
}

function checkTimes(texts: readonly Arrived[], atLeast = texts.length): void {
  if (!IS_LONG) return;
  const took = texts.map(({ writtenAt, arrivedAt }) => arrivedAt - writtenAt);
  process.stdout.write(
    `${took.length} texts: ${percentile(took, 0.5)} ms at the median, ${percentile(took, 0.99)} ms at p99, ${percentile(took, 1)} ms at most\n`,
  );
  expect(took.length).toBeGreaterThanOrEqual(atLeast);
  expect(percentile(took, 0.99)).toBeLessThan(MAY_TAKE_MS);
}

async function disturb({ wa, numbers }: ManyNumbers, over: Promise<unknown>): Promise<void> {
  let isOver = false;
  void over.finally(() => {
    isOver = true;
  });
  for (let turn = 0; !isOver; turn += 1) {
    const number = numbers[turn % numbers.length];
    if (!number) break;
    await wa.refuseQueries('usync/get/usync', 429);
    await wa.refuseQueries('encrypt/get/key', 429);
    await wa.refuseNextMessage(number.account, turn % 2 === 0 ? 429 : 503);
    await wa.failMedia('stall');
    // Rejects if the number is connecting again.
    await wa.drop(number.account).catch(() => undefined);
    await setTimeout(DROP_EVERY_MS / numbers.length);
  }
}

async function checkNothingIsDoubled(service: ManyNumbers, rounds: readonly Round[]): Promise<void> {
  const { wa, api, numbers, received } = service;
  const indexes = Array.from({ length: MESSAGES }, (_, index) => index);
  for (const number of numbers) {
    for (const person of number.people) {
      const wanted = rounds.flatMap((round) =>
        indexes
          .filter((index) => recipientOf(number, round, index) === person)
          .map((index) => outText(number, round, index)),
      );
      const shown = (await wa.inbox(person)).map(({ content }) =>
        content.type === 'text' ? content.text : null,
      );
      expect(shown).toEqual(wanted);
    }
    const stored = await api.messages.list({ instance: number.instance, direction: 'inbound', limit: 100 });
    const texts = stored.data.flatMap(({ text, type }) => (type === 'text' ? [text ?? ''] : []));
    const wanted = rounds.flatMap((round) => indexes.map((index) => inText(number, round, index)));
    expect(texts.toSorted()).toEqual(wanted.toSorted());
    const heard = received.filter(({ message }) => message.instance_id === number.instance);
    const once = new Set(heard.map(({ message }) => message.id));
    expect(once.size).toBe(stored.data.length);
    await until('nothing is queued', async () => {
      const { data } = await api.messages.list({ instance: number.instance, status: 'queued', limit: 100 });
      return data.length === 0;
    });
    const failed = await api.messages.list({ instance: number.instance, status: 'failed', limit: 100 });
    expect(failed.data).toEqual([]);
  }
}

/**
 * In the rough round, half of the people are new: the gateway must ask the network who they are, and may be refused.
 */
function recipientOf({ people }: LinkedNumber, round: Round, index: number): Person {
  const known = round === 'calm' ? people.length / 2 : people.length;
  return must(people[index % known]);
}

function writerTo({ people }: LinkedNumber): Person {
  return must(people[0]);
}

function outText({ account }: LinkedNumber, round: Round, index: number): string {
  return `${round} ${account.phoneNumber} out ${index}`;
}

function inText({ account }: LinkedNumber, round: Round, index: number): string {
  return `${round} ${account.phoneNumber} in ${index}`;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity;
}
