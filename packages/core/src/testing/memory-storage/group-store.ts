import { newGroupFacts } from '../../domain/instance/group.ts';
import type { Group, GroupReport } from '../../domain/instance/group.ts';
import type { GroupStore } from '../../ports/storage/group-store.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { leasedRecord } from './lease.ts';
import { byId, compareCodePoints } from './order.ts';
import type { InstanceRecord, State } from './state.ts';

export class MemoryGroupStore implements GroupStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async save(save: {
    readonly lease: Lease;
    readonly workspaceId: string;
    readonly groups: readonly GroupReport[];
    readonly full?: boolean;
    readonly now: number;
  }): Promise<'saved' | 'fenced'> {
    const { lease, workspaceId, now } = save;
    const record = leasedRecord(this.#state, lease);
    if (!record) return 'fenced';
    for (const report of save.groups) {
      const { networkId } = report;
      const known = record.groups.get(networkId);
      const { name, participantsCount } = known ?? newGroupFacts(report);
      record.groups.set(networkId, {
        id: known?.id ?? this.#state.newId('grp', now),
        workspaceId,
        instanceId: lease.instanceId,
        networkId,
        name: report.name ?? name,
        participantsCount: report.participantsCount ?? participantsCount,
        isMember: true,
        syncedAt: now,
      });
    }
    const named = new Set(save.groups.map(({ networkId }) => networkId));
    if (save.full === true) leaveGroups(record, ({ networkId }) => named.has(networkId));
    return 'saved';
  }

  async list(workspaceId: string, instanceId: string): Promise<readonly Group[]> {
    const groups = this.#of(workspaceId, instanceId);
    return structuredClone(groups.toSorted((a, b) => compareCodePoints(a.name, b.name) || byId(a, b)));
  }

  async find(workspaceId: string, instanceId: string, id: string): Promise<Group | null> {
    return structuredClone(this.#of(workspaceId, instanceId).find((group) => group.id === id) ?? null);
  }

  async findByNetworkId(instanceId: string, networkId: string): Promise<Group | null> {
    return structuredClone(this.#state.instances.get(instanceId)?.groups.get(networkId) ?? null);
  }

  #of(workspaceId: string, instanceId: string): readonly Group[] {
    const record = this.#state.instances.get(instanceId);
    if (record?.instance.workspaceId !== workspaceId) return [];
    return [...record.groups.values()].filter(({ isMember }) => isMember);
  }
}

/** Ends the number's membership in all groups except those for which `stays` is true. */
export function leaveGroups({ groups }: InstanceRecord, stays: (group: Group) => boolean): void {
  for (const group of groups.values()) {
    if (!stays(group)) groups.set(group.networkId, { ...group, isMember: false });
  }
}
