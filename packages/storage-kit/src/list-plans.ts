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

/** The messages of one status and one type: with an index on both, they are found without looking at others. */
export interface MessageKind {
  readonly status: MessageStatus;
  readonly type: MessageType;
}

/**
 * The kinds of messages that pass a filter, each once: a list walks each kind along the index and merges them, so that a
 * page costs the same however rare what it asks for is. Null for a filter that every kind passes: that is one walk along an
 * index without kinds. A filter by instance says nothing of kinds, but has them all listed, for the index of an instance.
 */
export function messageKinds(filter: MessageFilter): readonly MessageKind[] | null {
  const { instanceId, direction, type, statuses } = filter;
  if (instanceId === undefined && direction === undefined && type === undefined && statuses === undefined) {
    return null;
  }
  const types = type === undefined ? MESSAGE_TYPES : [type];
  return wantedStatuses(filter).flatMap((status) => types.map((one) => ({ status, type: one })));
}

/** A direction is a set of statuses, too. */
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
/** The generation of deliveries stored as ended: no lane has it. */
export const ENDED_GENERATION = 0;

/** The generations of an endpoint's lane. */
export interface LaneGenerations {
  /** The generation that deliveries are queued in now; null if there is no lane. */
  readonly current: number | null;
  /** The generations that a cancellation has ended and that are not swept yet. */
  readonly closed: readonly number[];
}

/**
 * The kinds of open deliveries that read as one of these statuses. A cancellation ends all deliveries of a generation
 * without a write to each: until they are swept they are stored as open, and read as failed.
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

/** The kinds of deliveries that are stored as ended and read as one of these statuses. */
export function endedDeliveryKinds(statuses: readonly DeliveryStatus[]): readonly DeliveryKind[] {
  return statuses
    .filter((status) => !isOpen(status))
    .map((status) => ({ status, generation: ENDED_GENERATION }));
}

/** How far the clock may have been set back between the making of a delivery and an attempt. */
const CLOCK_SLACK_MS = 24 * 60 * 60 * 1000;

/**
 * When a delivery that was made at `madeSince` or later was attempted at the earliest, in epoch milliseconds. A walk along
 * the times of attempts begins there, and does not pass what retention is about to delete.
 */
export function earliestAttemptOf(madeSince: number): number {
  return madeSince - CLOCK_SLACK_MS;
}

/** The range of ids of an event's deliveries: each has the order of the event's own id (`newDelivery`). */
export function deliveryIdsOf(eventId: string, since: number): IdRange {
  const { first, last } = idsOfOrder('whd', orderOfEvent(eventId));
  const floor = floorId('whd', since);
  return { first: first < floor ? floor : first, last };
}

function orderOfEvent(id: string): IdOrder {
  return isId('evt', id) ? orderOfId('evt', id) : { ms: 0, sequence: 0 };
}
