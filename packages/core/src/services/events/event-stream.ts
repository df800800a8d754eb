import type { Event, EventType } from '../../domain/event/event.ts';
import type { ServiceContext } from '../context.ts';
import { lookBackFrom, positionAt } from './log-position.ts';
import type { EventStream, StreamedEvent } from './streams.ts';

/** An event stream, with the functions that feed it. */
export interface FedStream {
  readonly stream: EventStream;
  /** Takes a committed event. Never waits, because events that do not fit are read from the log later. */
  offer(event: Event): void;
  /** Notes that all events committed up to `time` were offered. */
  offeredUntil(time: number): void;
  end(): void;
}

interface EventStreamOptions {
  readonly workspaceId: string;
  readonly types: ReadonlySet<EventType>;
  /** The event or position after which to begin; null to begin now. */
  readonly after: string | null;
  readonly onEnd: () => void;
}

/**
 * The number and the characters of the events that may wait for a slow reader. Beyond either limit, the reader gets
 * events from the log later.
 */
const QUEUE_MAX = 200;
const QUEUE_MAX_CHARACTERS = 500_000;
/** Events read from the log in one step. */
const STEP = 50;
/** How many yielded ids are remembered. Beyond this limit, a slow reader may get some events again. */
const YIELDED_MAX = 20_000;

/**
 * Creates one reader's stream, which first reads the log from the reader's position, then takes the offered
 * events. If the reader is slow, or still reads the log, offered events queue up to a limit; beyond it, the
 * log is read again.
 */
export function createEventStream(
  { storage, clock }: Pick<ServiceContext, 'storage' | 'clock'>,
  { workspaceId, types, after, onEnd }: EventStreamOptions,
): FedStream {
  let queue: Event[] = [];
  let queued = 0;
  let isOverflown = false;
  /** The position to read the log from; null if the next events come from the queue. */
  let readFrom = after === null ? null : lookBackFrom(after, clock.now());
  let next: Event[] = [];
  /** The largest id that was yielded or, because of its type, skipped. */
  let latest = after ?? positionAt(clock.now());
  /** The value of `latest` once all of `next` is yielded. */
  let latestAfterNext = latest;
  let offeredUntil = clock.now();
  const yielded = new Set<string>();
  let isEnded = false;
  let wake = (): void => {};

  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    wake();
    onEnd();
  };

  const remember = (id: string): void => {
    if (id > latest) latest = id;
    yielded.add(id);
    const floor = lookBackFrom(latest, clock.now());
    for (const oldest of yielded) {
      if (yielded.size <= YIELDED_MAX && oldest >= floor) return;
      yielded.delete(oldest);
    }
  };

  const readLog = async (from: string): Promise<void> => {
    const found = await storage.events.listAfter(workspaceId, from, STEP);
    const last = found.at(-1);
    if (last) latestAfterNext = last.id;
    readFrom = last && found.length === STEP ? last.id : null;
    next = found.filter(({ type }) => types.has(type));
  };

  /** Resolves when `next` may hold events, or the stream has ended. */
  const refill = async (): Promise<void> => {
    if (latestAfterNext > latest) latest = latestAfterNext;
    if (readFrom !== null) return readLog(readFrom);
    if (queue.length > 0) {
      next = queue;
      queue = [];
      queued = 0;
    } else if (isOverflown) {
      isOverflown = false;
      readFrom = lookBackFrom(latest, clock.now());
    } else {
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };

  const isIdle = (): boolean => readFrom === null && !isOverflown && queue.length === 0 && next.length === 0;

  const take = async (): Promise<IteratorResult<StreamedEvent, undefined>> => {
    while (!isEnded) {
      const event = next.shift();
      if (!event) await refill();
      else if (!yielded.has(event.id)) {
        remember(event.id);
        return { done: false, value: { id: event.id, type: event.type, body: event.payload } };
      }
    }
    return { done: true, value: undefined };
  };
  /** The latest call of `stream.next`, which the next call waits for. */
  let taking: Promise<unknown> = Promise.resolve();

  const stream: EventStream = {
    get position() {
      const passed = positionAt(offeredUntil);
      return isIdle() && passed > latest ? passed : latest;
    },
    next() {
      const taken = taking.then(take);
      taking = taken.catch(() => undefined);
      return taken;
    },
    async return() {
      end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };

  return {
    stream,
    offer(event) {
      if (isEnded || !types.has(event.type)) return;
      if (queue.length >= QUEUE_MAX || queued >= QUEUE_MAX_CHARACTERS) {
        isOverflown = true;
        return;
      }
      queue.push(event);
      queued += event.payload.length;
      wake();
    },
    offeredUntil(time) {
      offeredUntil = time;
    },
    end,
  };
}
