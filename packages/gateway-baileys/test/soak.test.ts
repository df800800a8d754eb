import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { startManyNumbers } from './support/many-numbers.ts';
import type { LinkedNumber, ManyNumbers } from './support/many-numbers.ts';

// The long form: SOAK_NUMBERS=50 SOAK_MESSAGES=20 SOAK_GAP_MS=5000 SOAK_DROP_EVERY_MS=30000.
const NUMBERS = Number(process.env['SOAK_NUMBERS'] ?? 3);
const MESSAGES = Number(process.env['SOAK_MESSAGES'] ?? 6);
/** Between one text of a number and the next. */
const GAP_MS = Number(process.env['SOAK_GAP_MS'] ?? 400);
const DROP_EVERY_MS = Number(process.env['SOAK_DROP_EVERY_MS'] ?? 2_000);
/**
 * How long a text may take while files stall. In the long form alone, which has the machine to itself: what the short form
 * shares it with decides how long anything takes there. That no text waits for a file is shown by the manual clock, in
 * core's test of late files.
 */
const MAY_TAKE_MS = 2_000;
const IS_LONG = process.env['SOAK_NUMBERS'] !== undefined;
/** More than there are downloads of one number at a time. */
const STALLED_FILES = 10;
/** The minute for which limited messages are held takes six seconds. */
const SPEED = 10;
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

    // Files stall, and nothing else is wrong: texts do not wait for them.
    await stallFiles(service);
    const calm = await exchange(service, 'calm').arrived();
    if (IS_LONG) expect(percentile(calm, 0.99)).toBeLessThan(MAY_TAKE_MS);

    const rough = exchange(service, 'rough');
    const drops = await disturb(service, rough.written);
    await rough.arrived();
    expect(drops).toBeGreaterThan(0);
    await checkNothingIsDoubled(service, ['calm', 'rough']);
  },
);

/** Photos for each number, of which half arrives, and then nothing more. */
async function stallFiles({ wa, numbers }: ManyNumbers): Promise<void> {
  wa.failMedia('stall', numbers.length * STALLED_FILES);
  for (const number of numbers) {
    for (let file = 0; file < STALLED_FILES; file += 1) {
      await wa.inbound(personFor(number, 0), number.account, {
        type: 'image',
        bytes: PNG,
        mimeType: 'image/png',
      });
    }
  }
}

interface Exchange {
  /** Resolves when everybody has written all. */
  readonly written: Promise<unknown>;
  /** Resolves when all has arrived, with how long each text took, in milliseconds. */
  arrived(): Promise<readonly number[]>;
}

/** Each number and its people write to each other. */
function exchange(service: ManyNumbers, round: string): Exchange {
  const { wa, api, numbers, received } = service;
  const begun = new Map<string, number>();
  const writing = numbers.map(async (number) => {
    const { account, instance } = number;
    for (let index = 0; index < MESSAGES; index += 1) {
      const person = personFor(number, index);
      const { phoneNumber: to } = person;
      begun.set(outText(number, round, index), Date.now());
      await api.messages.send({ instance, to, type: 'text', text: outText(number, round, index) });
      begun.set(inText(number, round, index), Date.now());
      await wa.inbound(personFor(number, 0), account, inText(number, round, index));
      await setTimeout(GAP_MS);
    }
  });
  const written = Promise.all(writing);

  const took = new Map<string, number>();
  const look = (): boolean => {
    for (const { message, at } of received) note(message.text, at);
    for (const { content, refused, receivedAt } of wa.sentMessages()) {
      if (refused === null && content.type === 'text') note(content.text, receivedAt);
    }
    return took.size === begun.size;
  };
  const note = (text: string | null, at: number): void => {
    const from = begun.get(text ?? '');
    if (from !== undefined && !took.has(text ?? '')) took.set(text ?? '', at - from);
  };
  const arrived = async (): Promise<readonly number[]> => {
    await written;
    await until('all texts have arrived', look, FINISHED_MS).catch((error: unknown) => {
      const missing = [...begun.keys()].filter((text) => !took.has(text));
      throw new Error(`These texts have not arrived: ${missing.join(', ')}`, { cause: error });
    });
    return [...took.values()];
  };
  return { written, arrived };
}

/** Ends connections in turn, refuses queries and messages, and stalls files. Returns how many connections it has ended. */
async function disturb({ wa, numbers }: ManyNumbers, over: Promise<unknown>): Promise<number> {
  let drops = 0;
  let isOver = false;
  void over.finally(() => {
    isOver = true;
  });
  for (let turn = 0; !isOver; turn += 1) {
    const number = numbers[turn % numbers.length];
    if (!number) break;
    wa.refuseQueries('usync/get/usync', 429);
    wa.refuseQueries('encrypt/get/key', 429);
    wa.refuseNextMessage(number.account, turn % 2 === 0 ? 429 : 503);
    wa.failMedia('stall');
    try {
      wa.drop(number.account);
      drops += 1;
    } catch {
      // It is connecting again.
    }
    await setTimeout(DROP_EVERY_MS / numbers.length);
  }
  return drops;
}

/** What people and the service have, once each and in the order in which it was written. */
async function checkNothingIsDoubled(service: ManyNumbers, rounds: readonly string[]): Promise<void> {
  const { wa, api, numbers, received } = service;
  const indexes = Array.from({ length: MESSAGES }, (_, index) => index);
  for (const number of numbers) {
    for (const [place, person] of number.people.entries()) {
      const wanted = rounds.flatMap((round) =>
        indexes
          .filter((index) => index % number.people.length === place)
          .map((index) => outText(number, round, index)),
      );
      const shown = wa.inbox(person).map(({ content }) => (content.type === 'text' ? content.text : null));
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

function personFor({ people }: LinkedNumber, index: number): LinkedNumber['people'][number] {
  const person = people[index % people.length];
  if (!person) throw new Error('Nobody to write to.');
  return person;
}

function outText({ account }: LinkedNumber, round: string, index: number): string {
  return `${round} ${account.phoneNumber} out ${index}`;
}

function inText({ account }: LinkedNumber, round: string, index: number): string {
  return `${round} ${account.phoneNumber} in ${index}`;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity;
}
