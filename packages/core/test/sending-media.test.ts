import { describe, expect, it } from 'vitest';
import type { SendMediaInput } from '../src/index.ts';
import { memoryMediaStore } from '../src/testing/index.ts';
import { PNG, bytesOf, mediaGateway, passOnly, png, startMediaHarness } from './support/media.ts';
import type { MediaHarness } from './support/media.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { silence } from './support/scripted-gateway.ts';
import {
  DAY,
  MINUTE,
  SECOND,
  connectScripted,
  only,
  sendText,
  startHarness,
  receivedEvents,
} from './support/harness.ts';

const image = (instance: string): SendMediaInput => ({
  instance,
  to: '34600000009',
  type: 'image',
  file: png(),
});

const outcome = async ({ harness }: MediaHarness, id: string): Promise<unknown> => {
  const { status, error } = await harness.api.messages.get(id);
  return { status, code: error?.code };
};

describe('a file that is sent', () => {
  it('reaches the gateway as it was given, as often as it is opened', async () => {
    const { harness, gateway, instance } = await startMediaHarness();
    await harness.api.messages.send({ ...image(instance), caption: 'Look', filename: 'me.png' });
    await harness.clock.settle();
    const content = gateway.sent()[0]?.content;
    expect(content).toMatchObject({
      type: 'image',
      caption: 'Look',
      file: { mimeType: 'image/png', filename: 'me.png', size: PNG.length },
    });
    expect(await bytesOf(content)).toEqual(PNG);
    expect(await bytesOf(content)).toEqual(PNG);
  });

  it('fails immediately and says why when its file is gone, and holds up nothing', async () => {
    const opened = await startMediaHarness({ send: silence });
    const { harness, gateway, media, instance } = opened;
    const first = await harness.api.messages.send(image(instance));
    const second = await harness.api.messages.send(image(instance));
    const third = await harness.api.messages.send(image(instance));
    await harness.clock.settle();
    await media.delete(media.ids()[1] ?? '');
    gateway.script.send = async () => ({ kind: 'accepted' });
    // The first send never got a response, and is repeated.
    await harness.clock.advance(2 * MINUTE);
    expect(await outcome(opened, first.message.id)).toEqual({ status: 'sent', code: undefined });
    expect(await outcome(opened, second.message.id)).toEqual({ status: 'failed', code: 'media_gone' });
    expect(await outcome(opened, third.message.id)).toEqual({ status: 'sent', code: undefined });
    expect(receivedEvents(harness).map(({ type }) => type)).toContain('message.failed');
  });

  it('is tried again when the store does not respond', async () => {
    let isDown = true;
    const broken = (): Promise<never> => Promise.reject(new Error('EIO'));
    const opened = await startMediaHarness({}, (media) => ({
      ...media,
      size: (id) => (isDown ? broken() : media.size(id)),
    }));
    const { harness, instance } = opened;
    const { message } = await harness.api.messages.send(image(instance));
    await harness.clock.settle();
    expect(await outcome(opened, message.id)).toEqual({ status: 'queued', code: undefined });
    isDown = false;
    await harness.clock.advance(5 * SECOND);
    expect(await outcome(opened, message.id)).toEqual({ status: 'sent', code: undefined });
  });

  it('has more time than a text when it is large', async () => {
    const opened = await startMediaHarness({
      send: async () => {
        await new Promise<void>((resolve) => void harness.clock.setTimer(3 * MINUTE, resolve));
        return { kind: 'accepted' };
      },
    });
    const { harness, gateway, instance } = opened;
    const file = new Blob([new Uint8Array(90_000_000)]);
    const { message } = await harness.api.messages.send({ ...image(instance), type: 'document', file });
    await harness.clock.advance(4 * MINUTE);
    expect(await outcome(opened, message.id)).toEqual({ status: 'sent', code: undefined });
    expect(gateway.sent()).toHaveLength(1);
  });
});

describe('the type of a document', () => {
  const document = (instance: string, file: SendMediaInput['file'], filename?: string): SendMediaInput => ({
    ...image(instance),
    type: 'document',
    file,
    ...(filename !== undefined && { filename }),
  });
  const text = (type = ''): Blob => new Blob(['name;phone'], { type });

  it.each([
    ['is that of its Blob', text('text/csv'), undefined, 'text/csv'],
    ['is that of its name', text(), 'list.csv', 'text/csv'],
    ['is that of the name of its File', new File(['a'], 'a.ics'), undefined, 'text/calendar'],
    ['is that of its bytes, whatever it is called', png(), 'list.csv', 'image/png'],
  ])('%s', async (_, file, filename, mimeType) => {
    const { harness, gateway, instance } = await startMediaHarness();
    const { message } = await harness.api.messages.send(document(instance, file, filename));
    expect(message.media?.mime_type).toBe(mimeType);
    await harness.clock.settle();
    expect(gateway.sent()[0]?.content).toMatchObject({ file: { mimeType } });
  });

  it('follows the name under which an upload is sent', async () => {
    const { harness, instance } = await startMediaHarness();
    const { messages } = harness.api;
    const file = await messages.upload(text().stream(), { filename: 'blob' });
    expect(file.mimeType).toBe('application/octet-stream');
    const { message } = await messages.send(document(instance, file, 'list.csv'));
    expect(message.media?.mime_type).toBe('text/csv');
  });
});

describe('an empty file', () => {
  it.each(['document', 'image'] as const)('is refused as %s, and leaves nothing', async (type) => {
    const { harness, media, instance } = await startMediaHarness();
    const { messages } = harness.api;
    const refused = { code: 'VALIDATION_FAILED', details: { fields: { file: ['Must not be empty.'] } } };
    const send = messages.send({ ...image(instance), type, file: new Blob([]) });
    await expect(send).rejects.toMatchObject(refused);
    await expect(messages.upload(new Blob([]).stream(), { type })).rejects.toMatchObject(refused);
    expect(media.ids()).toEqual([]);
  });
});

describe('an upload', () => {
  const stream = (): ReadableStream<Uint8Array> => png().stream();

  it('is sent by its handle, once', async () => {
    const { harness, media, instance } = await startMediaHarness();
    const { messages } = harness.api;
    const file = await messages.upload(stream(), { type: 'image' });
    expect(file).toMatchObject({ mimeType: 'image/png', size: PNG.length });
    const { message } = await messages.send({ ...image(instance), file }, { idempotencyKey: 'a' });
    for (const idempotencyKey of ['a', 'b']) {
      await expect(messages.send({ ...image(instance), file }, { idempotencyKey })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      });
    }
    // The file belongs to the message now, so `discard` keeps it.
    await file.discard();
    expect(media.ids()).toHaveLength(1);
    expect(await messages.media(message.id)).toMatchObject({ size: PNG.length });
  });

  it('is listed where it was accepted, however long before it was uploaded', async () => {
    const { harness, instance } = await startMediaHarness();
    const { messages } = harness.api;
    const early = await messages.upload(stream());
    await harness.clock.advance(MINUTE);
    const slow = Promise.withResolvers<void>();
    const file = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await slow.promise;
        controller.enqueue(PNG);
        controller.close();
      },
    });
    const streamed = messages.send({ ...image(instance), file });
    await harness.clock.advance(MINUTE);
    const text = await sendText(harness, instance);
    const before = await messages.list({ limit: 1 });
    await harness.clock.advance(MINUTE);
    const image1 = await messages.send({ ...image(instance), file: early });
    await harness.clock.advance(MINUTE);
    slow.resolve();
    const image2 = await streamed;

    const inOrder = [image2, image1, text].map(({ message }) => message.id);
    const listed = (await messages.list()).data;
    expect(listed.map(({ id }) => id)).toEqual(inOrder);
    expect(listed.map((message) => message.queued_at)).toEqual(listed.map((message) => message.created_at));
    expect(listed.map((message) => message.created_at)).toEqual(
      listed
        .map((message) => message.created_at)
        .toSorted()
        .toReversed(),
    );
    // A client that continues paging misses nothing, because new messages come first.
    expect(before.data.map(({ id }) => id)).toEqual([text.message.id]);
    expect(before.nextCursor).toBeNull();
    expect(image1.message.media?.filename).toBe(`image-${image1.message.id.slice(-6)}.png`);
  });

  it('is gone when it is discarded, or when its message is refused', async () => {
    const { harness, media, instance } = await startMediaHarness();
    const { messages } = harness.api;
    const discarded = await messages.upload(stream());
    await discarded.discard();
    await discarded.discard();
    expect(media.ids()).toEqual([]);
    await expect(messages.send({ ...image(instance), file: discarded })).rejects.toThrow();
    const refused = await messages.upload(stream());
    await expect(messages.send({ ...image(instance), to: 'nobody', file: refused })).rejects.toThrow();
    expect(media.ids()).toEqual([]);
  });

  it('cannot be made up', async () => {
    const { harness, instance } = await startMediaHarness();
    const made = { mimeType: 'image/png', size: 1, sha256: '', discard: async () => {} };
    for (const file of [made, null, 'me.png', 1]) {
      const input = { ...image(instance), file } as unknown as SendMediaInput;
      await expect(harness.api.messages.send(input)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    }
  });

  it('leaves nothing if it breaks off, and its error is reported', async () => {
    const { harness, media } = await startMediaHarness();
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10_000)),
      pull: (controller) => controller.error(new Error('reset')),
    });
    await expect(harness.api.messages.upload(broken)).rejects.toThrow('reset');
    expect(media.ids()).toEqual([]);
    expect(await harness.storage.uploads.listAbandoned(harness.clock.now() + 1, 10)).toEqual([]);
  });

  it('fails with the error of a store that cannot keep it, is read no further, and leaves nothing', async () => {
    const full = (): Promise<never> => Promise.reject(new Error('ENOSPC'));
    const { harness } = await startMediaHarness({}, (media) => ({ ...media, put: full }));
    let isCancelled = false;
    const content = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
      cancel: () => void (isCancelled = true),
    });
    await expect(harness.api.messages.upload(content)).rejects.toThrow('ENOSPC');
    expect(isCancelled).toBe(true);
    expect(await harness.storage.uploads.listAbandoned(harness.clock.now() + 1, 10)).toEqual([]);
  });

  it('is refused as too large, whatever error the store makes of the end of its stream', async () => {
    const { harness } = await startMediaHarness({}, (media) => ({
      ...media,
      put: (id, content) => media.put(id, content).catch(() => Promise.reject(new Error('UploadAborted'))),
    }));
    const large = new Blob([PNG, new Uint8Array(6_000_000)]).stream();
    await expect(harness.api.messages.upload(large, { type: 'image' })).rejects.toMatchObject({
      code: 'MEDIA_TOO_LARGE',
    });
  });

  it('still gets its response if its cleanup fails, and is swept later', async () => {
    let isDown = true;
    const opened = await startMediaHarness({}, (store) => ({
      ...store,
      delete: (id) => (isDown ? Promise.reject(new Error('EIO')) : store.delete(id)),
    }));
    const { harness, media, instance } = opened;
    const send = harness.api.messages.send({ ...image(instance), to: 'nobody' });
    await expect(send).rejects.toMatchObject({ code: 'INVALID_RECIPIENT' });
    expect(media.ids()).toHaveLength(1);
    isDown = false;
    await passOnly(opened, DAY + 2 * MINUTE);
    expect(media.ids()).toEqual([]);
  });
});

describe('a send with an unknown outcome', () => {
  it('keeps its file for the message that may be stored', async () => {
    const opened = await startMediaHarness();
    const { harness, media, instance } = opened;
    const { messages } = harness.storage;
    const accept = messages.accept.bind(messages);
    messages.accept = async (acceptance) => {
      await accept(acceptance);
      throw new Error('the connection was lost at the commit');
    };
    await expect(harness.api.messages.send(image(instance))).rejects.toThrow('commit');
    messages.accept = accept;
    await harness.clock.advance(MINUTE);
    await passOnly(opened, DAY + MINUTE);
    const { api } = await harness.another({ media, roles: only('api') });
    const [message] = (await api.messages.list()).data;
    expect(message).toMatchObject({ status: 'sent', media: { available: true } });
    expect(media.ids()).toHaveLength(1);
    expect(await api.messages.media(message?.id ?? '')).toMatchObject({ size: PNG.length });
  });

  it('leaves its file to the sweeper when no message was stored', async () => {
    const opened = await startMediaHarness();
    const { harness, media, instance } = opened;
    const { messages } = harness.storage;
    const accept = messages.accept.bind(messages);
    messages.accept = () => Promise.reject(new Error('disk full'));
    await expect(harness.api.messages.send(image(instance))).rejects.toThrow('disk full');
    messages.accept = accept;
    await passOnly(opened, DAY - MINUTE);
    expect(media.ids()).toHaveLength(1);
    await passOnly(opened, 3 * MINUTE);
    expect(media.ids()).toEqual([]);
  });
});

describe('without a media store', () => {
  it('a file is refused for its type, and texts are still sent', async () => {
    const gateway = mediaGateway();
    const harness = await startHarness({ gateway, media: undefined, storage: memoryStorage() });
    const instance = await connectScripted(harness);
    let isCancelled = false;
    const content = new ReadableStream<Uint8Array>({ cancel: () => void (isCancelled = true) });
    const refused = {
      code: 'UNSUPPORTED_MESSAGE_TYPE',
      message: expect.stringContaining('has no media store'),
    };
    const sending = harness.api.messages.send({ ...image(instance), file: content });
    await expect(sending).rejects.toMatchObject(refused);
    expect(isCancelled).toBe(true);
    await expect(harness.api.messages.upload(png().stream())).rejects.toMatchObject(refused);
    expect((await harness.api.instances.get(instance)).capabilities).toEqual(['text', 'groups']);
  });

  it('the files of other processes are not touched', async () => {
    const storage = memoryStorage();
    const media = memoryMediaStore();
    const harness = await startHarness({ media, storage, roles: only('api') });
    await harness.api.messages.upload(png().stream());
    await passOnly({ harness, store: undefined }, DAY + 2 * MINUTE);
    expect(media.ids()).toHaveLength(1);
    expect(await storage.uploads.listAbandoned(harness.clock.now(), 10)).toHaveLength(1);
  });
});

describe('a voice message', () => {
  const ogg = (codec: string): Blob => new Blob(['OggS', new Uint8Array(24), codec]);
  const voice = (instance: string): SendMediaInput => ({
    instance,
    to: '34600000009',
    type: 'audio',
    file: ogg('OpusHead'),
    voice: true,
  });

  it('is sent as one, and says so', async () => {
    const { harness, gateway, instance } = await startMediaHarness();
    const { message } = await harness.api.messages.send(voice(instance));
    expect(message).toMatchObject({ type: 'audio', kind: 'voice', payload: { seconds: null } });
    const plain = await harness.api.messages.send({ ...voice(instance), voice: false });
    expect(plain.message).toMatchObject({ type: 'audio', kind: 'audio', payload: null });
    await harness.clock.settle();
    const [first, second] = gateway.sent().map(({ content }) => content);
    expect(first).toMatchObject({ type: 'audio', voice: true, file: { mimeType: 'audio/ogg' } });
    expect(second).not.toHaveProperty('voice');
  });

  it.each([
    ['another type than audio', { type: 'image', file: png() }, 'VALIDATION_FAILED'],
    ['a file that is not Ogg', { file: png() }, 'INVALID_MEDIA_TYPE'],
    ['Ogg with another codec', { file: ogg('\u0001vorbis') }, 'INVALID_MEDIA_TYPE'],
    ['neither true nor false', { voice: 'maybe' as unknown as boolean }, 'VALIDATION_FAILED'],
  ] as const)('is refused with %s', async (_, changes, code) => {
    const { harness, instance, media } = await startMediaHarness();
    const send = harness.api.messages.send({ ...voice(instance), ...changes });
    await expect(send).rejects.toMatchObject({ code });
    expect(media.ids()).toEqual([]);
  });

  it('is another request than the same audio file', async () => {
    const { harness, instance } = await startMediaHarness();
    const key = { idempotencyKey: 'one' };
    await harness.api.messages.send(voice(instance), key);
    expect(await harness.api.messages.send(voice(instance), key)).toMatchObject({ replayed: true });
    await expect(harness.api.messages.send({ ...voice(instance), voice: false }, key)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });
});
