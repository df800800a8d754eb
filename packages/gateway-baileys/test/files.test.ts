import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger, MessageResource } from '@trunkline/core';
import { silentLogger } from '@trunkline/core';
import { describe, expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { acceleratingClock } from './support/linked.ts';
import { must, startLinkedFlow, untilMessage, untilNotified } from './support/flow.ts';
import type { Service } from './support/service.ts';

const JPEG = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0);
const FILE = { type: 'document', mimeType: 'text/plain', filename: 'a.txt' } as const;

/** How many files stall, which is more than are downloaded concurrently. */
const STALLED = sized('STALLED_FILES', { short: 10, long: 50 });

describe('a received file', () => {
  it(`does not delay texts, receipts or the end of the process, even if ${STALLED} of them stall`, async () => {
    const flow = await startLinkedFlow();
    const { wa, account, bob, instance } = flow;
    const text = { instance, to: bob.phoneNumber, type: 'text', text: 'Hello' } as const;
    const sent = must(await flow.service().client.messages.send(text));
    const { id } = await wa.nextMessage();
    await untilMessage(flow, sent.id, 'sent');
    wa.failMedia('stall', STALLED);
    const begun = performance.now();
    for (let index = 0; index < STALLED; index++) {
      await wa.inbound(bob, account, { ...FILE, bytes: new Uint8Array(100_000).fill(index) });
    }
    await wa.inbound(bob, account, 'after them');
    wa.receipt(account, { by: bob, type: 'read', ids: [id] });
    await untilNotified(flow, 'message.received');
    await untilMessage(flow, sent.id, 'read');
    await flow.service().stop();
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  it('costs neither the connection nor its content if it cannot be stored, and arrives when there is room', async () => {
    const errors: string[] = [];
    const note: Logger['warn'] = (facts) => void errors.push(String(facts['err']));
    const logger: Logger = { ...silentLogger, warn: note, error: note };
    const flow = await startLinkedFlow({ logger });
    const { wa, account, bob, receiver, directory } = flow;
    const media = join(directory, 'media');
    rmSync(media, { recursive: true, force: true });
    writeFileSync(media, 'no directory');
    const bytes = new Uint8Array(100_000).fill(1);
    await wa.inbound(bob, account, { ...FILE, bytes });
    const said = expect.stringContaining(`The media directory ${media} cannot be written (`);
    await eventually(() => expect(errors).toContainEqual(said));
    await wa.inbound(bob, account, 'after it');
    await untilNotified(flow, 'message.received');
    expect(await listed(flow.service())).toMatchObject([{ text: 'after it' }]);

    rmSync(media);
    mkdirSync(media);
    const both = await eventually(async () => {
      const messages = await listed(flow.service());
      expect(messages).toHaveLength(2);
      return messages;
    });
    const file = both.find(({ type }) => type === 'document');
    expect(file).toMatchObject({ media: { available: true, filename: 'a.txt', size: bytes.length } });
    await eventually(() =>
      expect(receiver.events.filter(({ type }) => type === 'message.received')).toHaveLength(2),
    );
    expect(receiver.events.map(({ type }) => type)).not.toContain('instance.disconnected');
  });
});

it.runIf(isLongForm)(
  'a picture that comes small and then in HD is one message, with the better file',
  async () => {
    const flow = await startLinkedFlow({ optInEvents: ['message.media_updated'] });
    const { wa, account, bob, receiver } = flow;
    const bytes = new Uint8Array(50_000).fill(7);
    bytes.set(JPEG);
    const picture = { type: 'image', mimeType: 'image/jpeg' } as const;
    const id = await wa.inbound(bob, account, { ...picture, bytes: JPEG, caption: 'the house' });
    await wa.inbound(bob, account, { ...picture, bytes, completes: { id, as: 'HD_IMAGE_DUAL_UPLOAD' } });
    await wa.inbound(bob, account, 'after it');
    const updated = await untilNotified(flow, 'message.media_updated');
    const [after, message] = await listed(flow.service());
    expect(updated.data).toEqual({ message });
    expect(message).toMatchObject({ caption: 'the house', media: { available: true, size: bytes.length } });
    expect(after).toMatchObject({ text: 'after it' });
    expect(receiver.events.filter(({ type }) => type === 'message.received')).toHaveLength(2);
  },
);

describe('a received file that comes late', () => {
  it.runIf(isLongForm)(
    'is reported by webhook when it can be downloaded, and its message was there before',
    async () => {
      const { clock, accelerate } = acceleratingClock();
      const flow = await startLinkedFlow({ clock, optInEvents: ['message.media_available'] });
      const { wa, account, bob } = flow;
      const { client } = flow.service();
      await wa.setMediaHosts('silent', 'silent');
      const bytes = new Uint8Array(100_000).fill(7);
      await wa.inbound(bob, account, { ...FILE, bytes });
      accelerate(20);
      const arrived = await untilNotified(flow, 'message.received');
      expect(arrived.data).toMatchObject({
        message: { media: { available: false, filename: 'a.txt', size: null } },
      });

      wa.forgetMedia();
      wa.respondToMediaRetries(account, 'upload');
      await wa.setMediaHosts('up');
      const available = await untilNotified(flow, 'message.media_available');
      expect(available.data).toMatchObject({ message: { media: { available: true, size: bytes.length } } });
      const [message] = await listed(flow.service());
      expect(available.data).toEqual({ message });
      const download = await client.messages.media(message?.id ?? '');
      if (!download.ok) throw new Error(download.error.code);
      expect(Buffer.from(await new Response(download.content).arrayBuffer()).equals(bytes)).toBe(true);
    },
  );
});

async function listed({ client }: Service): Promise<readonly MessageResource[]> {
  const page = await client.messages.list({ direction: 'inbound' });
  if (!page.ok) throw new Error(page.error.code);
  return page.data;
}
