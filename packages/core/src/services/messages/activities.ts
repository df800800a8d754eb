import { reportedTime } from '../../domain/message/inbound-bounds.ts';
import type { Activity } from '../../ports/gateway.ts';
import type { RecordedActivity } from '../../ports/storage/activity-store.ts';
import type { LeasedInstance } from '../../ports/storage/lease-store.ts';
import { contactResource } from '../../resources/message.ts';
import { timestampOrNull } from '../../resources/time.ts';
import { knownContact } from '../contacts.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/fenced-error.ts';
import { knownGroup } from '../instances/groups.ts';

/**
 * How long a repeat is recognised. The network may repeat a report after the device was away for weeks.
 */
export const ACTIVITY_KNOWN_MS: number = 30 * 24 * 60 * 60_000;

/** Stores one event for a message that cannot be read here. Ignores a message that was read after all. */
export async function recordUndecryptable(
  context: ServiceContext,
  held: LeasedInstance,
  activity: Extract<Activity, { kind: 'undecryptable' }>,
): Promise<void> {
  const { kind, networkId, senderId, groupNetworkId, reason, sentAt } = activity;
  const { id: instanceId, workspaceId } = held.instance;
  const contact = activity.contact && (await knownContact(context, held, activity.contact));
  if (await context.storage.messages.hasInbound(instanceId, networkId, senderId, contact)) return;
  const group = groupNetworkId === null ? null : await knownGroup(context, held, groupNetworkId);
  const now = context.clock.now();
  const undecryptable = {
    instance_id: instanceId,
    contact: contact && contactResource(contact),
    group_id: group?.id ?? null,
    reason,
    sent_at: timestampOrNull(reportedTime(sentAt, now)),
  };
  const data = { undecryptable };
  await storeActivity(context, held, {
    key: activityKey(context, kind, networkId, contact?.id ?? senderId),
    event: context.newEvent({ type: 'message.undecryptable', workspaceId, data, now }),
    change: null,
  });
}

export async function recordCall(
  context: ServiceContext,
  held: LeasedInstance,
  activity: Extract<Activity, { kind: 'call' }>,
): Promise<void> {
  const { kind, networkId, groupNetworkId, video, at } = activity;
  const { id: instanceId, workspaceId } = held.instance;
  const contact = activity.contact && (await knownContact(context, held, activity.contact));
  const group = groupNetworkId === null ? null : await knownGroup(context, held, groupNetworkId);
  const now = context.clock.now();
  const call = {
    instance_id: instanceId,
    contact: contact && contactResource(contact),
    group_id: group?.id ?? null,
    video,
    at: timestampOrNull(reportedTime(at, now)),
  };
  await storeActivity(context, held, {
    key: activityKey(context, kind, networkId, contact?.id ?? null),
    event: context.newEvent({ type: 'call.received', workspaceId, data: { call }, now }),
    change: null,
  });
}

/**
 * Identifies an activity within its instance. A digest bounds the length, because strangers choose how long
 * the parts are.
 */
export function activityKey(
  { crypto }: ServiceContext,
  ...parts: readonly (string | number | null)[]
): string {
  return crypto.sha256(JSON.stringify(parts));
}

/**
 * Stores an activity once. Returns `stale` if its message was changed in the meantime, or the voter merged or erased,
 * so that the caller decides again.
 */
export async function storeActivity(
  { storage, clock }: ServiceContext,
  { lease }: LeasedInstance,
  activity: Omit<RecordedActivity, 'recordedAt'>,
): Promise<'recorded' | 'repeat' | 'stale'> {
  const recorded = await storage.activities.record(lease, { ...activity, recordedAt: clock.now() });
  if (recorded === 'fenced') throw new FencedError(lease.instanceId);
  return recorded;
}
