import { must } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import type { Activity, ContactReport, IncomingMessage } from '../src/spi/gateway.ts';
import { HOUR, receivedEvents } from './support/harness.ts';
import { PNG, startMediaHarness } from './support/media.ts';

const BOB: ContactReport = {
  networkId: '34600000009@net',
  aliases: [],
  phoneNumber: '34600000009',
  name: null,
  username: null,
};
const EVE: ContactReport = { ...BOB, networkId: '34600000666@net', phoneNumber: '34600000666' };

const HD = Uint8Array.from([...PNG, 1, 2, 3]);
const reference = new TextEncoder().encode('the picture in HD');

const SMALL: IncomingMessage = {
  networkId: 'IN1',
  senderId: BOB.networkId,
  from: BOB.phoneNumber,
  groupNetworkId: null,
  contact: BOB,
  content: {
    type: 'image',
    caption: 'the house',
    file: { mimeType: 'image/png', filename: null, open: async () => new Blob([PNG]).stream() },
  },
};

type MediaUpdate = Extract<Activity, { kind: 'media_update' }>;

function inHd(changes: Partial<MediaUpdate> = {}): MediaUpdate {
  const place = { about: 'IN1', groupNetworkId: null, own: false, at: null };
  return {
    kind: 'media_update',
    ...place,
    author: BOB.networkId,
    contact: BOB,
    type: 'image',
    reference,
    ...changes,
  };
}

/** An instance that has received a picture, of which the network then offers a better copy. */
async function withPicture(openFile = async () => new Blob([HD]).stream()) {
  const { harness, gateway } = await startMediaHarness({ openFile });
  await harness.api.webhooks.create({
    url: 'https://hooks.example.com/files',
    events: ['message.media_updated', 'message.media_available', 'message.received'],
  });
  const { listener } = gateway.last();
  await listener.message(SMALL);
  const message = must((await harness.api.messages.list()).data[0]);
  const events = async (): Promise<readonly string[]> => {
    await harness.clock.settle();
    return receivedEvents(harness).flatMap(({ type }) => (type.startsWith('message.') ? [type] : []));
  };
  return { harness, listener, message, events };
}

describe('a better copy of a file', () => {
  it('replaces the file of its message, once, with an event for endpoints that name it', async () => {
    const { harness, listener, message, events } = await withPicture();
    const { api, storage, clock } = harness;
    expect(message.media).toMatchObject({ available: true, size: PNG.length });
    await listener.activity?.(inHd());
    expect(await events()).toEqual(['message.received', 'message.media_updated']);
    const now = await api.messages.get(message.id);
    expect(now).toEqual({
      ...message,
      media: {
        ...message.media,
        size: HD.length,
        sha256: expect.not.stringMatching(message.media?.sha256 ?? ''),
      },
    });
    expect(receivedEvents(harness).at(-1)?.data).toEqual({ message: now });
    const file = await api.messages.media(message.id);
    expect(await new Response(await file.open()).bytes()).toEqual(HD);
    // The first copy has been deleted.
    expect(await storage.uploads.listAbandoned(clock.now() + HOUR, 10)).toEqual([]);

    await listener.activity?.(inHd());
    expect(await events()).toHaveLength(2);
    expect(await api.messages.get(message.id)).toEqual(now);
    expect((await api.messages.list()).data).toHaveLength(1);
  });

  it.each([
    ['somebody else', inHd({ author: EVE.networkId, contact: EVE })],
    ['another type', inHd({ type: 'video' })],
    ['a message that is not stored', inHd({ about: 'IN2' })],
  ])('is not taken from or for %s', async (_, update) => {
    const { harness, listener, message, events } = await withPicture();
    await listener.activity?.(update);
    expect(await events()).toEqual(['message.received']);
    expect((await harness.api.messages.list()).data).toEqual([message]);
  });

  it('is accepted only from the author, also in a group', async () => {
    const { harness, listener, events } = await withPicture();
    const group = { groupNetworkId: 'g1' };
    await listener.groups([{ networkId: 'g1', name: 'Team', participantsCount: 3 }]);
    await listener.message({ ...SMALL, ...group, networkId: 'IN3' });
    await listener.activity?.(inHd({ ...group, about: 'IN3', contact: EVE }));
    await listener.activity?.(inHd({ ...group, about: 'IN3', contact: null, own: true }));
    expect(await events()).toEqual(['message.received', 'message.received']);
    await listener.activity?.(inHd({ ...group, about: 'IN3' }));
    expect((await events()).at(-1)).toBe('message.media_updated');
    expect((await harness.api.messages.list()).data[0]).toMatchObject({ media: { size: HD.length } });
  });

  it('leaves the first one in place while it fails to come, and is asked for again', async () => {
    let fails = true;
    const { harness, listener, message, events } = await withPicture(async () => {
      if (fails) throw new Error('404 Not Found');
      return new Blob([HD]).stream();
    });
    await listener.activity?.(inHd());
    expect(await events()).toEqual(['message.received']);
    expect(await harness.api.messages.get(message.id)).toEqual(message);
    fails = false;
    await harness.clock.advance(HOUR);
    expect(await events()).toEqual(['message.received', 'message.media_updated']);
  });
});
