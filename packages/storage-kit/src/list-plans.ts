import { MESSAGE_STATUSES, MESSAGE_TYPES } from '@trunkline/core/spi/storage';
import type { MessageFilter, MessageStatus, MessageType } from '@trunkline/core/spi/storage';

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
