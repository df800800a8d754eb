import type { WebhookEvent, WebhookMessage } from './event.ts';

/** An event, or the part of an event that a program keeps for comparison with later events. */
export interface ComparableEvent {
  /** The event's `created_at`, unchanged. */
  readonly created_at: string;
  /** The event's `data`, or the part that is compared. */
  readonly data:
    | WebhookEvent['data']
    | {
        /** The message's id and status. */
        readonly message: Pick<WebhookMessage, 'id' | 'status'>;
      }
    | {
        /** The instance's id. */
        readonly instance: {
          /** `ins_…` */
          readonly id: string;
        };
      };
}

/**
 * Whether `event` reports a later state of the same message or instance than `known`. False for an older event that
 * arrives late, and for a repeat of `known`.
 *
 * If two events about one message differ in status, the status decides: it only moves forward (queued, sent, delivered,
 * read, or else failed), and does not depend on the clocks of the sender's machines. Otherwise `created_at` decides.
 */
export function isNewer(event: ComparableEvent, known: ComparableEvent): boolean {
  const [status, knownStatus] = statusesOfOneMessage(event, known);
  const [progress, knownProgress] = [PROGRESS.get(status), PROGRESS.get(knownStatus)];
  if (progress !== undefined && knownProgress !== undefined && progress !== knownProgress) {
    return progress > knownProgress;
  }
  return sortable(event.created_at) > sortable(known.created_at);
}

const PROGRESS: ReadonlyMap<string | undefined, number> = new Map([
  ['queued', 0],
  ['sent', 1],
  ['delivered', 2],
  ['read', 3],
  ['failed', 4], // final; follows only queued or sent
]);

function statusesOfOneMessage(
  a: ComparableEvent,
  b: ComparableEvent,
): [status: string, known: string] | [status: undefined, known: undefined] {
  if (!('message' in a.data) || !('message' in b.data)) return [undefined, undefined];
  const [message, known] = [a.data.message, b.data.message];
  return message.id === known.id ? [message.status, known.status] : [undefined, undefined];
}

/** Without the `Z`, times with any number of decimals sort as text. `Date` would drop the microseconds. */
function sortable(createdAt: string): string {
  return createdAt.replace(/Z$/, '');
}
