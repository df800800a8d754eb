import type { Person } from '@trunkline/fake-whatsapp';
import { startPostgres } from '@trunkline/test-postgres';
import { eventually } from '@trunkline/test-support';
import { sized } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { comeBack, startPairedHarness } from './support/crash-harness.ts';
import type { CrashHarness } from './support/crash-harness.ts';
import { reactionIn } from './support/baileys-network.ts';
import { messagesOf } from './support/crash-oracle.ts';
import { must, reportedAbout, untilNotified } from './support/flow.ts';

const CHATS = 6;
/** To each chat, between two kills. */
const MESSAGES = 2;
/** The server is killed at every STEP-th write of a burst. */
const STEP = sized('KILL_STEP', { short: 7, long: 1 });

describe.concurrent(
  'kill -9 at a write while several messages and reactions of a number are sent',
  { timeout: 3_600_000 },
  () => {
    it.for(['SQLite', 'PostgreSQL'] as const)(
      'each is in its chat once, a reaction right behind its message, and every phone can read it, on %s',
      async (storage, { onTestFinished }) => {
        const postgres = storage === 'PostgreSQL' ? await startPostgres() : null;
        onTestFinished(async () => postgres?.stop());
        const harness = await startPairedHarness({
          databaseUrl: postgres?.url,
          optInEvents: ['message.reaction'],
        });
        const chats = Array.from({ length: CHATS }, (_, index) =>
          harness.wa.person(String(5511955500000 + index), index === 0 ? { linkedDevices: 1 } : {}),
        );
        const ids: string[] = [];
        let bursts = 0;
        const begin = async (): Promise<readonly string[]> => {
          bursts += 1;
          const burst: string[] = [];
          for (let place = 1; place <= MESSAGES; place += 1)
            burst.push(
              ...(await Promise.all(
                chats.map((person) => sendAndReact(harness, person, `${bursts}.${place}`)),
              )),
            );
          ids.push(...burst);
          return burst;
        };
        await untilDone(harness, await begin());
        const before = harness.service().writes().length;
        await untilDone(harness, await begin());
        const writes = harness.service().writes().length - before;
        for (let count = 0; count <= writes; count += STEP) {
          const server = harness.service();
          await server.dieAfterWrites(count);
          const beginning = begin();
          const isDead = await Promise.race([beginning.then(() => false), server.ended().then(() => true)]);
          if (isDead) await comeBack(harness);
          const burst = await beginning;
          const done = untilDone(harness, burst);
          done.catch(() => undefined); // rejects if the server is dead
          await Promise.race([harness.service().ended(), done]);
          await harness.service().kill();
          await comeBack(harness);
          await untilDone(harness, burst);
        }
        await expectAllRead(harness, { chats, bursts, ids });
        process.stdout.write(
          `${storage}: killed ${bursts - 2} times at one of ${writes} writes of ${CHATS * MESSAGES} sends and reactions; ` +
            `${harness.wa.sentMessages().length} stanzas, ${ids.length} messages with a reaction each\n`,
        );
      },
    );
  },
);

function sendAndReact({ service, instance }: CrashHarness, to: Person, text: string): Promise<string> {
  const message = { instance, to: to.phoneNumber, type: 'text', text } as const;
  const key = { idempotencyKey: `${to.phoneNumber}-${text}` };
  return eventually(async () => {
    const { messages } = service().client;
    const { id } = must(await messages.send(message, key));
    must(await messages.react(id, { emoji: '👍' }, key));
    return id;
  });
}

async function untilDone(harness: CrashHarness, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    for (const type of REPORTED)
      await untilNotified(harness, type, ({ data }) => 'message' in data && data.message.id === id);
}

const REPORTED = ['message.sent', 'message.reaction'];

interface Expected {
  readonly chats: readonly Person[];
  readonly bursts: number;
  readonly ids: readonly string[];
}

async function expectAllRead(harness: CrashHarness, { chats, bursts, ids }: Expected): Promise<void> {
  const { wa } = harness;
  const texts = Array.from({ length: bursts * MESSAGES }, (_, index) => {
    const burst = Math.floor(index / MESSAGES) + 1;
    return `${burst}.${(index % MESSAGES) + 1}`;
  });
  for (const person of chats) {
    const chat = wa.inbox(person);
    const textOf = new Map(chat.map(({ id, content }) => [id, content.type === 'text' ? content.text : '']));
    const shown = chat.map(({ content }) => {
      const reaction = content.type === 'other' ? reactionIn(content.message) : null;
      return reaction ? `${reaction.text} to ${textOf.get(reaction.key?.id ?? '')}` : content;
    });
    expect(shown).toEqual(texts.flatMap((text) => [{ type: 'text', text }, `👍 to ${text}`]));
  }
  for (const { readableOn, toPhoneNumber } of wa.sentMessages())
    expect(readableOn).toContain(`${toPhoneNumber}:0`);
  // No device has asked for a message again: neither one of a recipient, nor the owner's phone.
  const retries = wa
    .transcript()
    .filter(({ direction, node }) => direction === 'sent' && node.attrs['type'] === 'retry');
  expect(retries).toEqual([]);
  expect((await messagesOf(harness, 'outbound')).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  for (const id of ids) expect(reportedAbout(harness, id)).toEqual(REPORTED);
}
