import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { OptInEventType } from '@trunkline/core';
import type { WebhookEvent } from '@trunkline/receiver';
import { describe, expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { reactionIn } from './support/baileys-network.ts';
import { expectReceivedOnce, expectSentOnce, messagesOf, untilReceived } from './support/crash-oracle.ts';
import { comeBack, startCrashHarness, startPairedHarness } from './support/crash-harness.ts';
import type { CrashHarness } from './support/crash-harness.ts';
import { must, pairByQr, reportedAbout, untilMessage, untilStatus, untilNotified } from './support/flow.ts';

/** How often the server is killed in each test that does not kill it at writes. */
const RUNS = sized('KILL_RUNS', { short: 1, long: 5 });
/** The server is killed at every STEP-th write, which is every write in the long form. */
const STEP = sized('KILL_STEP', { short: 7, long: 1 });
const BURST = 4;

describe.concurrent('kill -9', { timeout: 900_000 + RUNS * 30_000 }, () => {
  it('at a write of a send: the message is in the chat once, and reported once', async () => {
    const harness = await startPairedHarness();
    const writes = await writesOf(harness, async () => {
      await untilNotified(harness, 'message.sent', isAbout(await send(harness, 'Message 0')));
    });
    let sent = 1;
    for (let count = 0; count <= writes.length; count += STEP) {
      const server = harness.service();
      await server.dieAfterWrites(count);
      const sending = send(harness, `Message ${sent++}`);
      // The server may die earlier, at a late write about the previous message.
      const isDead = await Promise.race([sending.then(() => false), server.ended().then(() => true)]);
      if (isDead) await comeBack(harness);
      const id = await sending;
      await killAtLast(harness, untilNotified(harness, 'message.sent', isAbout(id)));
      await comeBack(harness);
      await untilNotified(harness, 'message.sent', isAbout(id));
    }
    await expectSentOnce(harness, numbered(sent));
    say(`killed ${sent - 1} times with one of ${writes.join(', ')}: every message sent once`);
  });

  it.runIf(isLongForm)(
    'at a write of a reaction: the phone gets it once, and it is reported once',
    async () => {
      const harness = await startPairedHarness({ optInEvents: ['message.reaction'] });
      const { wa, bob } = harness;
      const reacted = (id: string) => untilNotified(harness, 'message.reaction', isAbout(id));
      const sent = async (text: string): Promise<string> => {
        const id = await send(harness, text);
        await untilNotified(harness, 'message.sent', isAbout(id));
        return id;
      };
      const first = await sent('Message 0');
      const ids = [first];
      const writes = await writesOf(harness, async () => {
        await react(harness, first);
        await reacted(first);
      });
      for (let count = 0; count <= writes.length; count += STEP) {
        const id = await sent(`Message ${ids.length}`);
        ids.push(id);
        await harness.service().dieAfterWrites(count);
        const reacting = react(harness, id);
        // The server may die earlier, at a late write about the message.
        const isDead = await Promise.race([
          reacting.then(() => false),
          harness
            .service()
            .ended()
            .then(() => true),
        ]);
        if (isDead) await comeBack(harness);
        await reacting;
        await killAtLast(harness, reacted(id));
        await comeBack(harness);
        await reacted(id);
      }
      for (const id of ids) expect(reportedAbout(harness, id)).toEqual(['message.sent', 'message.reaction']);
      const chat = wa.inbox(bob);
      const shown = chat.map(({ id, content }) => {
        const reaction = content.type === 'other' ? reactionIn(content.message) : null;
        return reaction ? { reactionTo: reaction.key?.id } : { id };
      });
      const networkIds = chat.filter(({ content }) => content.type === 'text').map(({ id }) => id);
      expect(networkIds).toHaveLength(ids.length);
      expect(shown).toEqual(networkIds.flatMap((id) => [{ id }, { reactionTo: id }]));
      say(`killed ${ids.length - 1} times with one of ${writes.join(', ')}: every reaction arrived once`);
    },
  );

  it.runIf(isLongForm)(
    `between the socket and the ack, ${RUNS} times: the message is sent again under its id`,
    async () => {
      const harness = await startPairedHarness();
      const { wa } = harness;
      for (let run = 0; run < RUNS; run += 1) {
        wa.holdAcks();
        const id = await send(harness, `Message ${run}`);
        const first = await wa.nextMessage();
        await harness.service().kill();
        wa.releaseAcks();
        await comeBack(harness);
        await untilNotified(harness, 'message.sent', isAbout(id));
        expect((await wa.nextMessage()).id).toBe(first.id);
      }
      await expectSentOnce(harness, numbered(RUNS));
      say(`killed ${RUNS} times before the ack: ${wa.sentMessages().length} stanzas, ${RUNS} messages`);
    },
  );

  it.runIf(isLongForm)(
    'at a write of an arrival: the message is stored once, and reported once',
    async () => {
      const harness = await startPairedHarness();
      const { wa, account } = harness;
      // Each sender is new, which uses up a pre-key.
      const arrive = (index: number): Promise<string> =>
        wa.inbound(wa.person(`55119${20_000_000 + index}`), account, `Message ${index}`);
      const writes = await writesOf(harness, async () => {
        const before = harness.service().writes().length;
        await arrive(0);
        await untilErased(harness, before);
      });
      let arrived = 1;
      for (let count = 0; count <= writes.length; count += STEP) {
        const before = harness.service().writes().length;
        await harness.service().dieAfterWrites(count);
        await arrive(arrived++);
        await killAtLast(harness, untilErased(harness, before));
        await comeBack(harness);
        await untilReceived(harness, arrived);
      }
      await expectReceivedOnce(harness, numbered(arrived));
      say(`killed ${arrived - 1} times with one of ${writes.join(', ')}: every message received once`);
    },
  );

  if (isLongForm) {
    it(`after an arrival, ${RUNS} times at any moment: nothing is lost, nothing is doubled`, async (context) => {
      const random = randomInTest(context);
      const harness = await startPairedHarness();
      const began = performance.now();
      const undisturbed = await arriveTogether(harness, 0);
      await untilReceived(harness, BURST);
      const tookMs = performance.now() - began;
      const windows = storedAfterMs(harness, undisturbed);
      const seen = { confirmed: 0, unstored: 0 };
      for (let run = 1; run <= RUNS; run += 1) {
        const before = storedBy(harness);
        const ids = await arriveTogether(harness, run);
        await setTimeout(random(tookMs));
        await harness.service().kill();
        const confirmed = confirmedAt(harness, ids).length;
        seen.confirmed += confirmed;
        seen.unstored += Math.max(0, confirmed - (storedBy(harness) - before));
        await comeBack(harness);
        await untilReceived(harness, (run + 1) * BURST);
      }
      await expectReceivedOnce(harness, numbered((RUNS + 1) * BURST));
      say(
        `arrivals are stored ${windows.map((ms) => ms.toFixed(1)).join(', ')} ms after the acknowledgement`,
      );
      say(
        `killed ${RUNS} times within ${tookMs.toFixed(0)} ms of ${BURST} arrivals: of ${RUNS * BURST} messages the network ` +
          `was notified of ${seen.confirmed}, ${seen.unstored} of them not stored yet; lost none`,
      );
    });

    it('before the file of an arrival is downloaded: the next process downloads it', async () => {
      const harness = await startPairedHarness();
      const { wa, account, bob } = harness;
      const bytes = new Uint8Array(100_000).fill(7);
      await harness.service().dieAfterWrites(1);
      await wa.inbound(bob, account, { type: 'document', mimeType: 'application/pdf', bytes });
      await harness.service().ended();
      await comeBack(harness);
      await untilReceived(harness, 1);
      const [message] = await messagesOf(harness, 'inbound');
      const media = await harness.service().client.messages.media(message?.id ?? '');
      expect(media.ok && new Uint8Array(await new Response(media.content).arrayBuffer())).toEqual(bytes);
    });

    it.for<Deed>([
      {
        deed: 'an edit',
        type: 'message.edited',
        outgoing: (id) => ({ type: 'edit', id, text: 'Changed' }),
        after: { text: 'Changed', edited_at: expect.any(String) },
      },
      {
        deed: 'a deletion',
        type: 'message.deleted',
        outgoing: (id) => ({ type: 'delete', id }),
        after: { text: null, deleted_at: expect.any(String) },
      },
    ])('with a write of $deed: it is done once, and reported once', async ({ type, outgoing, after }) => {
      const harness = await startPairedHarness({ optInEvents: [type] });
      const { wa, account, bob } = harness;
      let arrived = 0;
      const arrive = async () => {
        const before = harness.service().writes().length;
        const networkId = await wa.inbound(bob, account, `Message ${arrived++}`);
        await untilErased(harness, before);
        const id = (await messagesOf(harness, 'inbound')).at(-1)?.id ?? '';
        return { id, change: () => wa.inbound(bob, account, outgoing(networkId)) };
      };
      const first = await arrive();
      const writes = await writesOf(harness, async () => {
        await first.change();
        await untilNotified(harness, type, isAbout(first.id));
      });
      for (let count = 0; count <= writes.length; count += STEP) {
        const { id, change } = await arrive();
        await harness.service().dieAfterWrites(count);
        await change();
        await killAtLast(harness, untilNotified(harness, type, isAbout(id)));
        await comeBack(harness);
        await untilNotified(harness, type, isAbout(id));
      }
      const messages = await messagesOf(harness, 'inbound');
      expect(messages).toHaveLength(arrived);
      for (const message of messages) {
        expect(message).toMatchObject(after);
        expect(reportedAbout(harness, message.id)).toEqual(['message.received', type]);
      }
      say(`killed ${arrived - 1} times with one of ${writes.join(', ')} of ${type}: done and reported once`);
    });

    it('while late files are downloaded: each comes once, and is reported once', async (context) => {
      const random = randomInTest(context);
      const harness = await startPairedHarness({ optInEvents: ['message.media_available'] });
      const { wa, account, bob } = harness;
      const files = Array.from({ length: BURST }, (_, index) => new Uint8Array(100_000).fill(index + 1));
      await wa.setMediaHosts('down');
      for (const [index, bytes] of files.entries()) {
        const document = { type: 'document', mimeType: 'application/pdf', bytes } as const;
        await wa.inbound(bob, account, { ...document, caption: String(index) });
      }
      await untilReceived(harness, BURST);
      await harness.service().kill();
      await wa.setMediaHosts('up');
      for (let run = 0; run < RUNS; run += 1) {
        await comeBack(harness);
        await setTimeout(random(200));
        await harness.service().kill();
      }
      await comeBack(harness);
      const messages = await messagesOf(harness, 'inbound');
      expect(messages).toHaveLength(BURST);
      for (const { id } of messages) await untilNotified(harness, 'message.media_available', isAbout(id));
      for (const { id, caption } of messages) {
        const media = await harness.service().client.messages.media(id);
        const content = new Uint8Array(await new Response(media.ok ? media.content : null).arrayBuffer());
        expect(sha256(content)).toBe(sha256(files[Number(caption)] ?? new Uint8Array()));
        expect(reportedAbout(harness, id)).toEqual(['message.received', 'message.media_available']);
      }
    });

    it(`before a receipt is stored, ${RUNS} times: the network gives it again, or the next one reports it`, async () => {
      const harness = await startPairedHarness();
      const { wa, account, bob } = harness;
      let lost = 0;
      for (let run = 0; run < RUNS; run += 1) {
        const id = await send(harness, `Message ${run}`);
        await untilNotified(harness, 'message.sent', isAbout(id));
        const { id: networkId } = await wa.nextMessage();
        await harness.service().dieAfterWrites(0);
        wa.receipt(account, { by: bob, type: 'delivered', ids: [networkId] });
        await harness.service().ended();
        if (confirmedAt(harness, [networkId]).length > 0) lost += 1;
        await comeBack(harness);
        wa.receipt(account, { by: bob, type: 'read', ids: [networkId] });
        await untilMessage(harness, id, 'read');
        const events = ['message.sent', 'message.delivered', 'message.read'];
        await eventually(() => expect(reportedAbout(harness, id)).toEqual(events));
      }
      say(`killed ${RUNS} times before a receipt was stored: ${lost} were lost until the next one`);
    });
  }

  it.runIf(isLongForm).for([
    { writes: 0, moment: 'before', result: 'it is paired again' },
    { writes: 1, moment: 'as soon as', result: 'it stays paired' },
  ])('$moment the credentials of a new device are stored: $result', async ({ writes }) => {
    const harness = await startCrashHarness();
    const { wa, account, instance } = harness;
    must(await harness.service().client.instances.connect(instance));
    await untilStatus(harness, 'qr_required');
    await harness.service().dieAfterWrites(writes);
    wa.scanQr(account, must(await harness.service().client.instances.qr(instance)).code);
    await harness.service().ended();
    if (writes === 0) await pairAgain(harness);
    else await comeBack(harness);
    // The phone still lists the device whose keys were lost.
    expect(wa.linkedDevices(account).map(({ connected }) => connected)).toEqual(
      writes === 0 ? [false, true] : [true],
    );
    await untilNotified(harness, 'message.sent', isAbout(await send(harness, 'Message 0')));
  });
});

interface Deed {
  readonly deed: string;
  readonly type: OptInEventType;
  readonly outgoing: (id: string) => Parameters<CrashHarness['wa']['inbound']>[2];
  readonly after: object;
}

const isAbout =
  (id: string) =>
  ({ data }: WebhookEvent): boolean =>
    'message' in data && data.message.id === id;

function send({ service, instance, bob }: CrashHarness, text: string): Promise<string> {
  const message = { instance, to: bob.phoneNumber, type: 'text', text } as const;
  const idempotencyKey = text.replace(' ', '-');
  return eventually(async () => must(await service().client.messages.send(message, { idempotencyKey })).id);
}

function react({ service }: CrashHarness, id: string): Promise<string> {
  const key = { idempotencyKey: id };
  return eventually(async () => must(await service().client.messages.react(id, { emoji: '👍' }, key)).id);
}

async function pairAgain(harness: CrashHarness): Promise<void> {
  const offered = harness.wa.next('qr_offered');
  await harness.startLater();
  await offered;
  await pairByQr(harness);
}

async function arriveTogether({ wa, account, bob }: CrashHarness, run: number): Promise<readonly string[]> {
  const group = wa.group({ subject: `Neighbours ${run}`, members: [bob, account] });
  const ids: string[] = [];
  for (let index = run * BURST; index < (run + 1) * BURST; index += 1) {
    ids.push(await wa.inbound(bob, account, `Message ${index}`, index % 2 === 0 ? {} : { group }));
  }
  return ids;
}

async function writesOf({ service }: CrashHarness, work: () => Promise<void>): Promise<readonly string[]> {
  const before = service().writes().length;
  await work();
  return service()
    .writes()
    .slice(before)
    .map(({ name }) => name);
}

/** By the current process. */
function storedBy({ service }: CrashHarness): number {
  return service()
    .writes()
    .filter(({ name }) => name === 'receive').length;
}

/** The times at which the client confirmed these messages to the network, by acks or receipts. */
function confirmedAt({ wa }: CrashHarness, ids: readonly string[]): readonly number[] {
  return wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && ['receipt', 'ack'].includes(node.tag))
    .filter(({ node }) => ids.includes(node.attrs['id'] ?? ''))
    .map(({ at }) => at);
}

/** How long after its confirmation each of the last arrivals was stored as a message. */
function storedAfterMs(harness: CrashHarness, ids: readonly string[]): readonly number[] {
  const reported = confirmedAt(harness, ids);
  const stored = harness
    .service()
    .writes()
    .filter(({ name }) => name === 'receive');
  return stored.slice(-ids.length).map(({ at }, index) => at - (reported[index] ?? 0));
}

/** Waits until an arrival has been stored as a message and its record erased, so that no work is left. */
function untilErased({ service }: CrashHarness, before: number): Promise<void> {
  return eventually(() => {
    const names = service()
      .writes()
      .slice(before)
      .map(({ name }) => name);
    // Other values of the session may be saved at any time.
    const [stored, ...erased] = names.slice(names.lastIndexOf('receive'));
    expect([stored, erased.at(-1)]).toEqual(['receive', 'saveSession']);
  });
}

async function killAtLast({ service }: CrashHarness, done: Promise<unknown>): Promise<void> {
  const server = service();
  done.catch(() => undefined); // rejects if the server is dead
  await Promise.race([server.ended(), done]);
  await server.kill();
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `Message ${index}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
