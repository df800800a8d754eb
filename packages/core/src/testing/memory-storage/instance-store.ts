import type { NewId } from '../../domain/id.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { Message } from '../../domain/message/message.ts';
import { latestCheckIn, latestLeaseEnd } from '../../domain/too-far-ahead.ts';
import type { Group, GroupReport } from '../../domain/instance/group.ts';
import type { GatewayShare } from '../../domain/instance/instance-shares.ts';
import type {
  InstanceStore,
  InstanceWrite,
  InstanceWriteResult,
  LeasedInstance,
} from '../../ports/storage/instance-store.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { MessageChange } from '../../ports/storage/message-store.ts';
import { storeEvents } from './event-fan-out.ts';
import { leasedRecord } from './lease.ts';
import { applyChange } from './message-change.ts';
import { byId, compare, compareCodePoints } from './order.ts';
import { insertRow } from './state.ts';
import type { InstanceRecord, State, WorkTopic } from './state.ts';

export class MemoryInstanceStore implements InstanceStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async insert(instance: Instance, limit: number | null): Promise<'inserted' | 'limit_reached'> {
    if (limit !== null && this.#ofWorkspace(instance.workspaceId).length >= limit) return 'limit_reached';
    insertRow(this.#state.instances, instance.id, {
      instance: structuredClone(instance),
      lease: { owner: null, epoch: 0, expiresAt: 0, reservedFor: null },
      session: new Map(),
      groups: new Map(),
      queue: new Map(),
    });
    this.#state.signal({ topic: 'instance', instanceId: instance.id });
    return 'inserted';
  }

  async find(workspaceId: string, id: string): Promise<Instance | null> {
    return structuredClone(this.#record(workspaceId, id)?.instance ?? null);
  }

  async list(workspaceId: string): Promise<readonly Instance[]> {
    return structuredClone(this.#ofWorkspace(workspaceId).toSorted(byId));
  }

  async write(write: InstanceWrite): Promise<InstanceWriteResult> {
    const { instance, event, lease, settleQueued, forgetNumber } = write;
    if (lease && !leasedRecord(this.#state, lease)) return { kind: 'fenced' };
    const record = this.#record(instance.workspaceId, instance.id);
    if (record?.instance.version !== instance.version) return { kind: 'stale' };
    const settled = settleQueued ? this.#decideQueued(record, settleQueued) : [];

    record.instance = {
      ...structuredClone(instance),
      lastSeenAt: latest(record.instance.lastSeenAt, instance.lastSeenAt),
      version: instance.version + 1,
    };
    if (forgetNumber === true) {
      record.session.clear();
      leaveGroups(record, () => false);
    }
    const work = [...storeEvents(this.#state, event ? [event] : []), ...this.#settle(settled)];
    this.#signalWrite(instance.id, work, lease);
    return { kind: 'written', instance: structuredClone(record.instance) };
  }

  async delete(deletion: {
    readonly instance: Instance;
    readonly lease: Lease;
    readonly settleQueued: (message: Message) => MessageChange;
  }): Promise<'deleted' | 'stale' | 'fenced'> {
    const { instance, lease, settleQueued } = deletion;
    if (!leasedRecord(this.#state, lease)) return 'fenced';
    const record = this.#record(instance.workspaceId, instance.id);
    if (record?.instance.version !== instance.version) return 'stale';
    const settled = this.#decideQueued(record, settleQueued);

    const work = this.#settle(settled);
    this.#state.instances.delete(instance.id);
    this.#signalWrite(instance.id, work);
    return 'deleted';
  }

  async seen(lease: Lease, now: number): Promise<void> {
    const record = leasedRecord(this.#state, lease);
    if (!record) return;
    record.instance = { ...record.instance, lastSeenAt: latest(record.instance.lastSeenAt, now) };
  }

  async claimLeases(claim: {
    readonly owner: string;
    readonly now: number;
    readonly ttlMs: number;
    readonly limit: number;
    readonly leaveAhead?: boolean;
  }): Promise<readonly LeasedInstance[]> {
    const { owner, now, ttlMs, limit, leaveAhead = false } = claim;
    const free = [...this.#state.instances.values()]
      .filter(({ instance }) => needsGateway(instance))
      .filter(
        ({ lease: { expiresAt, reservedFor } }) =>
          expiresAt <= now ||
          reservedFor === owner ||
          (!leaveAhead && expiresAt > latestLeaseEnd(now, ttlMs)),
      )
      .toSorted((a, b) => compare(a.lease.expiresAt, b.lease.expiresAt) || byId(a.instance, b.instance));
    return free.slice(0, limit).map((record) => {
      record.lease = { owner, epoch: record.lease.epoch + 1, expiresAt: now + ttlMs, reservedFor: null };
      return leased(record, owner);
    });
  }

  async renewLeases(renewal: {
    readonly owner: string;
    readonly now: number;
    readonly ttlMs: number;
  }): Promise<readonly LeasedInstance[]> {
    const { owner, now, ttlMs } = renewal;
    const held = [...this.#state.instances.values()].filter(
      ({ lease }) => lease.owner === owner && lease.expiresAt > now,
    );
    return held.map((record) => {
      record.lease.expiresAt = now + ttlMs;
      return leased(record, owner);
    });
  }

  async releaseLease(
    lease: Lease,
    reservation?: { readonly owner: string; readonly until: number },
  ): Promise<void> {
    const record = leasedRecord(this.#state, lease);
    if (!record) return;
    const { owner: reservedFor, until: expiresAt } = reservation ?? { owner: null, until: 0 };
    record.lease = { owner: null, epoch: lease.epoch, expiresAt, reservedFor };
    this.#signalWrite(lease.instanceId, []);
  }

  async checkIn(
    owner: string,
    report: { readonly now: number; readonly since: number; readonly asksUntil?: number },
  ): Promise<GatewayShare> {
    const { now, since, asksUntil = 0 } = report;
    const { owners, instances } = this.#state;
    for (const [other, { checkedInAt }] of owners) {
      if (checkedInAt <= since || checkedInAt > latestCheckIn(now)) owners.delete(other);
    }
    owners.set(owner, { checkedInAt: now, asksUntil });
    const needing = [...instances.values()].filter(({ instance }) => needsGateway(instance));
    const held = needing.filter(({ lease }) => lease.expiresAt > now);
    return {
      owners: [...owners]
        .map(([name, known]) => ({
          owner: name,
          held: held.filter(({ lease }) => (lease.owner ?? lease.reservedFor) === name).length,
          ...known,
        }))
        .toSorted((a, b) => compareCodePoints(a.owner, b.owner)),
      instances: needing.length,
    };
  }

  async checkOut(owner: string): Promise<void> {
    this.#state.owners.delete(owner);
  }

  async findLease(instanceId: string, now: number): Promise<Lease | null> {
    const lease = this.#state.instances.get(instanceId)?.lease;
    if (!lease || lease.owner === null || lease.expiresAt <= now) return null;
    return { instanceId, owner: lease.owner, epoch: lease.epoch };
  }

  async loadSession(instanceId: string): Promise<ReadonlyMap<string, Uint8Array>> {
    return structuredClone(this.#state.instances.get(instanceId)?.session ?? new Map());
  }

  async saveSession(
    lease: Lease,
    changes: ReadonlyMap<string, Uint8Array | null>,
  ): Promise<'saved' | 'fenced'> {
    const record = leasedRecord(this.#state, lease);
    if (!record) return 'fenced';
    for (const [name, value] of changes) {
      if (value === null) record.session.delete(name);
      else record.session.set(name, Uint8Array.from(value));
    }
    return 'saved';
  }

  async replaceSessionValues(
    instanceId: string,
    replacements: ReadonlyMap<string, { readonly from: Uint8Array; readonly to: Uint8Array }>,
  ): Promise<void> {
    const session = this.#state.instances.get(instanceId)?.session;
    for (const [name, { from, to }] of replacements) {
      const stored = session?.get(name);
      if (stored && Buffer.compare(stored, from) === 0) session?.set(name, Uint8Array.from(to));
    }
  }

  async saveGroups(save: {
    readonly lease: Lease;
    readonly workspaceId: string;
    readonly groups: readonly GroupReport[];
    readonly full?: boolean;
    readonly now: number;
    readonly newId: NewId;
  }): Promise<'saved' | 'fenced'> {
    const { lease, workspaceId, now, newId } = save;
    const record = leasedRecord(this.#state, lease);
    if (!record) return 'fenced';
    for (const { networkId, name, participantsCount } of save.groups) {
      const id = record.groups.get(networkId)?.id ?? newId('grp', now);
      const { instanceId } = lease;
      record.groups.set(networkId, {
        id,
        workspaceId,
        instanceId,
        networkId,
        name,
        participantsCount,
        isMember: true,
        syncedAt: now,
      });
    }
    const named = new Set(save.groups.map(({ networkId }) => networkId));
    if (save.full === true) leaveGroups(record, ({ networkId }) => named.has(networkId));
    return 'saved';
  }

  async listGroups(workspaceId: string, instanceId: string): Promise<readonly Group[]> {
    const groups = this.#groupsOf(workspaceId, instanceId);
    return structuredClone(groups.toSorted((a, b) => compareCodePoints(a.name, b.name) || byId(a, b)));
  }

  async findGroup(workspaceId: string, instanceId: string, id: string): Promise<Group | null> {
    return structuredClone(this.#groupsOf(workspaceId, instanceId).find((group) => group.id === id) ?? null);
  }

  async findGroupByNetworkId(instanceId: string, networkId: string): Promise<Group | null> {
    return structuredClone(this.#state.instances.get(instanceId)?.groups.get(networkId) ?? null);
  }

  #record(workspaceId: string, id: string): InstanceRecord | undefined {
    const record = this.#state.instances.get(id);
    return record?.instance.workspaceId === workspaceId ? record : undefined;
  }

  #groupsOf(workspaceId: string, instanceId: string): readonly Group[] {
    const groups = this.#record(workspaceId, instanceId)?.groups.values() ?? [];
    return [...groups].filter(({ isMember }) => isMember);
  }

  #ofWorkspace(workspaceId: string): readonly Instance[] {
    const instances = [...this.#state.instances.values()].map(({ instance }) => instance);
    return instances.filter((instance) => instance.workspaceId === workspaceId);
  }

  /** Calls all of the caller's code before anything is written: where it throws, nothing has changed. */
  #decideQueued(
    record: InstanceRecord,
    settle: (message: Message) => MessageChange,
  ): readonly MessageChange[] {
    return [...record.queue.keys()].flatMap((id) => {
      const message = this.#state.messages.get(id);
      return message ? [settle(structuredClone(message))] : [];
    });
  }

  #settle(changes: readonly MessageChange[]): readonly WorkTopic[] {
    return changes.flatMap((change) => applyChange(this.#state, change) ?? []);
  }

  #signalWrite(instanceId: string, work: readonly WorkTopic[], lease: Lease | null = null): void {
    this.#state.signal({ topic: 'instance', instanceId, ...(lease && { byHolder: true }) });
    this.#state.signalWork(work);
  }
}

function leaveGroups({ groups }: InstanceRecord, stays: (group: Group) => boolean): void {
  for (const group of groups.values()) {
    if (!stays(group)) groups.set(group.networkId, { ...group, isMember: false });
  }
}

function needsGateway(instance: Instance): boolean {
  return instance.desired === 'running' || instance.operation !== null;
}

function leased(record: InstanceRecord, owner: string): LeasedInstance {
  const { instance, lease } = record;
  return {
    instance: structuredClone(instance),
    lease: { instanceId: instance.id, owner, epoch: lease.epoch },
  };
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
