import type { Attempt, Delivery } from '../../domain/delivery/delivery.ts';
import type { MessageStep } from '../../domain/message/message-state.ts';
import type { Message } from '../../domain/message/message.ts';
import { dueSince } from '../../domain/message/schedule.ts';
import { ATTEMPT_BOUNDS_MS, classCount, NETWORK_BOUNDS_MS } from '../../domain/traffic/duration-classes.ts';
import { classOfFailure, failedCount, QUARTER_MS, startOf } from '../../domain/traffic/traffic.ts';
import type { TrafficKind, TrafficRow } from '../../domain/traffic/traffic.ts';
import { unfailing } from '../../runtime/unfailing.ts';
import { boundedLabel } from '../bounded-label.ts';

/**
 * Counts what happens, in memory and synchronously: a count costs a few look-ups in maps. Call a method after the commit
 * of what it counts. Times are epoch milliseconds.
 */
export interface TrafficCounter {
  received(message: MessageOwner & Pick<Message, 'createdAt'>): void;
  /**
   * An outbound message took these steps. Messages sent with the phone are not counted, because the service knows only
   * some of their steps.
   */
  advanced(steps: readonly MessageStep[], at: number): void;
  /** Outbound messages failed together, for one reason. */
  failed(owner: MessageOwner, failure: { readonly code: string; readonly count: number }, at: number): void;
  attempted(delivery: Pick<Delivery, 'workspaceId' | 'endpointId'>, attempt: Attempt): void;
}

type MessageOwner = Pick<Message, 'workspaceId' | 'instanceId'>;

/** The counts that are not stored yet. */
export interface CountedTraffic extends TrafficCounter {
  /** Removes and returns the counts, and how many were left out because there were too many rows. */
  take(): { readonly rows: readonly TrafficRow[]; readonly leftOut: number };
  /** Adds counts that were taken and could not be stored. */
  putBack(rows: readonly TrafficRow[]): void;
}

/** The maximum number of rows in memory: about 20 MB if the database is gone for long. */
const MOST_ROWS = 20_000;

interface PendingRow extends TrafficRow {
  readonly counts: Record<string, number>;
}

const COUNT_OF_STEP: Readonly<Record<string, string>> = {
  'message.sent': 'sent',
  'message.delivered': 'delivered',
  'message.read': 'read',
};

export function countTraffic(): CountedTraffic {
  let pending = new Map<string, PendingRow>();
  let leftOut = 0;
  const codeOfFailure = boundedLabel();

  const add = (kind: TrafficKind, id: string, quarter: number, name: string, count: number): void => {
    const key = id + quarter;
    let row = pending.get(key);
    if (!row) {
      if (pending.size >= MOST_ROWS) {
        leftOut += count;
        return;
      }
      row = { kind, id, quarter, counts: {} };
      pending.set(key, row);
    }
    row.counts[name] = (row.counts[name] ?? 0) + count;
  };

  const addMessages = (owner: MessageOwner, name: string, at: number, count = 1): void => {
    const quarter = startOf(at, QUARTER_MS);
    add('instance', owner.instanceId, quarter, name, count);
    add('workspace', owner.workspaceId, quarter, name, count);
  };

  const counter: TrafficCounter = {
    received: (message) => addMessages(message, 'received', message.createdAt),
    advanced(steps, at) {
      for (const { message, event } of steps) {
        if (message.origin === 'device') continue;
        const name = COUNT_OF_STEP[event] ?? failedCount(codeOfFailure(message.error?.code ?? ''));
        addMessages(message, name, at);
        if (name === 'sent') addMessages(message, classCount(at - dueSince(message), NETWORK_BOUNDS_MS), at);
      }
    },
    failed: (owner, { code, count }, at) => addMessages(owner, failedCount(codeOfFailure(code)), at, count),
    attempted({ endpointId }, attempt) {
      const quarter = startOf(attempt.at + attempt.durationMs, QUARTER_MS);
      const failure = classOfFailure(attempt);
      add('webhook', endpointId, quarter, failure === null ? 'succeeded' : failedCount(failure), 1);
      add('webhook', endpointId, quarter, classCount(attempt.durationMs, ATTEMPT_BOUNDS_MS), 1);
    },
  };

  return {
    ...unfailing(counter),
    take() {
      const taken = { rows: [...pending.values()], leftOut };
      pending = new Map();
      leftOut = 0;
      return taken;
    },
    putBack(rows) {
      for (const { kind, id, quarter, counts } of rows)
        for (const [name, count] of Object.entries(counts)) add(kind, id, quarter, name, count);
    },
  };
}
