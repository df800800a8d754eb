import type { WebhookEvent, WebhookMessage } from './event.ts';

/** An event, or the part of one that a program keeps to compare later ones with. */
export interface ComparableEvent {
  /** The event's `created_at`, unchanged. */
  readonly created_at: string;
  /** The event's `data`, or as much of it as is compared. */
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
 * Whether `event` reports a later state of the same message or instance than `known`: false for an older one that
 * arrives late, and for the same one again.
 *
 * A message's status only moves forward (queued, sent, delivered, read; or failed). If two events about one message
 * differ in it, the status decides: it does not depend on the clocks of the sender's machines, and events of the same
 * microsecond are still in order. Otherwise `created_at` decides.
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
  ['failed', 4], // final, and reached from queued or sent only
]);

function statusesOfOneMessage(
  a: ComparableEvent,
  b: ComparableEvent,
): [status: string, known: string] | [status: undefined, known: undefined] {
  if (!('message' in a.data) || !('message' in b.data)) return [undefined, undefined];
  const [message, known] = [a.data.message, b.data.message];
  return message.id === known.id ? [message.status, known.status] : [undefined, undefined];
}

/** Text in UTC sorts by time once the `Z` is gone, with any number of decimals; `Date` would cut the microseconds. */
function sortable(createdAt: string): string {
  return createdAt.replace(/Z$/, '');
}
