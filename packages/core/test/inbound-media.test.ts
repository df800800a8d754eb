import { describe, expect, it } from 'vitest';
import type { MessageResource } from '../src/index.ts';
import type { IncomingMessage } from '../src/spi/gateway.ts';
import { memoryMediaStore } from '../src/testing/index.ts';
import { PNG, mediaGateway, png, startMediaHarness } from './support/media.ts';
import type { MediaHarness } from './support/media.ts';
import { killable } from './support/killable.ts';
import {
  DAY,
  MINUTE,
  SECOND,
  connectScripted,
  jumpAhead,
  only,
  sendText,
  startHarness,
  receivedEvents,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

type Open = () => Promise<ReadableStream<Uint8Array>>;

function photo(
  open: Open = async () => png().stream(),
  changes: Partial<IncomingMessage> = {},
): IncomingMessage {
  return {
    networkId: 'IN1',
    senderId: '34600000009@net',
    from: '34600000009',
    groupNetworkId: null,
    content: { type: 'image', caption: 'Look', file: { mimeType: 'image/jpeg', filename: 'me.jpg', open } },
    ...changes,
  };
}

const inbound = async ({ api }: Harness): Promise<readonly MessageResource[]> =>
  (await api.messages.list({ direction: 'inbound' })).data;

const received = (harness: Harness): readonly unknown[] =>
  receivedEvents(harness).flatMap(({ type, data }) => (type === 'message.received' ? [data] : []));

/** Reports a message, and returns it as stored. Checks that there is no other, and that receivers get the same. */
async function arrival(
  { harness, gateway }: MediaHarness,
  message: IncomingMessage,
): Promise<MessageResource | undefined> {
  await gateway.last().listener.message(message);
  await harness.clock.settle();
  const [stored, ...more] = await inbound(harness);
  expect(more).toEqual([]);
  expect(received(harness)).toEqual([{ message: stored }]);
  return stored;
}

describe('a received file', () => {
  it('is stored before its event is sent', async () => {
    const opened = await startMediaHarness();
    const { harness, media } = opened;
    const message = await arrival(opened, photo());
    expect(message).toMatchObject({
      type: 'image',
      caption: 'Look',
      text: null,
      // The type that the network reports, although the bytes are of another image format.
      media: { available: true, mime_type: 'image/jpeg', size: PNG.length, filename: 'me.jpg' },
    });
    expect(media.ids()).toEqual([message?.id]);
    const download = await harness.api.messages.media(message?.id ?? '');
    expect(await new Response(await download.open()).bytes()).toEqual(PNG);
  });

  it.each<[string, Open]>([
    ['cannot be had', () => Promise.reject(new Error('410 Gone'))],
    [
      'breaks off',
      async () => new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) }),
    ],
    [
      'breaks off after a while',
      async () =>
        new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array(50_000)),
          pull: (controller) => controller.error(new Error('reset')),
        }),
    ],
    [
      'is larger than any may be',
      async () => {
        let left = 102;
        return new ReadableStream({
          pull: (controller) => {
            controller.enqueue(new Uint8Array(1_048_576));
            left -= 1;
            if (left === 0) controller.close();
          },
        });
      },
    ],
  ])('that %s does not keep its message, which says so', async (_, open) => {
    const opened = await startMediaHarness();
    const message = await arrival(opened, photo(open));
    expect(message).toMatchObject({
      caption: 'Look',
      media: { available: false, mime_type: 'image/jpeg', filename: 'me.jpg' },
    });
    expect(opened.media.ids()).toEqual([]);
    expect(await opened.harness.storage.uploads.listAbandoned(opened.harness.clock.now() + 1, 10)).toEqual(
      [],
    );
    await expect(opened.harness.api.messages.media(message?.id ?? '')).rejects.toMatchObject({
      code: 'MEDIA_NOT_AVAILABLE',
    });
    expect(opened.harness.logs).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  it.each<[string, Open]>([
    ['is never opened', () => new Promise(() => {})],
    ['stops coming', async () => new ReadableStream({ pull: () => new Promise(() => {}) })],
  ])('that %s holds its message back for a minute alone', async (_, open) => {
    const opened = await startMediaHarness();
    const { harness, gateway } = opened;
    const stored = gateway.last().listener.message(photo(open));
    await harness.clock.advance(MINUTE);
    await stored;
    await harness.clock.settle();
    expect(await inbound(harness)).toMatchObject([{ media: { available: false } }]);
    expect(received(harness)).toHaveLength(1);
  });

  it.each<[string, (content: ReadableStream<Uint8Array>) => Promise<void>]>([
    ['immediately', async () => {}],
    [
      'half-way',
      async (content) => {
        for await (const chunk of content) if (chunk.byteLength > 0) break;
      },
    ],
  ])(
    'that the store %s fails to keep is not acknowledged, and arrives with its file once it does not',
    async (_, before) => {
      let isFull = true;
      const opened = await startMediaHarness({}, (media) => ({
        ...media,
        async put(id, content) {
          if (!isFull) return media.put(id, content);
          await before(content);
          throw new Error('ENOSPC: no space left on device, write');
        },
      }));
      const { harness, gateway, media } = opened;
      const { listener } = gateway.last();
      let isCancelled = false;
      const large = async (): Promise<ReadableStream<Uint8Array>> =>
        new ReadableStream({
          start: (controller) => controller.enqueue(PNG),
          pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
          cancel: () => void (isCancelled = true),
        });
      await expect(listener.message(photo(large))).rejects.toThrow('ENOSPC');
      expect([await inbound(harness), media.ids(), isCancelled]).toEqual([[], [], true]);
      expect(await harness.storage.uploads.listAbandoned(harness.clock.now() + 1, 10)).toEqual([]);
      expect(harness.logs).toContainEqual(
        expect.objectContaining({ level: 'error', message: expect.stringContaining('not acknowledged') }),
      );
      expect(gateway.last().state).toBe('open');
      isFull = false;
      expect(await arrival(opened, photo())).toMatchObject({ media: { available: true } });
    },
  );

  it('is acknowledged only after its row is written', async () => {
    const { harness, gateway } = await startMediaHarness();
    const { uploads } = harness.storage;
    const reserve = uploads.reserve.bind(uploads);
    uploads.reserve = () => Promise.reject(new Error('the database is locked'));
    let isAcknowledged = false;
    const reported = gateway
      .last()
      .listener.message(photo())
      .then(() => (isAcknowledged = true));
    await harness.clock.advance(MINUTE);
    expect(isAcknowledged).toBe(false);
    uploads.reserve = reserve;
    await harness.clock.advance(10 * SECOND);
    await reported;
    expect(await inbound(harness)).toMatchObject([{ media: { available: true } }]);
  });

  it('does not hold up texts, receipts or other files for longer than a minute if it stalls', async () => {
    const { harness, gateway, instance } = await startMediaHarness();
    const { listener } = gateway.last();
    const { message } = await sendText(harness, instance);
    await harness.clock.settle();
    let opened = 0;
    const stalls: Open = () => {
      opened += 1;
      return new Promise(() => {});
    };
    const files = Array.from({ length: 50 }, (_, index) =>
      listener.message(photo(stalls, { networkId: `FILE${index}` })),
    );
    const good = listener.message(photo(undefined, { networkId: 'GOOD' }));
    await listener.message(photo(undefined, { networkId: 'TEXT', content: { type: 'text', text: 'Hi' } }));
    await listener.receipt({ networkId: gateway.sent()[0]?.networkId ?? '', status: 'read' });
    expect(await inbound(harness)).toMatchObject([{ type: 'text' }]);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
    expect(opened).toBe(8);
    await harness.clock.advance(7 * MINUTE);
    await Promise.all([...files, good]);
    const stored = (await harness.api.messages.list({ direction: 'inbound', limit: 100 })).data;
    expect(stored).toHaveLength(52);
    // The newest arrival, the text, comes first, no matter when the files were completed.
    expect(stored.map(({ type }) => type)).toEqual(['text', ...Array<string>(51).fill('image')]);
    expect(stored.filter(({ media }) => media?.available)).toMatchObject([{ id: stored[1]?.id }]);
    expect(new Set(stored.map(({ created_at, received_at }) => `${created_at} ${received_at}`)).size).toBe(1);
  });

  it('is left to the next connection if its own has ended before the download began', async () => {
    const { harness, gateway } = await startMediaHarness();
    const { listener } = gateway.last();
    const slow = Promise.withResolvers<ReadableStream<Uint8Array>>();
    const downloading = Array.from({ length: 8 }, (_, index) =>
      listener.message(photo(() => slow.promise.then(() => png().stream()), { networkId: `FILE${index}` })),
    );
    let isOpened = false;
    const waiting = listener.message(
      photo(
        async () => {
          isOpened = true;
          return png().stream();
        },
        { networkId: 'WAITING' },
      ),
    );
    const outcome = Promise.allSettled([waiting]);
    await listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    slow.resolve(png().stream());
    await Promise.all(downloading);
    expect(await outcome).toMatchObject([{ status: 'rejected' }]);
    expect(isOpened).toBe(false);
    await harness.clock.advance(MINUTE);
    await gateway.last().listener.message(photo(undefined, { networkId: 'WAITING' }));
    const stored = await inbound(harness);
    expect(stored.map(({ media }) => media?.available)).toEqual(Array(9).fill(true));
    expect((await harness.api.instances.list()).data[0]?.status).toBe('connected');
  });

  it('is broken off when the process stops during the download, and nothing is left of it', async () => {
    const { harness, gateway, media } = await startMediaHarness();
    let cancelled = 0;
    const stalls: Open = async () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(PNG),
        pull: () => new Promise(() => {}),
        cancel: () => void (cancelled += 1),
      });
    const message = gateway.last().listener.message(photo(stalls));
    const outcome = Promise.allSettled([message]);
    await harness.clock.settle();
    await harness.trunkline.stop();
    expect(await outcome).toMatchObject([{ status: 'rejected' }]);
    expect([cancelled, media.ids()]).toEqual([1, []]);
  });

  it('is kept once, however often the network delivers it', async () => {
    const { harness, gateway, media } = await startMediaHarness();
    const { listener } = gateway.last();
    await Promise.all([listener.message(photo()), listener.message(photo())]);
    await listener.message(photo());
    await harness.clock.settle();
    const messages = await inbound(harness);
    expect(messages).toHaveLength(1);
    expect(media.ids()).toEqual([messages[0]?.id]);
    expect(await harness.storage.uploads.listAbandoned(harness.clock.now() + 1, 10)).toEqual([]);
    expect(received(harness)).toHaveLength(1);
  });

  it('is not downloaded again with a message that is stored', async () => {
    const { gateway } = await startMediaHarness();
    const { listener } = gateway.last();
    let downloads = 0;
    const message = photo(async () => {
      downloads += 1;
      return png().stream();
    });
    await listener.message(message);
    await listener.message(message);
    expect(downloads).toBe(1);
    await listener.message({ ...message, senderId: '34600000008@net' });
    expect(downloads).toBe(2);
  });

  it('has a name and a type that are safe, whatever the sender wrote', async () => {
    const opened = await startMediaHarness();
    const unknown = new Blob(['plain text']);
    const file = {
      mimeType: 'text/html\r\nX-Evil: 1',
      filename: '../..\\\u202e/\r\n',
      open: async () => unknown.stream(),
    };
    const message = await arrival(
      opened,
      photo(undefined, { content: { type: 'document', caption: null, file } }),
    );
    expect(message?.media).toMatchObject({
      mime_type: 'application/octet-stream',
      filename: `document-${message?.id.slice(-6)}.bin`,
    });
  });

  it('is swept and comes again if the process died between the file and the row', async () => {
    const storage = memoryStorage();
    const media = memoryMediaStore();
    const first = killable(storage);
    const killing = {
      ...media,
      async put(id: string, content: ReadableStream<Uint8Array>) {
        const size = await media.put(id, content);
        first.kill();
        return size;
      },
    };
    const gateway = mediaGateway();
    const harness = await startHarness({ storage: first.storage, media: killing, gateway });
    await connectScripted(harness);
    const reported = gateway.last().listener.message(photo());
    const refused = expect(reported).rejects.toThrow('killed');
    await harness.clock.settle();
    expect(media.ids()).toHaveLength(1);

    const later = mediaGateway();
    const second = await harness.another({ storage, media, gateway: later });
    await harness.clock.advance(MINUTE);
    await refused;
    await later.last().listener.message(photo());
    const [message] = (await second.api.messages.list()).data;
    expect(media.ids()).toHaveLength(2);
    await Promise.all([harness.trunkline.stop().catch(() => {}), second.trunkline.stop()]);
    await harness.another({ storage, media, roles: only('maintenance') });
    await jumpAhead(harness, DAY + 2 * MINUTE);
    expect(media.ids()).toEqual([message?.id]);
  });

  it('is kept until it is known whether its message was stored', async () => {
    const { harness, gateway, media } = await startMediaHarness();
    const { messages } = harness.storage;
    const receive = messages.receive.bind(messages);
    messages.receive = async (...given) => {
      await receive(...given);
      messages.receive = receive;
      throw new Error('the connection was lost at the commit');
    };
    const reported = gateway.last().listener.message(photo());
    await harness.clock.advance(SECOND);
    await reported;
    const [message] = await inbound(harness);
    expect(message?.media).toMatchObject({ available: true });
    expect(media.ids()).toEqual([message?.id]);
  });

  it('is not requested if no store is configured', async () => {
    const gateway = mediaGateway();
    const harness = await startHarness({ gateway, media: undefined });
    await connectScripted(harness);
    let isOpened = false;
    await gateway.last().listener.message(
      photo(async () => {
        isOpened = true;
        return png().stream();
      }),
    );
    expect(await inbound(harness)).toMatchObject([{ type: 'image', media: { available: false } }]);
    expect(isOpened).toBe(false);
  });
});
