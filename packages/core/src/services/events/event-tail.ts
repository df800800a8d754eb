import type { Event } from '../../domain/event/event.ts';
import type { ServiceContext } from '../context.ts';
import { LAST_ID, lookBackFrom, positionAt } from './log-position.ts';

/** How many events, or ids, are read in one step. */
const STEP = 200;
/** The shortest time between two searches for events that were committed late. */
const LOOK_BACK_EVERY_MS = 1_000;
/** The largest share of the time that these searches take, however many events they look through. */
const LOOK_BACK_SHARE = 0.1;

/**
 * Follows the end of a workspace's log: yields each event committed after the opening once, roughly in the
 * order of the ids.
 */
export interface EventTail {
  /** Notes the latest ids in the log. Await this before the first read. */
  open(): Promise<void>;
  /**
   * Yields the events committed since the last call. If a call throws, the next call yields the missing
   * events.
   */
  read(): AsyncGenerator<Event, void, undefined>;
}

/**
 * An event's id holds the time of its creation, and the event may be committed after events with later ids.
 * So a tail reads the events after the latest id, and also looks for unseen ids in the window before that id.
 */
export function createEventTail(
  { storage, clock }: Pick<ServiceContext, 'storage' | 'clock'>,
  workspaceId: string,
): EventTail {
  const { events } = storage;
  let latest = positionAt(clock.now());
  let seen = new Set<string>();
  let lookBackAt = 0;

  const ids = async function* (from: string, upTo: string): AsyncGenerator<string, void, undefined> {
    for (let after = from; ;) {
      const found = await events.listIds(workspaceId, { after, upTo }, STEP);
      yield* found;
      const last = found.at(-1);
      if (last === undefined || found.length < STEP) return;
      after = last;
    }
  };

  const readLate = async function* (): AsyncGenerator<Event, void, undefined> {
    const began = clock.elapsed();
    const inWindow = new Set<string>();
    for await (const id of ids(lookBackFrom(latest, clock.now()), latest)) {
      inWindow.add(id);
      if (seen.has(id)) continue;
      const event = await events.find(workspaceId, id, 0);
      seen.add(id);
      if (event) yield event;
    }
    // Forget ids before the window, which are not read again.
    seen = inWindow;
    const tookMs = clock.elapsed() - began;
    lookBackAt = clock.elapsed() + Math.max(LOOK_BACK_EVERY_MS, tookMs / LOOK_BACK_SHARE);
  };

  const readNew = async function* (): AsyncGenerator<Event, void, undefined> {
    for (;;) {
      const found = await events.listAfter(workspaceId, latest, STEP);
      for (const event of found) {
        latest = event.id;
        seen.add(event.id);
        yield event;
      }
      if (found.length < STEP) return;
    }
  };

  return {
    async open() {
      // Include ids later than now, which were made before the clock was set back.
      for await (const id of ids(lookBackFrom(latest, clock.now()), LAST_ID)) {
        seen.add(id);
        if (id > latest) latest = id;
      }
    },
    async *read() {
      if (clock.elapsed() >= lookBackAt) yield* readLate();
      yield* readNew();
    },
  };
}
