import {
  DELIVERY_STATUSES,
  floorId,
  idsOfOrder,
  isId,
  isOpen,
  MESSAGE_STATUSES,
  MESSAGE_TYPES,
  orderOfId,
} from '@trunkline/core/spi/storage';
import type {
  DeliveryStatus,
  IdOrder,
  IdRange,
  MessageFilter,
  MessageStatus,
  MessageType,
} from '@trunkline/core/spi/storage';

/** The messages of one status and one type. An index on both finds them without reading other messages. */
export interface MessageKind {
  readonly status: MessageStatus;
  readonly type: MessageType;
}

/**
 * The kinds of messages that pass a filter, each once. A list walks along the index for each kind and merges the
 * results, so that a page costs the same however rare its messages are. Null for an empty filter, which needs only one
 * walk along an index without kinds. For a filter by instance only, returns every kind, because the index by instance
 * includes the kind.
 */
export function messageKinds(filter: MessageFilter): readonly MessageKind[] | null {
  const { instanceId, direction, type, statuses } = filter;
  if (instanceId === undefined && direction === undefined && type === undefined && statuses === undefined) {
    return null;
  }
  const types = type === undefined ? MESSAGE_TYPES : [type];
  return wantedStatuses(filter).flatMap((status) => types.map((one) => ({ status, type: one })));
}

/** The statuses that pass. Inbound messages, and only they, have the status `received`. */
function wantedStatuses({ direction, statuses = MESSAGE_STATUSES }: MessageFilter): readonly MessageStatus[] {
  const wanted = [...new Set(statuses)];
  if (direction === undefined) return wanted;
  return wanted.filter((status) => (status === 'received') === (direction === 'inbound'));
}

/** The deliveries of an endpoint that are stored with one status in one generation of its lane. */
export interface DeliveryKind {
  readonly status: DeliveryStatus;
  readonly generation: number;
}

/** The generation of a new lane. */
export const FIRST_GENERATION = 1;
/** The generation of deliveries that are stored as ended. No lane has this generation. */
export const ENDED_GENERATION = 0;

/** The generations of an endpoint's lane. */
export interface LaneGenerations {
  /** The generation in which deliveries are queued now; null if there is no lane. */
  readonly current: number | null;
  /** The generations that a cancellation has ended and a sweep has not removed yet. */
  readonly closed: readonly number[];
}

/**
 * The kinds of deliveries that are stored as open and read as one of these statuses. A cancellation ends all deliveries
 * of a generation without writing each of them, so until a sweep they are stored as open and read as failed.
 */
export function openDeliveryKinds(
  statuses: readonly DeliveryStatus[],
  { current, closed }: LaneGenerations,
): readonly DeliveryKind[] {
  const open = (wanted: readonly DeliveryStatus[], generation: number): readonly DeliveryKind[] =>
    wanted.filter(isOpen).map((status) => ({ status, generation }));
  return [
    ...(current === null ? [] : open(statuses, current)),
    ...(statuses.includes('failed')
      ? closed.flatMap((generation) => open(DELIVERY_STATUSES, generation))
      : []),
  ];
}

/** The kinds of deliveries that are stored as ended and have one of these statuses. */
export function endedDeliveryKinds(statuses: readonly DeliveryStatus[]): readonly DeliveryKind[] {
  return statuses
    .filter((status) => !isOpen(status))
    .map((status) => ({ status, generation: ENDED_GENERATION }));
}

/** How far the clock may have been set back between the creation of a delivery and an attempt. */
const CLOCK_SLACK_MS = 24 * 60 * 60 * 1000;

/**
 * The earliest possible time of an attempt at a delivery that was created at `madeSince` or later, in epoch
 * milliseconds. A walk along the times of attempts begins there, to skip deliveries that retention is about to delete.
 */
export function earliestAttemptOf(madeSince: number): number {
  return madeSince - CLOCK_SLACK_MS;
}

/**
 * The range of the ids that an event's deliveries from `since` or later may have. They have the same `IdOrder` as the
 * event's id; see `newDelivery`.
 */
export function deliveryIdsOf(eventId: string, since: number): IdRange {
  const { first, last } = idsOfOrder('whd', orderOfEvent(eventId));
  const floor = floorId('whd', since);
  return { first: first < floor ? floor : first, last };
}

function orderOfEvent(id: string): IdOrder {
  return isId('evt', id) ? orderOfId('evt', id) : { ms: 0, sequence: 0 };
}
