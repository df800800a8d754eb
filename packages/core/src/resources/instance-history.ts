import { HISTORY_REASONS } from '../domain/instance/instance-history.ts';
import type { HistoryCause, HistoryEntry, HistoryReason } from '../domain/instance/instance-history.ts';
import type { InstanceStatus } from '../domain/instance/instance.ts';
import { nextStepText } from '../domain/instance/next-step.ts';
import type { NextStepKind } from '../domain/instance/next-step.ts';
import { timestamp, timestampOrNull } from './time.ts';

/** One entry in the history of an instance. */
export interface InstanceHistoryResource {
  /** `hst_…` */
  readonly id: string;
  /** `ins_…` */
  readonly instance_id: string;
  /** When this first happened; ISO 8601 with an offset. */
  readonly at: string;
  /**
   * How many times this happened. Repeats within an hour are one entry. Beyond 200 entries within an hour, anything
   * further is counted in the latest entry with the same reason, if there is one.
   */
  readonly count: number;
  /** When this last happened; `next` is as of that time. */
  readonly last_at: string;
  /** The same as `to` if the status did not change; null on creation. */
  readonly from: InstanceStatus | null;
  /** Null once the instance is deleted. */
  readonly to: InstanceStatus | null;
  /** The reason, for programs. */
  readonly reason: HistoryReason;
  /** The reason as a sentence. */
  readonly description: string;
  /** The code of the error that caused this, as in `last_error`; null without an error. */
  readonly code: string | null;
  /** The network's own code, such as `428`; null without one. */
  readonly network_code: string | null;
  /** The next step from then on; null if there is none. */
  readonly next: {
    /** The kind of step, such as `reconnect` or `scan_qr`. */
    readonly kind: NextStepKind;
    /** When the step happens, or until when it can be taken; null if it has no known time. */
    readonly at: string | null;
    /** The step in words. */
    readonly text: string;
  } | null;
  /** The cause: a request (`api`), the network or the phone (`gateway`), or the service itself. */
  readonly caused_by: HistoryCause;
  /**
   * The process that wrote the entry while it held the instance, by the name logged at its start; null if the writer
   * did not hold the instance.
   */
  readonly process: string | null;
  /** The process that the instance was taken over from; null if it was not taken over. */
  readonly previous_process: string | null;
}

export function instanceHistoryResource(entry: HistoryEntry): InstanceHistoryResource {
  const { next, lastAt } = entry;
  return {
    id: entry.id,
    instance_id: entry.instanceId,
    at: timestamp(entry.at),
    count: entry.count,
    last_at: timestamp(lastAt),
    from: entry.from,
    to: entry.to,
    reason: entry.reason,
    description: HISTORY_REASONS[entry.reason].meaning,
    code: entry.code,
    network_code: entry.networkCode,
    next: next && { kind: next.kind, at: timestampOrNull(next.at), text: nextStepText(next, lastAt) },
    caused_by: entry.causedBy,
    process: entry.process,
    previous_process: entry.previousProcess,
  };
}
