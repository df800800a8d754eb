import { describe, expect, it } from 'vitest';
import type { GatewayConnection } from '../ports/gateway.ts';
import type { MediaStore } from '../ports/media-store.ts';
import { isUnavailable } from '../ports/unavailable-error.ts';
import { createSandbox } from '../sandbox/index.ts';
import { manualClock } from '../testing/index.ts';
import { createPortGuard, isLogged } from './port-guard.ts';
import type { PortFailure } from './port-guard.ts';
import { memoryStorage } from '../../test/support/memory-storage.ts';

async function guarded() {
  const clock = manualClock();
  const lines: Readonly<Record<string, unknown>>[] = [];
  const failures: PortFailure[] = [];
  const note = (facts: Readonly<Record<string, unknown>>): void => void lines.push(facts);
  const logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const guard = createPortGuard({ clock, logger, failed: (failure) => failures.push(failure) });
  const given = memoryStorage();
  const storage = guard.storage(given);
  await storage.open({ newId: () => 'evt_1', logger });
  return { clock, lines, failures, guard, given, storage };
}

const never = (): Promise<never> => new Promise(() => {});
const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

function mediaStore(overrides: Partial<MediaStore> = {}): MediaStore {
  return {
    async put(_id, content) {
      let size = 0;
      for await (const chunk of content) size += chunk.byteLength;
      return size;
    },
    size: async () => 2,
    get: async () => streamOf([new Uint8Array([1]), new Uint8Array([2])]),
    async delete() {},
    ...overrides,
  };
}

function connection(overrides: Partial<GatewayConnection>): GatewayConnection {
  return {
    send: async () => ({ kind: 'accepted' }),
    close: async () => {},
    logout: async () => {},
    ...overrides,
  };
}

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

describe('a call of the storage', () => {
  it('is given up when it hangs, and its late result is ignored', async () => {
    const { clock, given, storage, lines, failures } = await guarded();
    const late = Promise.withResolvers<null>();
    given.workspaces.find = () => late.promise;
    const error = rejection(storage.workspaces.find('wsp_1'));
    await clock.advance(15_000);
    expect(failures).toEqual([]);
    await clock.advance(5_000);
    expect(isUnavailable(await error)).toBe(true);
    expect(failures).toEqual([{ operation: 'storage.workspaces.find', outcome: 'late' }]);
    expect(lines).toMatchObject([
      { operation: 'storage.workspaces.find', purpose: 'workspaces and members' },
    ]);
    late.resolve(null);
    await clock.settle();
    expect(failures).toHaveLength(1);
  });

  it('has longer if it writes', async () => {
    const { clock, given, storage, failures } = await guarded();
    given.replaceSetting = never;
    const error = rejection(storage.replaceSetting('name', 'value'));
    await clock.advance(30_000);
    expect(failures).toEqual([]);
    await clock.advance(5_000);
    expect(isUnavailable(await error)).toBe(true);
  });

  it('rejects with its own error, which is logged and counted', async () => {
    const { given, storage, lines, failures } = await guarded();
    const full = new Error('database or disk is full');
    given.deliveries.complete = () => Promise.reject(full);
    expect(await rejection(storage.deliveries.complete([], 0))).toBe(full);
    expect(lines).toEqual([
      { operation: 'storage.deliveries.complete', purpose: 'webhook deliveries', err: full },
    ]);
    expect(failures).toEqual([{ operation: 'storage.deliveries.complete', outcome: 'rejected' }]);
    expect([isLogged(full), isLogged(new Error('as a cause', { cause: full }))]).toEqual([true, true]);
    expect(isLogged(new Error('another one'))).toBe(false);
  });

  it("waits and fails at the caller's own risk only in the caller's own transaction", async () => {
    const { clock, given, storage, lines } = await guarded();
    given.messages.find = () => Promise.reject(new Error('current transaction is aborted'));
    // @ts-expect-error a storage of this type accepts no transactions
    await rejection(storage.messages.find('wsp_1', 'msg_1', {}));
    await clock.advance(60_000);
    expect(lines).toEqual([]);

    given.messages.find = never;
    const error = rejection(storage.messages.find('wsp_1', 'msg_1'));
    await clock.advance(20_000);
    expect(isUnavailable(await error)).toBe(true);
  });

  it('settles though the storage is closed meanwhile, and keeps no timer', async () => {
    const { clock, given, storage, lines } = await guarded();
    const found = Promise.withResolvers<null>();
    given.workspaces.find = () => found.promise;
    const result = storage.workspaces.find('wsp_1');
    await storage.close();
    await clock.advance(60_000);
    found.resolve(null);
    expect(await result).toBeNull();
    expect(lines).toEqual([]);
  });
});

describe('a call of the gateway', () => {
  it('is given up when it hangs, and a connection that opens later is closed', async () => {
    const { clock, guard, lines } = await guarded();
    const opened = Promise.withResolvers<GatewayConnection>();
    const gateway = guard.gateway({ ...createSandbox().gateway, open: () => opened.promise });
    // @ts-expect-error the gateway looks at neither its session nor its listener
    const error = rejection(gateway.open());
    await clock.advance(60_000);
    expect(isUnavailable(await error)).toBe(true);
    expect(lines).toMatchObject([{ operation: 'gateway.open', purpose: 'connections of instances' }]);
    let isClosed = false;
    opened.resolve(connection({ close: async () => void (isClosed = true) }));
    await clock.settle();
    expect(isClosed).toBe(true);
  });

  it('closes in ten seconds, or is left', async () => {
    const { clock, guard, lines } = await guarded();
    const gateway = guard.gateway({
      ...createSandbox().gateway,
      open: async () => connection({ close: never }),
    });
    // @ts-expect-error the gateway looks at neither its session nor its listener
    const open = await gateway.open();
    const error = rejection(open.close());
    await clock.advance(10_000);
    expect(isUnavailable(await error)).toBe(true);
    expect(lines).toMatchObject([{ operation: 'connection.close' }]);
  });
});

describe('a call of the DNS resolver', () => {
  it.each([
    ['is given up when it hangs, and logged', never, 'dns.resolve did not end within 3 s.', 1],
    ['that finds no such name is no failure', () => Promise.reject(new Error('ENOTFOUND')), 'ENOTFOUND', 0],
  ])('%s', async (_, resolve, message, count) => {
    const { clock, guard, lines } = await guarded();
    const error = rejection(guard.dns({ resolve }).resolve('example.com', new AbortController().signal));
    await clock.advance(3_000);
    expect(await error).toMatchObject({ message });
    expect(lines).toHaveLength(count);
  });
});

describe('a call of the notifier', () => {
  it('is given up when it hangs, and logged', async () => {
    const { clock, guard, lines } = await guarded();
    // @ts-expect-error the notifier does not look at the email
    const error = rejection(guard.notifier({ notify: never }).notify({}));
    await clock.advance(60_000);
    expect(isUnavailable(await error)).toBe(true);
    expect(lines).toMatchObject([{ operation: 'notifier.notify' }]);
  });
});

describe('a file of the media store', () => {
  it('is closed if it is opened too late', async () => {
    const { clock, guard } = await guarded();
    const opened = Promise.withResolvers<ReadableStream<Uint8Array>>();
    const error = rejection(guard.media(mediaStore({ get: () => opened.promise })).get('upl_1'));
    await clock.advance(20_000);
    expect(isUnavailable(await error)).toBe(true);
    let isCancelled = false;
    opened.resolve(new ReadableStream({ cancel: () => void (isCancelled = true) }));
    await clock.settle();
    expect(isCancelled).toBe(true);
  });

  it('is read to its end, however long its reader takes', async () => {
    const { clock, guard, failures } = await guarded();
    const content = await guard.media(mediaStore()).get('upl_1');
    const reader = content?.getReader();
    expect(await reader?.read()).toEqual({ done: false, value: new Uint8Array([1]) });
    await clock.advance(60 * 60_000);
    expect(await reader?.read()).toEqual({ done: false, value: new Uint8Array([2]) });
    expect((await reader?.read())?.done).toBe(true);
    expect(failures).toEqual([]);
  });

  it('is closed with its reader before anything is read', async () => {
    const { guard } = await guarded();
    let isCancelled = false;
    const opened = new ReadableStream<Uint8Array>({ cancel: () => void (isCancelled = true) });
    const content = await guard.media(mediaStore({ get: async () => opened })).get('upl_1');
    await content?.cancel();
    expect(isCancelled).toBe(true);
  });

  it('fails its reader if it stops in the middle', async () => {
    const { clock, guard, failures } = await guarded();
    const stalled = new ReadableStream<Uint8Array>({ pull: never });
    const content = await guard.media(mediaStore({ get: async () => stalled })).get('upl_1');
    const read = rejection(content?.getReader().read() ?? Promise.resolve());
    await clock.advance(35_000);
    expect(isUnavailable(await read)).toBe(true);
    expect(failures).toEqual([{ operation: 'media.get', outcome: 'late' }]);
  });

  it('is stored however slowly it arrives', async () => {
    const { clock, guard, failures } = await guarded();
    let arrivals = 0;
    const slow = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await new Promise<void>((resolve) => void clock.setTimer(5 * 60_000, resolve));
          arrivals += 1;
          controller.enqueue(new Uint8Array(1));
          if (arrivals === 3) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const stored = guard.media(mediaStore()).put('upl_1', slow);
    await clock.advance(15 * 60_000);
    expect(await stored).toBe(3);
    expect(failures).toEqual([]);
  });

  it('is given up if the store reads nothing of it, and its source is closed', async () => {
    const { clock, guard, failures } = await guarded();
    let reason: unknown = null;
    const source = new ReadableStream<Uint8Array>({ cancel: (why) => void (reason = why) });
    const error = rejection(guard.media(mediaStore({ put: never })).put('upl_1', source));
    await clock.advance(35_000);
    expect(isUnavailable(await error)).toBe(true);
    expect(isUnavailable(reason)).toBe(true);
    expect(failures).toEqual([{ operation: 'media.put', outcome: 'late' }]);
  });

  it('does not count as a failure of the store if its source fails', async () => {
    const { guard, failures, lines } = await guarded();
    const gone = new Error('the client hung up');
    const source = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(gone) });
    expect(await rejection(guard.media(mediaStore()).put('upl_1', source))).toBe(gone);
    expect([failures, lines]).toEqual([[], []]);
  });
});
