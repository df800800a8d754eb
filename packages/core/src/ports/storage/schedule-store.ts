import type { Message } from '../../domain/message/message.ts';
import type { Lease } from './lease.ts';
import type { MessageChange, QueueFailure } from './message-store.ts';
import type { Page, PageRequest } from './page.ts';

export interface ScheduleFilter {
  readonly instanceId?: string;
}

/** How many messages `release` and `fail` take in one transaction, so that everything else gets its turn. */
export const SCHEDULE_STEP = 50;

/**
 * Accepted messages that wait for their `sendAt` (`Acceptance.isScheduled`), outside of the queues, so that a queue
 * costs the same however many there are. Each has a place (`placeOf`), which orders them by their time, then by their
 * acceptance. Signals `schedule` when a message is accepted that is due soon (`isDueSoon`).
 */
export interface ScheduleStore {
  /**
   * The latest first. A page is positioned by places instead of ids, and its cost does not depend on how many messages
   * are before it.
   */
  list(workspaceId: string, filter: ScheduleFilter, page: PageRequest): Promise<Page<Message>>;
  /**
   * Moves at most `SCHEDULE_STEP` messages whose time is `now` or earlier to the end of their queues, in the order of
   * their places, as if they had been accepted now. Signals `queue`. A message fails instead (`failQueue`) unless its
   * instance is still linked (`isStillLinked`). Returns the time of the next message; null if none is scheduled.
   */
  release(now: number, failure: QueueFailure): Promise<number | null>;
  /**
   * Takes a message out of the schedule for good, and writes its next state. `stale` if it is no longer scheduled. A
   * concurrent `release` either moves the message first, or does not see it.
   */
  cancel(change: MessageChange): Promise<'changed' | 'stale'>;
  /**
   * Fails at most `SCHEDULE_STEP` scheduled messages of an instance that is about to be deleted, in the order of their
   * places (`failQueue`). Returns how many.
   */
  fail(lease: Lease, workspaceId: string, failure: QueueFailure): Promise<number | 'fenced'>;
}
