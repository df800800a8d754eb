import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import type { MessageResource } from '../src/index.ts';
import { createSandbox } from '../src/sandbox/index.ts';
import type { IncomingMessage } from '../src/spi/gateway.ts';
import { memoryMediaStore } from '../src/testing/index.ts';
import {
  connectInstance,
  connectScripted,
  HOUR,
  jumpAhead,
  listen,
  MINUTE,
  only,
  receivedEvents,
  SECOND,
  SECRET_KEY,
  sendText,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { killable } from './support/killable.ts';
import { mediaGateway, PNG, png, startMediaHarness } from './support/media.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { silence } from './support/scripted-gateway.ts';

const SENDER = '34600000009@net';

/** A photo whose file, by default, the network never sends. */
function photo(
  networkId: string,
  open: () => Promise<ReadableStream<Uint8Array>> = silence,
): IncomingMessage {
  return {
    networkId,
    senderId: SENDER,
    from: '34600000009',
    groupNetworkId: null,
    content: {
      type: 'image',
      caption: 'Look',
      file: { mimeType: 'image/jpeg', filename: null, reference: referenceOf(networkId), open },
    },
  };
}

function text(networkId: string, senderId = SENDER): IncomingMessage {
  return {
    networkId,
    senderId,
    from: null,
    groupNetworkId: null,
    content: { type: 'text', text: networkId },
  };
}

function referenceOf(networkId: string): Uint8Array {
  return new TextEncoder().encode(`the file of ${networkId}`);
}

async function inbound({ api }: Pick<Harness, 'api'>): Promise<readonly MessageResource[]> {
  return (await api.messages.list({ direction: 'inbound', limit: 100 })).data;
}

function eventsOf(harness: Pick<Harness, 'sender'>, type: string): readonly MessageResource[] {
  return receivedEvents(harness).flatMap((event) =>
    event.type === type && 'message' in event.data ? [event.data.message as MessageResource] : [],
  );
}

const AVAILABLE = 'message.media_available';

/** Creates an endpoint for `AVAILABLE`, because an endpoint gets this event only if it names the event. */
async function listenForFiles({ api }: Pick<Harness, 'api'>): Promise<void> {
  await api.webhooks.create({ url: 'https://hooks.example.com/files', events: [AVAILABLE] });
}

function leftovers({ storage, clock }: Harness): Promise<readonly string[]> {
  return storage.uploads.listAbandoned(clock.now() + 1, 100);
}

function pendingOf({ storage }: Harness, instance: string) {
  return storage.downloads.listNext([instance], 100);
}

async function startWaiting(...options: Parameters<typeof startMediaHarness>) {
  const opened = await startMediaHarness(...options);
  await listenForFiles(opened.harness);
  const { harness, gateway } = opened;
  const stored = gateway.last().listener.message(photo('IN1'));
  await harness.clock.advance(30 * SECOND);
  await stored;
  return opened;
}

describe('messages with files that stall', () => {
  it.each(isLongForm ? [8, 50] : [8])(
    '%i at a time delay no text and no receipt, of the same sender or another',
    async (count) => {
      const { harness, gateway, instance } = await startMediaHarness();
      const { listener } = gateway.last();
      const { message } = await sendText(harness, instance);
      await harness.clock.settle();
      const begun = harness.clock.now();
      const files = Array.from({ length: count }, (_, index) => listener.message(photo(`FILE${index}`)));
      await listener.message(text('of the same sender'));
      await listener.message(text('of another', '34600000008@net'));
      await listener.receipt({ networkId: gateway.sent()[0]?.networkId ?? '', status: 'read' });
      expect((await inbound(harness)).map(({ text: said }) => said)).toEqual([
        'of another',
        'of the same sender',
      ]);
      expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'read' });
      expect(harness.clock.now()).toBe(begun);

      await harness.clock.advance(30 * SECOND);
      await Promise.all(files);
      const stored = await inbound(harness);
      expect(stored.filter(({ type }) => type === 'image')).toHaveLength(count);
      expect(eventsOf(harness, 'message.received')).toHaveLength(count + 2);
      expect(stored.every(({ media }) => media?.available !== true)).toBe(true);
      expect(await pendingOf(harness, instance)).toHaveLength(count);
    },
  );

  it('download in places of their own, and leave those to the next files', async () => {
    const { harness, gateway } = await startMediaHarness();
    const { listener } = gateway.last();
    let opened = 0;
    const stalls = (): Promise<never> => {
      opened += 1;
      return silence();
    };
    const files = Array.from({ length: 20 }, (_, index) => listener.message(photo(`FILE${index}`, stalls)));
    await harness.clock.settle();
    expect(opened).toBe(8);
    await harness.clock.advance(30 * SECOND);
    await Promise.all(files);
    // Files that did not come in time no longer occupy the places for first downloads.
    await listener.message(photo('GOOD', async () => png().stream()));
    expect((await inbound(harness))[0]).toMatchObject({ media: { available: true } });
  });
});

describe('a file that does not come in time', () => {
  it('is downloaded while its message waits no longer, if it is on its way', async () => {
    let asked = 0;
    const { harness, gateway, media, instance } = await startMediaHarness({
      openFile: () => {
        asked += 1;
        return silence();
      },
    });
    await listenForFiles(harness);
    const content = new TransformStream<Uint8Array, Uint8Array>();
    const writer = content.writable.getWriter();
    let opened = 0;
    const slow = async (): Promise<ReadableStream<Uint8Array>> => {
      opened += 1;
      return content.readable;
    };
    const stored = gateway.last().listener.message(photo('IN1', slow));
    void writer.write(PNG);
    await harness.clock.advance(20 * SECOND);
    expect(await inbound(harness)).toEqual([]);
    void writer.write(new Uint8Array(10_000));
    await harness.clock.advance(10 * SECOND);
    await stored;
    const [message] = await inbound(harness);
    expect(message).toMatchObject({
      caption: 'Look',
      media: { available: false, mime_type: 'image/jpeg', size: null, sha256: null },
    });
    expect(message?.media?.filename).toMatch(/^image-.{6}\.bin$/);
    expect(eventsOf(harness, 'message.received')).toEqual([message]);
    // The download takes longer than the wait until the next request for the file.
    for (let passed = 0; passed < 5; passed += 1) {
      void writer.write(new Uint8Array(1_000));
      await harness.clock.advance(20 * SECOND);
    }
    // The next connection looks for due files, and must not request this one, which is being downloaded.
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    await harness.clock.advance(5 * SECOND);
    expect(gateway.connections).toHaveLength(2);
    void writer.close();
    await harness.clock.settle();
    const [whole] = await inbound(harness);
    expect(whole).toMatchObject({
      id: message?.id,
      media: { available: true, mime_type: 'image/jpeg', size: PNG.length + 15_000 },
    });
    expect(whole?.media?.filename).toBe(message?.media?.filename.replace('.bin', '.jpg'));
    expect(eventsOf(harness, AVAILABLE)).toEqual([whole]);
    expect(eventsOf(harness, 'message.received')).toHaveLength(1);
    expect([opened, asked, media.ids()]).toEqual([1, 0, [message?.id]]);
    expect(await pendingOf(harness, instance)).toEqual([]);
  });

  it('is asked for again by its reference after 1, 2, 4 minutes and so on, and reported when it has come', async () => {
    const asked: (readonly [number, string])[] = [];
    let isThere = false;
    const { harness, gateway, media, instance } = await startWaiting({
      async openFile(reference) {
        asked.push([harness.clock.now(), new TextDecoder().decode(reference)]);
        if (!isThere) throw new Error('404 Not Found');
        return png().stream();
      },
    });
    const since = harness.clock.now();
    await harness.clock.advance(2 * HOUR);
    const after = asked.map(([at]) => (at - since) / MINUTE);
    expect(after).toEqual([1, 3, 7, 15, 31, 63]);
    expect(new Set(asked.map(([, reference]) => reference))).toEqual(new Set(['the file of IN1']));
    expect(eventsOf(harness, AVAILABLE)).toEqual([]);

    await harness.clock.advance(3 * HOUR);
    isThere = true;
    await harness.clock.advance(HOUR);
    const [message] = await inbound(harness);
    expect(message).toMatchObject({ media: { available: true, mime_type: 'image/jpeg', size: PNG.length } });
    expect(eventsOf(harness, AVAILABLE)).toEqual([message]);
    expect(await pendingOf(harness, instance)).toEqual([]);
    expect(await leftovers(harness)).toEqual([]);
    expect(media.ids()).toHaveLength(1);
    const download = await harness.api.messages.media(message?.id ?? '');
    expect(await new Response(await download.open()).bytes()).toEqual(PNG);
    const times = asked.length;
    await harness.clock.advance(HOUR);
    expect(asked).toHaveLength(times);
    expect(gateway.connections).toHaveLength(1);
  });

  it.runIf(isLongForm)('is given up after a day, with a line that says what to do', async () => {
    let asked = 0;
    const { harness, instance } = await startWaiting({
      openFile: () => {
        asked += 1;
        return Promise.reject(new Error('404 Not Found'));
      },
    });
    await harness.clock.advance(25 * HOUR);
    expect(await pendingOf(harness, instance)).toEqual([]);
    expect(harness.logs.filter(({ message }) => message.includes('given up'))).toEqual([
      {
        level: 'warn',
        facts: {
          instanceId: instance,
          messageId: expect.any(String),
          tries: asked + 1,
          err: expect.any(Error),
        },
        message: expect.stringMatching(/is given up: .*; ask its sender to send it again$/),
      },
    ]);
    expect(asked).toBe(28);
    expect(await inbound(harness)).toMatchObject([{ media: { available: false } }]);
    expect(eventsOf(harness, AVAILABLE)).toEqual([]);
    expect(await leftovers(harness)).toEqual([]);
  });

  it('is not asked for while the instance is not connected, and given up by the maintenance', async () => {
    let asked = 0;
    const { harness, instance, store } = await startWaiting({
      openFile: () => {
        asked += 1;
        return Promise.reject(new Error('404 Not Found'));
      },
    });
    await harness.api.instances.disconnect(instance);
    const before = asked;
    await harness.clock.advance(10 * MINUTE);
    expect([asked, (await pendingOf(harness, instance)).length]).toEqual([before, 1]);
    await harness.trunkline.stop();
    await harness.another({ media: store, roles: only('maintenance') });
    await jumpAhead(harness, 25 * HOUR);
    expect(await pendingOf(harness, instance)).toEqual([]);
    expect(harness.logs.filter(({ message }) => message.includes('given up'))).toHaveLength(1);
    expect(asked).toBe(before);
  });

  it('is asked for on the next connection, without counting the one that ended', async () => {
    let isThere = false;
    const { harness, gateway, instance } = await startWaiting({
      openFile: async () => (isThere ? png().stream() : silence()),
    });
    await harness.clock.advance(70 * SECOND);
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'connection_lost' });
    isThere = true;
    await harness.clock.advance(31 * SECOND);
    expect(gateway.connections).toHaveLength(2);
    expect(await inbound(harness)).toMatchObject([{ media: { available: true } }]);
    expect(await pendingOf(harness, instance)).toEqual([]);
  });

  it('is downloaded as soon as there is a place, if its message never had one', async () => {
    const { harness, gateway } = await startMediaHarness({ openFile: async () => png().stream() });
    await listenForFiles(harness);
    const { listener } = gateway.last();
    const files = Array.from({ length: 40 }, (_, index) => listener.message(photo(`FILE${index}`)));
    await harness.clock.advance(30 * SECOND);
    await Promise.all(files);
    await harness.clock.settle();
    const isThere = (await inbound(harness)).filter(({ media }) => media?.available);
    // All but the eight that stalled, which are requested again in a minute.
    expect(isThere).toHaveLength(32);
    await harness.clock.advance(2 * MINUTE);
    expect((await inbound(harness)).every(({ media }) => media?.available)).toBe(true);
    expect(eventsOf(harness, AVAILABLE)).toHaveLength(40);
  });

  it('is larger than any may be, and is not asked for again', async () => {
    const huge = async (): Promise<ReadableStream<Uint8Array>> => {
      let left = 102;
      return new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(1_048_576));
          left -= 1;
          if (left === 0) controller.close();
        },
      });
    };
    const { harness, instance, media } = await startWaiting({ openFile: huge });
    await harness.clock.advance(2 * MINUTE);
    expect([await pendingOf(harness, instance), media.ids()]).toEqual([[], []]);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('came late and was refused'),
      }),
    );
  });

  it('costs neither its message nor a second try while the media store is full', async () => {
    let isFull = true;
    const { harness, instance } = await startWaiting({ openFile: async () => png().stream() }, (store) => ({
      ...store,
      put: (id, content) =>
        isFull ? Promise.reject(new Error('ENOSPC: no space left on device, write')) : store.put(id, content),
    }));
    await harness.clock.advance(2 * MINUTE);
    expect(harness.logs).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('restore the media store'),
      }),
    );
    expect(await pendingOf(harness, instance)).toHaveLength(1);
    isFull = false;
    await harness.clock.advance(10 * MINUTE);
    expect(await inbound(harness)).toMatchObject([{ media: { available: true } }]);
    expect(await leftovers(harness)).toEqual([]);
  });

  it('leaves nothing if its message is deleted during the download', async () => {
    const slow = Promise.withResolvers<ReadableStream<Uint8Array>>();
    const { harness, instance, media } = await startWaiting({ openFile: () => slow.promise });
    await harness.clock.advance(65 * SECOND);
    const [message] = await inbound(harness);
    expect(await harness.storage.downloads.remove(instance, message?.id ?? '')).toBe(true);
    slow.resolve(png().stream());
    await harness.clock.settle();
    expect([media.ids(), await leftovers(harness), eventsOf(harness, AVAILABLE)]).toEqual([[], [], []]);
    expect(await inbound(harness)).toEqual([message]);
  });

  it('is left to other processes by one without a media store', async () => {
    let asked = 0;
    const { harness, instance, gateway } = await startWaiting({
      openFile: () => {
        asked += 1;
        return Promise.reject(new Error('404 Not Found'));
      },
    });
    await harness.trunkline.stop();
    await harness.another({ gateway, media: undefined });
    await harness.clock.advance(10 * MINUTE);
    expect(gateway.connections).toHaveLength(2);
    expect([asked, (await pendingOf(harness, instance)).length]).toEqual([0, 1]);
  });

  it.each([
    ['is not carried out', false],
    ['is carried out and reports a failure', true],
  ])('is asked for once and kept though the write that records it %s', async (_what, isCarriedOut) => {
    let asked = 0;
    const { harness, media, instance } = await startWaiting({
      async openFile() {
        asked += 1;
        return png().stream();
      },
    });
    const { downloads } = harness.storage;
    const complete = downloads.complete.bind(downloads);
    downloads.complete = async (...given) => {
      downloads.complete = complete;
      if (isCarriedOut) await complete(...given);
      throw new Error('the connection was lost');
    };
    await harness.clock.advance(5 * MINUTE);
    expect(asked).toBe(1);
    expect(await inbound(harness)).toMatchObject([{ media: { available: true } }]);
    expect(media.ids()).toHaveLength(1);
    expect(eventsOf(harness, AVAILABLE)).toHaveLength(1);
    expect(await pendingOf(harness, instance)).toEqual([]);
  });

  it('is asked for once a minute while the storage takes no file but still lists it', async () => {
    let asked = 0;
    const { harness } = await startWaiting({
      async openFile() {
        asked += 1;
        return png().stream();
      },
    });
    harness.storage.downloads.complete = async () => 'stale';
    await harness.clock.advance(5 * MINUTE);
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThanOrEqual(6);
  });

  it('is not acknowledged if it came in time and cannot be stored, like one without a reference', async () => {
    let isFull = true;
    const { harness, gateway, instance } = await startMediaHarness({}, (store) => ({
      ...store,
      put: (id, content) => (isFull ? Promise.reject(new Error('ENOSPC')) : store.put(id, content)),
    }));
    const message = photo('IN1', async () => png().stream());
    await expect(gateway.last().listener.message(message)).rejects.toThrow('ENOSPC');
    expect([await inbound(harness), await pendingOf(harness, instance)]).toEqual([[], []]);
    isFull = false;
    await gateway.last().listener.message(message);
    expect(await inbound(harness)).toMatchObject([{ media: { available: true } }]);
    expect(await leftovers(harness)).toEqual([]);
  });

  it.runIf(isLongForm)('is forgotten with the number that is unlinked, and with its instance', async () => {
    const opened = await startWaiting();
    const { harness, instance } = opened;
    const [message] = await inbound(harness);
    expect(await pendingOf(harness, instance)).toHaveLength(1);
    await harness.api.instances.logout(instance);
    expect(await pendingOf(harness, instance)).toEqual([]);
    await harness.api.instances.delete(instance);
    await harness.clock.advance(25 * HOUR);
    expect(await harness.api.messages.get(message?.id ?? '')).toMatchObject({ media: { available: false } });
    expect(opened.media.ids()).toEqual([]);
  });

  it('is sealed at rest, and sealed again with a new secret key', async () => {
    const opened = await startWaiting({ openFile: async () => png().stream() });
    const { harness, instance, gateway, store } = opened;
    const sealed = async () => (await pendingOf(harness, instance))[0]?.sealedReference ?? new Uint8Array();
    const before = await sealed();
    expect(Buffer.from(before).includes(Buffer.from(referenceOf('IN1')))).toBe(false);
    await harness.trunkline.stop();
    const NEW_KEY = 'the new key, of 32 characters or more';
    const rotating = { media: store, roles: only('maintenance'), secretKey: [NEW_KEY, SECRET_KEY] };
    const { trunkline } = await harness.another(rotating);
    await harness.clock.settle();
    await trunkline.stop();
    expect(Buffer.compare(await sealed(), before)).not.toBe(0);
    const again = await harness.another({ media: store, gateway, secretKey: NEW_KEY });
    await harness.clock.advance(2 * MINUTE);
    expect(await inbound(again)).toMatchObject([{ media: { available: true } }]);
  });

  it.runIf(isLongForm)(
    'is downloaded on the sandbox network when that delivers it, and given up when it never does',
    async () => {
      const sandbox = createSandbox();
      const media = memoryMediaStore();
      const harness = await startHarness({ gateway: sandbox.gateway, media });
      await listen(harness);
      await listenForFiles(harness);
      const connecting = { ...harness, sandbox };
      const id = await connectInstance(connecting);
      const send = (delayMs: number): Promise<string> =>
        sandbox.phone(id).receive({ from: '15550123', file: { type: 'image', content: PNG, delayMs } });
      await send(10 * SECOND);
      await harness.clock.advance(11 * SECOND);
      expect(await inbound(harness)).toMatchObject([{ media: { available: true } }]);
      await send(5 * HOUR);
      await send(Infinity);
      await harness.clock.advance(31 * SECOND);
      expect((await inbound(harness)).map((one) => one.media?.available)).toEqual([false, false, true]);
      await harness.clock.advance(7 * HOUR);
      const [never, late] = await inbound(harness);
      expect([never?.media?.available, late?.media?.available]).toEqual([false, true]);
      expect(eventsOf(harness, AVAILABLE)).toEqual([late]);
      await harness.clock.advance(20 * HOUR);
      expect(await pendingOf(harness, id)).toEqual([]);
      expect(harness.logs.filter(({ message }) => message.includes('given up'))).toHaveLength(1);
    },
  );
});

describe('a process that is killed', () => {
  /**
   * Receives a message that waits for its file, and kills the process at the call that `at` names, before or after
   * the call's effect.
   */
  async function killAt(at: string, when: 'before' | 'after') {
    const storage = memoryStorage();
    const media = memoryMediaStore();
    const first = killable(storage);
    const [port = '', method = ''] = at.split('.');
    const store = Reflect.get(first.storage, port) ?? media;
    const dying = new Proxy(store as Record<string, (...given: unknown[]) => Promise<unknown>>, {
      get(target, name) {
        const own = target[String(name)];
        if (name !== method || !own) return own;
        return async (...given: unknown[]) => {
          if (when === 'before') first.kill();
          const result = await own(...given);
          first.kill();
          return result;
        };
      },
    });
    const parts = port === 'media' ? {} : { [port]: dying };
    const gateway = mediaGateway({ openFile: async () => png().stream() });
    const harness = await startHarness({
      storage: { ...first.storage, ...parts },
      media: port === 'media' ? (dying as unknown as typeof media) : media, // the same store, except for one method
      gateway,
    });
    await listen(harness);
    await listenForFiles(harness);
    const instance = await connectScripted(harness);
    const report = (to: typeof gateway) =>
      to
        .last()
        .listener.message(photo('IN1'))
        .catch(() => undefined);
    void report(gateway);
    await harness.clock.advance(5 * MINUTE);
    expect(first.isDead()).toBe(true);

    const later = mediaGateway({ openFile: async () => png().stream() });
    const second = await harness.another({
      storage: { ...storage, close: async () => {} },
      media,
      gateway: later,
    });
    await harness.clock.advance(MINUTE);
    // The network repeats any message that was not acknowledged.
    void report(later);
    await harness.clock.advance(10 * MINUTE);
    await second.trunkline.stop();
    await harness.another({
      storage: { ...storage, close: async () => {} },
      media,
      roles: only('maintenance'),
    });
    await jumpAhead({ ...harness, storage }, 26 * HOUR);
    return { storage, media, instance, events: [harness, second] };
  }

  it.each(
    [
      'downloads.isFull',
      'messages.receive',
      'downloads.listNext',
      'messages.find',
      'uploads.reserve',
      'media.put',
      'downloads.complete',
    ]
      .flatMap((at) => [[at, 'before'] as const, [at, 'after'] as const])
      // The short form kills alternately before one method and after the next.
      .filter((_, index) => isLongForm || index % 4 === 0 || index % 4 === 3),
  )('at %s, %s its effect, loses nothing, doubles nothing and leaves no file', async (at, when) => {
    const { storage, media, instance, events } = await killAt(at, when);
    const workspaces = await storage.workspaces.list({ after: null, limit: 1 });
    const page = await storage.messages.list(workspaces[0]?.id ?? '', {}, { from: null, limit: 10 });
    expect(page.rows).toMatchObject([{ networkId: 'IN1', media: { available: true, size: PNG.length } }]);
    expect(media.ids()).toHaveLength(1);
    expect(await storage.downloads.listNext([instance], 10)).toEqual([]);
    expect(await storage.uploads.listAbandoned(Infinity, 10)).toEqual([]);
    const sent = new Map(events.flatMap((one) => receivedEvents(one).map((event) => [event.id, event.type])));
    const types = [...sent.values()].filter((type) => type.startsWith('message.'));
    expect(types.toSorted()).toEqual(['message.media_available', 'message.received']);
  });
});
