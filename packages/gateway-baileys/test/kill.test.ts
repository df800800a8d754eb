import { setTimeout } from 'node:timers/promises';
import type { WebhookEvent } from '@trunkline/receiver';
import { describe, expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { randomInTest } from '@trunkline/test-support/seeded-test';
import { expectReceivedOnce, expectSentOnce, messagesOf, untilReceived } from './support/crash-oracle.ts';
import { comeBack, setCrashScene, setPairedScene } from './support/crash-scene.ts';
import type { CrashScene } from './support/crash-scene.ts';
import { must, pairByQr, toldAbout, untilMessage, untilStatus, untilTold } from './support/flow.ts';

/** Kills whose moment is left to the network or to chance; more with KILL_RUNS. */
const RUNS = Number(process.env['KILL_RUNS'] ?? 2);
/** The short form leaves out every other write. */
const STEP = process.env['KILL_RUNS'] === undefined ? 2 : 1;
/** Messages that arrive together. */
const BURST = 4;

describe.concurrent('kill -9', { timeout: 300_000 + RUNS * 10_000 }, () => {
  it('with a write of a send: the message is in the chat once, and told once', async () => {
    const scene = await setPairedScene();
    const writes = await writesOf(scene, async () => {
      await untilTold(scene, 'message.sent', isAbout(await send(scene, 'Message 0')));
    });
    let sent = 1;
    for (let count = 0; count <= writes.length; count += STEP) {
      await scene.service().dieAfterWrites(count);
      const id = await send(scene, `Message ${sent++}`);
      await killAtLast(scene, untilTold(scene, 'message.sent', isAbout(id)));
      await comeBack(scene);
      await untilTold(scene, 'message.sent', isAbout(id));
    }
    await expectSentOnce(scene, numbered(sent));
    say(`killed ${sent - 1} times with one of ${writes.join(', ')}: every message sent once`);
  });

  it(`between the socket and the ack, ${RUNS} times: the message is sent again under its id`, async () => {
    const scene = await setPairedScene();
    const { wa } = scene;
    for (let run = 0; run < RUNS; run += 1) {
      wa.holdAcks();
      const id = await send(scene, `Message ${run}`);
      const first = await wa.nextMessage();
      await scene.service().kill();
      wa.releaseAcks();
      await comeBack(scene);
      await untilTold(scene, 'message.sent', isAbout(id));
      expect((await wa.nextMessage()).id).toBe(first.id);
    }
    await expectSentOnce(scene, numbered(RUNS));
    say(`killed ${RUNS} times before the ack: ${wa.sentMessages().length} stanzas, ${RUNS} messages`);
  });

  it('with a write of an arrival: the message is stored once, and told once', async () => {
    const scene = await setPairedScene();
    const { wa, account } = scene;
    // Each from somebody who has not written before, which uses a pre-key up.
    const arrive = (index: number): Promise<string> =>
      wa.inbound(wa.person(`55119${20_000_000 + index}`), account, `Message ${index}`);
    const writes = await writesOf(scene, async () => {
      const before = scene.service().writes().length;
      await arrive(0);
      await untilErased(scene, before);
    });
    let arrived = 1;
    for (let count = 0; count <= writes.length; count += STEP) {
      const before = scene.service().writes().length;
      await scene.service().dieAfterWrites(count);
      await arrive(arrived++);
      await killAtLast(scene, untilErased(scene, before));
      await comeBack(scene);
      await untilReceived(scene, arrived);
    }
    await expectReceivedOnce(scene, numbered(arrived));
    say(`killed ${arrived - 1} times with one of ${writes.join(', ')}: every message received once`);
  });

  it(`after an arrival, ${RUNS} times at any moment: nothing is lost, nothing is doubled`, async (context) => {
    const random = randomInTest(context);
    const scene = await setPairedScene();
    const began = performance.now();
    const undisturbed = await arriveTogether(scene, 0);
    await untilReceived(scene, BURST);
    const tookMs = performance.now() - began;
    const windows = storedAfterMs(scene, undisturbed);
    const seen = { confirmed: 0, unstored: 0 };
    for (let run = 1; run <= RUNS; run += 1) {
      const before = storedBy(scene);
      const ids = await arriveTogether(scene, run);
      await setTimeout(random(tookMs));
      await scene.service().kill();
      const confirmed = confirmedAt(scene, ids).length;
      seen.confirmed += confirmed;
      seen.unstored += Math.max(0, confirmed - (storedBy(scene) - before));
      await comeBack(scene);
      await untilReceived(scene, (run + 1) * BURST);
    }
    await expectReceivedOnce(scene, numbered((RUNS + 1) * BURST));
    say(`arrivals are stored ${windows.map((ms) => ms.toFixed(1)).join(', ')} ms after the network was told`);
    say(
      `killed ${RUNS} times within ${tookMs.toFixed(0)} ms of ${BURST} arrivals: of ${RUNS * BURST} messages the network ` +
        `was told of ${seen.confirmed}, ${seen.unstored} of them not stored yet; lost none`,
    );
  });

  it('before the file of an arrival is downloaded: the next process downloads it', async () => {
    const scene = await setPairedScene();
    const { wa, account, bob } = scene;
    const bytes = new Uint8Array(100_000).fill(7);
    await scene.service().dieAfterWrites(1);
    await wa.inbound(bob, account, { type: 'document', mimeType: 'application/pdf', bytes });
    await scene.service().ended();
    await comeBack(scene);
    await untilReceived(scene, 1);
    const [message] = await messagesOf(scene, 'inbound');
    const media = await scene.service().client.messages.media(message?.id ?? '');
    expect(media.ok && new Uint8Array(await new Response(media.content).arrayBuffer())).toEqual(bytes);
  });

  it(`before a receipt is stored, ${RUNS} times: the network gives it again, or the next one tells it`, async () => {
    const scene = await setPairedScene();
    const { wa, account, bob } = scene;
    let lost = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const id = await send(scene, `Message ${run}`);
      await untilTold(scene, 'message.sent', isAbout(id));
      const { id: networkId } = await wa.nextMessage();
      await scene.service().dieAfterWrites(0);
      wa.receipt(account, { by: bob, type: 'delivered', ids: [networkId] });
      await scene.service().ended();
      if (confirmedAt(scene, [networkId]).length > 0) lost += 1;
      await comeBack(scene);
      wa.receipt(account, { by: bob, type: 'read', ids: [networkId] });
      await untilMessage(scene, id, 'read');
      const events = ['message.sent', 'message.delivered', 'message.read'];
      await eventually(() => expect(toldAbout(scene, id)).toEqual(events));
    }
    say(`killed ${RUNS} times before a receipt was stored: ${lost} were lost until the next one`);
  });

  it.for([
    { writes: 0, moment: 'before', result: 'it is paired again' },
    { writes: 1, moment: 'as soon as', result: 'it stays paired' },
  ])('$moment the credentials of a new device are stored: $result', async ({ writes }) => {
    const scene = await setCrashScene();
    const { wa, account, instance } = scene;
    must(await scene.service().client.instances.connect(instance));
    await untilStatus(scene, 'qr_required');
    await scene.service().dieAfterWrites(writes);
    wa.scanQr(account, must(await scene.service().client.instances.qr(instance)).code);
    await scene.service().ended();
    if (writes === 0) await pairAnew(scene);
    else await comeBack(scene);
    // The phone goes on listing the device that nobody has the keys of.
    expect(wa.linkedDevices(account).map(({ connected }) => connected)).toEqual(
      writes === 0 ? [false, true] : [true],
    );
    await untilTold(scene, 'message.sent', isAbout(await send(scene, 'Message 0')));
  });
});

const isAbout =
  (id: string) =>
  ({ data }: WebhookEvent): boolean =>
    'message' in data && data.message.id === id;

/** Queues a text for Bob, once the instance takes messages. */
function send({ service, instance, bob }: CrashScene, text: string): Promise<string> {
  const message = { instance, to: bob.phoneNumber, type: 'text', text } as const;
  return eventually(async () => must(await service().client.messages.send(message)).id);
}

async function pairAnew(scene: CrashScene): Promise<void> {
  const offered = scene.wa.next('qr_offered');
  await scene.startLater();
  await offered;
  await pairByQr(scene);
}

/** One after the other, half of them in a group. Answers their network ids. */
async function arriveTogether({ wa, account, bob }: CrashScene, run: number): Promise<readonly string[]> {
  const group = wa.group({ subject: `Neighbours ${run}`, members: [bob, account] });
  const ids: string[] = [];
  for (let index = run * BURST; index < (run + 1) * BURST; index += 1) {
    ids.push(await wa.inbound(bob, account, `Message ${index}`, index % 2 === 0 ? {} : { group }));
  }
  return ids;
}

/** The names of the writes during `work`. */
async function writesOf({ service }: CrashScene, work: () => Promise<void>): Promise<readonly string[]> {
  const before = service().writes().length;
  await work();
  return service()
    .writes()
    .slice(before)
    .map(({ name }) => name);
}

/** How many arrivals the process that runs now has stored as messages. */
function storedBy({ service }: CrashScene): number {
  return service()
    .writes()
    .filter(({ name }) => name === 'receive').length;
}

/** When the network was told that the client has these messages, or these receipts of them. */
function confirmedAt({ wa }: CrashScene, ids: readonly string[]): readonly number[] {
  return wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && ['receipt', 'ack'].includes(node.tag))
    .filter(({ node }) => ids.includes(node.attrs['id'] ?? ''))
    .map(({ at }) => at);
}

/** How long after the network was told each of the last arrivals was stored as a message. */
function storedAfterMs(scene: CrashScene, ids: readonly string[]): readonly number[] {
  const told = confirmedAt(scene, ids);
  const stored = scene
    .service()
    .writes()
    .filter(({ name }) => name === 'receive');
  return stored.slice(-ids.length).map(({ at }, index) => at - (told[index] ?? 0));
}

/** Since so many writes, an arrival was stored as a message and then erased: nothing is left to do. */
function untilErased({ service }: CrashScene, before: number): Promise<void> {
  return eventually(() => {
    const names = service()
      .writes()
      .slice(before)
      .map(({ name }) => name);
    expect(names.slice(-2)).toEqual(['receive', 'saveSession']);
  });
}

/** The server has died by itself, or dies now that all is done. */
async function killAtLast({ service }: CrashScene, done: Promise<unknown>): Promise<void> {
  const server = service();
  done.catch(() => undefined); // of a server that is dead
  await Promise.race([server.ended(), done]);
  await server.kill();
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `Message ${index}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
