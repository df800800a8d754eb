import type { EventType } from '../../domain/event/event.ts';
import { SUBSCRIBABLE_EVENT_TYPES } from '../../domain/event/event.ts';
import { RETENTION_MS } from '../../domain/delivery/delivery.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import { eventStreamQuery } from '../../inputs/events.ts';
import { readInput } from '../../inputs/read-input.ts';
import { UnavailableError } from '../../ports/unavailable-error.ts';
import { createLoop } from '../../runtime/loop.ts';
import type { ServiceContext } from '../context.ts';
import { createEventStream } from './event-stream.ts';
import type { FedStream } from './event-stream.ts';
import { createEventTail } from './event-tail.ts';
import type { EventTail } from './event-tail.ts';
import { findEvent } from './find-events.ts';
import { isPosition, timeOf } from './log-position.ts';
import type { EventStreams } from './streams.ts';

/** Limits of open streams in this process, per workspace and in total. */
const STREAMS_OF_WORKSPACE_MAX = 100;
const STREAMS_MAX = 2_000;
/** In seconds. */
const LIMIT_RETRY_AFTER = 30;

/**
 * The interval between reads that find events of other processes, and events of this process whose signal was
 * lost, so that a watching user sees them within a second. With very many workspaces the interval grows, because
 * a process spends at most a fifth of its time on these reads.
 */
const POLL_EVERY_MS = 400;
const POLL_SHARE = 5;
/** The shortest time between two passes, so that the events of a busy workspace are read in batches. */
const PASS_EVERY_MS = 20;
/** The time between reads of all workspaces after a signal that may be about another process's event. */
const POLL_SOONER_MS = 200;
const READ_TOGETHER = 8;

/** The streams of one workspace, which share an `EventTail`. */
interface Audience {
  readonly tail: EventTail;
  readonly opened: Promise<void>;
  readonly streams: Set<FedStream>;
}

export function createEventStreams(
  context: Pick<ServiceContext, 'storage' | 'clock' | 'logger'>,
): EventStreams {
  const { storage, clock, logger } = context;
  const audiences = new Map<string, Audience>();
  /** Workspaces with new events of this process, which the next pass reads. */
  const stirred = new Set<string>();
  let isRunning = false;
  let isHinted = false;
  let passedAt = -Infinity;
  let polledAt = -Infinity;
  let pollEveryMs = POLL_EVERY_MS;
  let count = 0;

  const loop = createLoop({
    name: 'event streams',
    clock,
    logger,
    everyMs: POLL_EVERY_MS,
    async pass() {
      const now = clock.elapsed();
      const soonest = passedAt + PASS_EVERY_MS;
      if (now < soonest) return { more: false, nextAt: clock.now() + soonest - now };
      const isDue = now >= polledAt + (isHinted ? POLL_SOONER_MS : pollEveryMs);
      const workspaceIds = isDue ? [...audiences.keys()] : [...stirred];
      stirred.clear();
      if (isDue) isHinted = false;
      try {
        await readAll(workspaceIds);
      } finally {
        passedAt = clock.elapsed();
        if (isDue) {
          polledAt = passedAt;
          pollEveryMs = Math.max(POLL_EVERY_MS, (passedAt - now) * (POLL_SHARE - 1));
        }
      }
      const again = polledAt + (isHinted ? POLL_SOONER_MS : pollEveryMs);
      return { more: false, nextAt: clock.now() + Math.max(0, again - passedAt) };
    },
  });

  storage.subscribe((signal) => {
    if (audiences.size === 0) return;
    if (signal.topic === 'events' && audiences.has(signal.workspaceId)) {
      stirred.add(signal.workspaceId);
      loop.wake();
    }
    if (signal.topic === 'deliveries' || signal.topic === 'subscriptions') {
      isHinted = true;
      loop.wake();
    }
  });

  const readAll = async (workspaceIds: readonly string[]): Promise<void> => {
    const waiting = [...workspaceIds];
    const readers = Array.from({ length: Math.min(READ_TOGETHER, waiting.length) }, async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) await readOne(id);
    });
    const ends = await Promise.allSettled(readers);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };

  const readOne = async (workspaceId: string): Promise<void> => {
    const audience = audiences.get(workspaceId);
    if (!audience) return;
    await audience.opened;
    const began = clock.now();
    for await (const event of audience.tail.read())
      for (const stream of audience.streams) stream.offer(event);
    for (const stream of audience.streams) stream.offeredUntil(began);
  };

  const join = (workspaceId: string): Audience => {
    const known = audiences.get(workspaceId);
    if (known) return known;
    const tail = createEventTail(context, workspaceId);
    const audience = { tail, opened: tail.open(), streams: new Set<FedStream>() };
    audiences.set(workspaceId, audience);
    return audience;
  };

  const leave = (workspaceId: string, stream: FedStream): void => {
    const audience = audiences.get(workspaceId);
    if (!audience?.streams.delete(stream)) return;
    count -= 1;
    if (audience.streams.size === 0) audiences.delete(workspaceId);
    if (audiences.size === 0) void loop.stop();
  };

  const room = (workspaceId: string): Result<null> => {
    const open = audiences.get(workspaceId)?.streams.size ?? 0;
    if (open >= STREAMS_OF_WORKSPACE_MAX) return full(STREAMS_OF_WORKSPACE_MAX, 'of this workspace');
    return count >= STREAMS_MAX ? full(STREAMS_MAX, 'of this process') : ok(null);
  };

  const full = (limit: number, whose: string): Result<null> =>
    refuse(
      'STREAM_LIMIT_REACHED',
      `All ${limit} event streams ${whose} are in use: close one, or repeat the request in ${LIMIT_RETRY_AFTER} s.`,
      {
        retry_after: LIMIT_RETRY_AFTER,
        limit,
        reset: Math.ceil(clock.now() / 1000) + LIMIT_RETRY_AFTER,
      },
    );

  /** Accepts the id of a stored event, or a position within the retention of events. */
  const findPosition = async (workspaceId: string, id: string): Promise<Result<unknown>> => {
    if (isPosition(id) && timeOf(id) >= clock.now() - RETENTION_MS) return ok(null);
    return findEvent(context, workspaceId, id);
  };

  return {
    start() {
      isRunning = true;
    },
    async open(workspaceId, query, { signal } = {}) {
      const read = readInput(eventStreamQuery, query);
      if (!read.ok) return read;
      const { types = SUBSCRIBABLE_EVENT_TYPES, last_event_id: after = null } = read.value;
      if (after !== null) {
        const found = await findPosition(workspaceId, after);
        if (!found.ok) return found;
      }
      if (!isRunning)
        throw new UnavailableError('The service is stopping: open the stream again in a moment.');
      const hasRoom = room(workspaceId);
      if (!hasRoom.ok) return hasRoom;

      const audience = join(workspaceId);
      const onAbort = (): void => fed.end();
      const fed = createEventStream(context, {
        workspaceId,
        types: new Set<EventType>(types),
        after,
        onEnd: () => {
          signal?.removeEventListener('abort', onAbort);
          leave(workspaceId, fed);
        },
      });
      audience.streams.add(fed);
      count += 1;
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) fed.end();
      try {
        await audience.opened;
      } catch (error) {
        fed.end();
        throw error;
      }
      if (audiences.has(workspaceId)) loop.start();
      return ok(fed.stream);
    },
    stop() {
      isRunning = false;
      for (const { streams } of audiences.values()) for (const stream of streams) stream.end();
      return loop.stop();
    },
  };
}
