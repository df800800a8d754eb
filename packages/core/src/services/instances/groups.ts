import type { Group, GroupReport } from '../../domain/instance/group.ts';
import { ok } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { GroupsExtent } from '../../ports/gateway.ts';
import type { LeasedInstance } from '../../ports/storage/lease-store.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from './fenced-error.ts';
import { findInstance } from './instances.ts';

export async function listGroups(
  context: ServiceContext,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<Result<readonly Group[]>> {
  const found = await findInstance(context, workspaceId, id);
  return found.ok ? ok(await context.storage.groups.list(workspaceId, id)) : found;
}

export async function saveGroups(
  context: ServiceContext,
  { instance, lease }: LeasedInstance,
  groups: readonly GroupReport[],
  { full }: GroupsExtent = { full: false },
): Promise<void> {
  // An empty list that is not the full list changes nothing, so it needs no transaction.
  if (groups.length === 0 && !full) return;
  const { workspaceId } = instance;
  const { storage, clock } = context;
  const saved = await storage.groups.save({ lease, workspaceId, groups, full, now: clock.now() });
  if (saved === 'fenced') throw new FencedError(instance.id);
}

/**
 * Returns the group of a message, and stores it first if its message came before the report of the group. Until
 * that report, the group's name is its network id, or the group keeps the data from when the number left it.
 */
export async function knownGroup(
  context: ServiceContext,
  held: LeasedInstance,
  networkId: string,
): Promise<Group | null> {
  const { groups } = context.storage;
  const known = await groups.findByNetworkId(held.instance.id, networkId);
  if (known?.isMember === true) return known;
  await saveGroups(context, held, [{ networkId }]);
  return groups.findByNetworkId(held.instance.id, networkId);
}
