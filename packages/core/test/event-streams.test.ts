import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { must } from '@trunkline/test-support';
import { createNewId, floorId } from '../src/spi/storage.ts';
import type { EventRecord, EventStore, EventType, Storage } from '../src/spi/storage.ts';
import { seededRandom } from '../src/testing/index.ts';
import type { EventStream, EventStreamQuery, StreamedEvent } from '../src/index.ts';
import {
  connected,
  connectInstance,
  DAY,
  HOUR,
  listen,
  MINUTE,
  SECOND,
  sendText,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

describe('a stream of events', () => {
  it('yields what happens, with the bytes that webhooks get', async () => {
    const { harness, id } = await connected();
    const stream = await open(harness);
    await sendText(harness, id);
    await harness.clock.advance(MINUTE);
    const events = await readNow(stream, 3);
    expect(events.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered', 'message.read']);
    const bodies = harness.sender.requests.map(({ body }) => String(body));
    expect(events.filter(({ body }) => bodies.includes(body))).toEqual(events);
    expect(events.map(({ id: eventId, body }) => eventId === JSON.parse(body).id)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('yields an event within 20 ms of its commit, even if no endpoint subscribes to it', async () => {
    const harness = await startLog();
    const stream = await open(harness);
    const event = await harness.put();
    await harness.clock.advance(20);
    expect(await readNow(stream)).toEqual([event]);
  });

  it('begins now, and yields no earlier events', async () => {
    const harness = await startLog();
    await harness.put();
    const stream = await open(harness);
    const event = await harness.put();
    await harness.clock.advance(3 * SECOND);
    expect(await readNow(stream)).toEqual([event]);
  });

  it('yields the types that it names; by default those of the specification', async () => {
    const harness = await startLog();
    const every = await open(harness);
    const some = await open(harness, { types: 'message.reaction,message.read' });
    const types: readonly EventType[] = ['message.sent', 'message.reaction', 'message.read', 'call.received'];
    for (const type of types) await harness.put({ type });
    await harness.clock.advance(SECOND);
    expect(typesOf(await readNow(every))).toEqual(['message.sent', 'message.read']);
    expect(typesOf(await readNow(some))).toEqual(['message.reaction', 'message.read']);
  });

  it('has no event of another workspace, and none that is for only one endpoint', async () => {
    const { harness, id } = await connected();
    const { id: other } = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    const theirs = await harness.trunkline.workspace(other).events.stream();
    const ours = await open(harness);
    const endpoint = await listen(harness, 'https://hooks.example.com/2');
    await harness.api.webhooks.test(endpoint.id);
    await harness.clock.advance(3 * SECOND);
    expect(await readNow(ours)).toEqual([]);
    await sendText(harness, id);
    await harness.clock.advance(3 * SECOND);
    expect(await readNow(ours)).not.toEqual([]);
    expect(await readNow(theirs)).toEqual([]);
  });

  it('yields an event that was committed after events with later ids, and each once', async () => {
    const harness = await startLog();
    const stream = await open(harness);
    const early = harness.newEvent();
    await harness.clock.advance(30 * SECOND);
    const later = await harness.put();
    await harness.clock.advance(2 * SECOND);
    expect(await readNow(stream)).toEqual([later]);
    await harness.store(early);
    await harness.clock.advance(2 * SECOND);
    expect(await readNow(stream)).toEqual([streamed(early)]);
    await harness.clock.advance(2 * MINUTE);
    expect(await readNow(stream)).toEqual([]);
  });

  it('yields events of other processes a second later if their signals are lost', async () => {
    const harness = await startLog({ hears: false });
    const stream = await open(harness);
    const event = await harness.put();
    await harness.clock.advance(SECOND);
    expect(await readNow(stream)).toEqual([event]);
  });

  it('loses nothing while the database fails', async () => {
    const harness = await startLog();
    const stream = await open(harness);
    const first = await harness.put();
    harness.fail(true);
    const second = await harness.put();
    await harness.clock.advance(5 * SECOND);
    harness.fail(false);
    const third = await harness.put();
    await harness.clock.advance(2 * SECOND);
    expect(idsOf(await readNow(stream)).toSorted()).toEqual(idsOf([first, second, third]));
  });
});

describe('a stream that continues after an event', () => {
  it('yields the events since then, then new ones', async () => {
    const harness = await startLog();
    const last = await harness.put();
    await harness.clock.advance(2 * MINUTE);
    const missed = [];
    for (let count = 1; count <= 120; count += 1) missed.push(await harness.put());
    const stream = await open(harness, { last_event_id: last.id });
    expect(await readNow(stream, 121)).toEqual([last, ...missed]);
    const next = await harness.put();
    await harness.clock.advance(SECOND);
    expect(await readNow(stream)).toEqual([next]);
  });

  it('repeats the minute before it, in which an event may have been committed late', async () => {
    const harness = await startLog();
    const late = harness.newEvent();
    await harness.clock.advance(59 * SECOND);
    const last = await harness.put();
    await harness.store(late);
    const stream = await open(harness, { last_event_id: last.id });
    expect(await readNow(stream)).toEqual([streamed(late), last]);
  });

  it('yields events after a restart with a clock that was set back by an hour', async () => {
    const harness = await startLog();
    const before = await harness.put();
    await harness.trunkline.stop();
    harness.clock.jump(-HOUR);
    const { api } = await harness.another();
    const missed = await harness.put();
    const stream = await open({ api }, { last_event_id: before.id });
    expect(await readNow(stream)).toEqual(expect.arrayContaining([missed, before]));
    await harness.clock.advance(2 * SECOND);
    const next = await harness.put();
    await harness.clock.advance(2 * SECOND);
    expect(await readNow(stream)).toEqual([next]);
  });

  it('misses no new event while it reads earlier ones', async () => {
    const harness = await startLog();
    const last = await harness.put();
    const all = [last];
    for (let count = 1; count <= 300; count += 1) all.push(await harness.put());
    const stream = await open(harness, { last_event_id: last.id });
    const found: StreamedEvent[] = [];
    for (let round = 1; round <= 10; round += 1) {
      found.push(...(await readNow(stream, 40)));
      for (let count = 1; count <= 40; count += 1) all.push(await harness.put());
      await harness.clock.advance(50);
    }
    found.push(...(await readNow(stream)));
    expect(idsOf(found).toSorted()).toEqual(idsOf(all));
  });

  it('continues at the position of a stream that has had no event', async () => {
    const harness = await startLog();
    const first = await open(harness);
    await harness.clock.advance(10 * MINUTE);
    const { position } = first;
    await first.return();
    await harness.clock.advance(5 * MINUTE);
    const missed = await harness.put();
    const second = await open(harness, { last_event_id: position });
    expect(await readNow(second)).toEqual([missed]);
    expect(position > floorId('evt', harness.clock.now() - 5 * MINUTE - 2 * SECOND)).toBe(true);
  });

  it('does not continue past events that its reader has not had yet', async () => {
    const harness = await startLog();
    const last = await harness.put();
    const all = [last];
    for (let count = 1; count <= 10; count += 1) {
      await harness.clock.advance(5 * MINUTE);
      all.push(await harness.put());
    }
    const slow = await open(harness, { last_event_id: last.id });
    const had = await readNow(slow, 3);
    const next = await open(harness, { last_event_id: slow.position });
    const rest = await readNow(next);
    expect([...new Set([...idsOf(had), ...idsOf(rest)])]).toEqual(idsOf(all));
  });

  it.each([
    ['unknown', () => createNewId((length) => new Uint8Array(length))('evt', Date.UTC(2026, 0, 1))],
    ['of another kind of id', () => 'msg_01kdvdna00ey2a7dty85195v2z'],
    ['older than retention', () => floorId('evt', Date.UTC(2026, 0, 1) - 30 * DAY - 1)],
    ['malformed', () => 'evt_1\nevent: message.sent'],
  ])('is refused if the event is %s', async (what, id) => {
    const harness = await startLog();
    const code = /malformed|kind/.test(what) ? 'VALIDATION_FAILED' : 'EVENT_NOT_FOUND';
    await expect(open(harness, { last_event_id: id() })).rejects.toMatchObject({ code });
  });

  it('is refused if the event is of another workspace', async () => {
    const harness = await startLog();
    const event = await harness.put();
    const { id: other } = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    const theirs = harness.trunkline.workspace(other).events;
    await expect(theirs.stream({ last_event_id: event.id })).rejects.toMatchObject({
      code: 'EVENT_NOT_FOUND',
    });
    await expect(theirs.get(event.id)).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' });
  });
});

describe('many streams', () => {
  it('read the log of their workspace once for all', async () => {
    const harness = await startLog();
    const streams = await Promise.all(Array.from({ length: 50 }, () => open(harness)));
    await harness.clock.advance(2 * SECOND);
    const before = harness.reads();
    const event = await harness.put();
    await harness.clock.advance(SECOND);
    for (const stream of streams) expect(await readNow(stream)).toEqual([event]);
    expect(harness.reads() - before).toBeLessThan(8);
  });

  it('do not wait for one that is not read, which gets everything later', async () => {
    const harness = await startLog();
    const slow = await open(harness);
    const quick = await open(harness);
    const all: StreamedEvent[] = [];
    const had: StreamedEvent[] = [];
    for (let round = 1; round <= 25; round += 1) {
      for (let count = 1; count <= 40; count += 1) all.push(await harness.put());
      await harness.clock.advance(SECOND);
      had.push(...(await readNow(quick)));
    }
    expect(had).toEqual(all);
    const late = await readNow(slow);
    expect(idsOf(late).toSorted()).toEqual(idsOf(all));
    expect(new Set(idsOf(late)).size).toBe(late.length);
  });

  it('are limited for each workspace, not counting those that have ended', async () => {
    const harness = await startLog();
    const streams = await Promise.all(Array.from({ length: 100 }, () => open(harness)));
    await expect(open(harness)).rejects.toMatchObject({
      code: 'STREAM_LIMIT_REACHED',
      details: { limit: 100, retry_after: 30 },
    });
    const { id: other } = await harness.trunkline.admin.workspaces.create({ name: 'Other' });
    await harness.trunkline.workspace(other).events.stream();
    await must(streams[0]).return();
    await must(streams[0]).return();
    await open(harness);
    await expect(open(harness)).rejects.toMatchObject({ code: 'STREAM_LIMIT_REACHED' });
  });

  it('are limited in one process', async () => {
    const harness = await startLog();
    for (let workspaces = 1; workspaces <= 20; workspaces += 1) {
      const { id } = await harness.trunkline.admin.workspaces.create({ name: 'Many' });
      const { events } = harness.trunkline.workspace(id);
      await Promise.all(Array.from({ length: 100 }, () => events.stream()));
    }
    await expect(open(harness)).rejects.toMatchObject({
      code: 'STREAM_LIMIT_REACHED',
      details: { limit: 2_000 },
    });
  });
});

describe('a stream ends', () => {
  it('when its signal is aborted, before or after it began, and while a reader waits for an event', async () => {
    const harness = await startLog();
    const early = await harness.api.events.stream({}, { signal: AbortSignal.abort() });
    expect(await early.next()).toEqual({ done: true, value: undefined });
    const controller = new AbortController();
    const stream = await harness.api.events.stream({}, { signal: controller.signal });
    const waiting = stream.next();
    controller.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it('when a loop leaves it, and then nothing is read any more', async () => {
    const harness = await startLog();
    const stream = await open(harness);
    await harness.put();
    await harness.clock.advance(SECOND);
    for await (const event of stream) {
      expect(event.type).toBe('message.sent');
      break;
    }
    await harness.clock.advance(SECOND);
    const before = harness.reads();
    await harness.put();
    await harness.clock.advance(MINUTE);
    expect(harness.reads()).toBe(before);
  });

  it('when the service stops, or ends the streams; then none begins until it starts again', async () => {
    const harness = await startLog();
    const waiting = (await open(harness)).next();
    await harness.trunkline.endStreams();
    expect(await waiting).toEqual({ done: true, value: undefined });
    await expect(open(harness)).rejects.toThrow('The service is stopping');
    await harness.trunkline.stop();
    await harness.trunkline.start();
    // Let the instance reconnect first, because connecting writes the instance.
    await harness.clock.settle();
    const stream = await open(harness);
    const event = await harness.put();
    await harness.clock.advance(SECOND);
    expect(await readNow(stream)).toEqual([event]);
    const last = stream.next();
    await harness.trunkline.stop();
    expect(await last).toEqual({ done: true, value: undefined });
  });
});

describe('the log of events', () => {
  it('lists what happened to a message and to an instance, newest first, page by page', async () => {
    const { harness, id } = await connected();
    const { message } = await sendText(harness, id);
    await harness.clock.advance(MINUTE);
    const { data } = await harness.api.messages.events(message.id);
    expect(typesOf(data)).toEqual(['message.read', 'message.delivered', 'message.sent']);
    expect(await harness.api.events.get(must(data[0]).id)).toEqual(data[0]);
    const first = await harness.api.instances.events(id, { limit: 2 });
    expect(typesOf(first.data)).toEqual(['message.read', 'message.delivered']);
    const second = await harness.api.instances.events(id, { limit: 2, cursor: must(first.nextCursor) });
    expect(typesOf(second.data)).toEqual(['message.sent', 'instance.connected']);
    const scans = await harness.api.instances.events(id, { types: 'instance.qr_required' });
    expect(typesOf(scans.data)).toEqual(['instance.qr_required']);
    const types = 'message.read,instance.connected';
    const read = await harness.api.instances.events(id, { types, limit: 1 });
    expect(typesOf(read.data)).toEqual(['message.read']);
    const reordered = { types: 'instance.connected,message.read', cursor: must(read.nextCursor) };
    expect(typesOf((await harness.api.instances.events(id, reordered)).data)).toEqual(['instance.connected']);
    for (const wrong of ['message.lost', 'message.read,', 'message.read,message.read'])
      await expect(harness.api.instances.events(id, { types: wrong })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: { fields: { types: [expect.any(String)] } },
      });
    await expect(harness.api.messages.events(id)).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
    await expect(harness.api.instances.events(message.id)).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
    });
    const cursor = must(first.nextCursor);
    await expect(harness.api.messages.events(message.id, { cursor })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
  });

  it('ends after 30 days', async () => {
    const harness = await startLog();
    const event = await harness.put();
    await harness.clock.advance(SECOND);
    harness.clock.jump(30 * DAY);
    await expect(harness.api.events.get(event.id)).rejects.toMatchObject({ code: 'EVENT_NOT_FOUND' });
    expect((await harness.api.instances.events(harness.instanceId)).data).toEqual([]);
  });
});

interface Log extends Harness {
  readonly instanceId: string;
  newEvent(facts?: { readonly type?: EventType; readonly at?: number }): EventRecord;
  store(event: EventRecord): Promise<void>;
  put(facts?: { readonly type?: EventType }): Promise<StreamedEvent>;
  reads(): number;
  /** After `fail(true)`, every read of the log fails. */
  fail(fails: boolean): void;
}

/** A service whose storage the test writes to directly, so that events can have any time and order. */
async function startLog({ hears = true }: { readonly hears?: boolean } = {}): Promise<Log> {
  const plain = memoryStorage();
  let reads = 0;
  let fails = false;
  const watched = async <Value>(read: () => Promise<Value>): Promise<Value> => {
    reads += 1;
    if (fails) throw new Error('The disk is gone.');
    return read();
  };
  const events: EventStore = {
    find: (...given) => watched(() => plain.events.find(...given)),
    list: (...given) => watched(() => plain.events.list(...given)),
    listAfter: (...given) => watched(() => plain.events.listAfter(...given)),
    listIds: (...given) => watched(() => plain.events.listIds(...given)),
  };
  const storage: Storage = {
    ...plain,
    events,
    subscribe: (listener) =>
      plain.subscribe((signal) => {
        if (hears || signal.topic === 'instance' || signal.topic === 'queue') listener(signal);
      }),
  };
  const harness = await startHarness({ storage });
  const instanceId = await connectInstance(harness);
  await harness.clock.advance(2 * MINUTE);
  const random = seededRandom(1);
  const { workspaceId, clock } = harness;

  const newEvent: Log['newEvent'] = ({ type = 'message.sent', at = clock.now() } = {}) => {
    // The id may precede earlier ones, as an id from another process may.
    const id = newIdAt(at);
    return {
      id,
      workspaceId,
      type,
      occurredAt: at * 1000,
      payload: JSON.stringify({ id, type, created_at: '', workspace_id: workspaceId, data: {} }),
      subject: { instanceId, messageId: null },
    };
  };
  let newId = createNewId((length) => random.bytes(length));
  let madeAt = 0;
  const newIdAt = (at: number): string => {
    if (at < madeAt) newId = createNewId((length) => random.bytes(length));
    madeAt = at;
    return newId('evt', at);
  };
  const store: Log['store'] = async (event) => {
    const instance = must(await plain.instances.find(workspaceId, instanceId));
    const written = await plain.instances.write({ instance, event, lease: null });
    expect(written.kind).toBe('written');
  };
  return {
    ...harness,
    instanceId,
    newEvent,
    store,
    async put(facts) {
      const event = newEvent(facts);
      await store(event);
      return streamed(event);
    },
    reads: () => reads,
    fail: (does) => (fails = does),
  };
}

const waiting = new WeakMap<EventStream, Promise<IteratorResult<StreamedEvent, undefined>>>();

/** Reads all events, or the first `count`, that can be read without time passing. */
async function readNow(stream: EventStream, count = Infinity): Promise<readonly StreamedEvent[]> {
  const found: StreamedEvent[] = [];
  while (found.length < count) {
    const next = waiting.get(stream) ?? stream.next();
    waiting.set(stream, next);
    const result = await Promise.race([next, settled()]);
    if (result === null || result.done) break;
    waiting.delete(stream);
    found.push(result.value);
  }
  return found;
}

/** Resolves when all work has run that does not wait for time to pass. */
async function settled(): Promise<null> {
  for (let round = 0; round < 20; round += 1) await setImmediate();
  return null;
}

async function open({ api }: Pick<Harness, 'api'>, query?: EventStreamQuery): Promise<EventStream> {
  const stream = await api.events.stream(query);
  onTestFinished(() => void stream.return());
  return stream;
}

function streamed({ id, type, payload }: EventRecord): StreamedEvent {
  return { id, type, body: payload };
}

function idsOf(events: readonly { readonly id: string }[]): readonly string[] {
  return events.map(({ id }) => id);
}

function typesOf(events: readonly { readonly type: string }[]): readonly string[] {
  return events.map(({ type }) => type);
}
