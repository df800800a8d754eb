import { writtenInstance } from '../../domain/instance/instance.ts';
import type { HistoryEntry } from '../../domain/instance/instance-history.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type {
  InstanceStore,
  InstanceWrite,
  InstanceWriteResult,
} from '../../ports/storage/instance-store.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { MessageChange, QueueFailure } from '../../ports/storage/message-store.ts';
import type { NotificationClaim, OwedInstanceNotification } from '../../ports/storage/owed-notification.ts';
import { failQueue } from '../../services/messages/fail-queue.ts';
import { storeEvents } from './event-fan-out.ts';
import { leaveGroups } from './group-store.ts';
import { writeEntry } from './history-store.ts';
import { leasedRecord } from './lease.ts';
import { applyChange } from './message-rows.ts';
import { byId } from './order.ts';
import { insertRow } from './state.ts';
import type { InstanceRecord, State, Work } from './state.ts';

export class MemoryInstanceStore implements InstanceStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async insert(
    instance: Instance,
    limit: number | null,
    entry?: HistoryEntry,
  ): Promise<'inserted' | 'limit_reached'> {
    if (limit !== null && this.#ofWorkspace(instance.workspaceId).length >= limit) return 'limit_reached';
    insertRow(this.#state.instances, instance.id, {
      instance: structuredClone(instance),
      lease: { owner: null, epoch: 0, expiresAt: 0, reservedFor: null },
      session: new Map(),
      groups: new Map(),
      queue: new Map(),
      downloads: new Map(),
      held: new Set<string>(),
    });
    writeEntry(this.#state, entry);
    this.#state.signal({ topic: 'instance', instanceId: instance.id });
    return 'inserted';
  }

  async find(workspaceId: string, id: string): Promise<Instance | null> {
    return structuredClone(this.#record(workspaceId, id)?.instance ?? null);
  }

  async list(workspaceId: string): Promise<readonly Instance[]> {
    return structuredClone(this.#ofWorkspace(workspaceId).toSorted(byId));
  }

  async countIn(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = workspaceIds.map((id) => [id, this.#ofWorkspace(id).length] as const);
    return new Map(counts.filter(([, count]) => count > 0));
  }

  async write(write: InstanceWrite): Promise<InstanceWriteResult> {
    const { instance, event, lease, failQueued, forgetNumber, entry, notification } = write;
    if (lease && !leasedRecord(this.#state, lease)) return { kind: 'fenced' };
    const record = this.#record(instance.workspaceId, instance.id);
    if (record?.instance.version !== instance.version) return { kind: 'stale' };
    const work = [...storeEvents(this.#state, event ? [event] : [])];
    const failed = failQueued ? this.#failed(record, failQueued) : [];
    record.instance = structuredClone(writtenInstance(instance, record.instance));
    if (forgetNumber === true) {
      record.session.clear();
      record.downloads.clear();
      leaveGroups(record, () => false);
    }
    work.push(...this.#apply(failed));
    writeEntry(this.#state, entry);
    if (notification) this.#state.instanceNotifications.add(notification);
    this.#signalWrite(instance.id, work, lease);
    return { kind: 'written', instance: structuredClone(record.instance) };
  }

  async delete(deletion: {
    readonly instance: Instance;
    readonly lease: Lease;
    readonly failQueued: QueueFailure;
    readonly entry?: HistoryEntry;
  }): Promise<'deleted' | 'stale' | 'fenced'> {
    const { instance, lease, failQueued, entry } = deletion;
    if (!leasedRecord(this.#state, lease)) return 'fenced';
    const record = this.#record(instance.workspaceId, instance.id);
    if (record?.instance.version !== instance.version) return 'stale';
    const work = this.#apply(this.#failed(record, failQueued));
    this.#state.instances.delete(instance.id);
    writeEntry(this.#state, entry);
    this.#signalWrite(instance.id, work);
    return 'deleted';
  }

  async touch(lease: Lease, now: number): Promise<void> {
    const record = leasedRecord(this.#state, lease);
    if (!record) return;
    record.instance = { ...record.instance, lastSeenAt: Math.max(record.instance.lastSeenAt ?? 0, now) };
  }

  async note(lease: Lease, entry: HistoryEntry): Promise<void> {
    if (leasedRecord(this.#state, lease)) writeEntry(this.#state, entry);
  }

  async listDown(query: {
    readonly before: number;
    readonly latest: number;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly Instance[]> {
    const { before, latest, after, limit } = query;
    const down = Array.from(this.#state.instances.values(), ({ instance }) => instance).filter(
      ({ id, status, downSince, downNotifiedAt }) =>
        downSince !== null &&
        (downSince <= before || downSince > latest) &&
        downNotifiedAt === null &&
        status !== 'connected' &&
        (after === null || id > after),
    );
    return structuredClone(down.toSorted(byId).slice(0, limit));
  }

  async claimNotifications(claim: NotificationClaim): Promise<readonly OwedInstanceNotification[]> {
    return this.#state.instanceNotifications.claim(claim);
  }

  async completeNotification(id: string): Promise<void> {
    this.#state.instanceNotifications.complete(id);
  }

  #record(workspaceId: string, id: string): InstanceRecord | undefined {
    const record = this.#state.instances.get(id);
    return record?.instance.workspaceId === workspaceId ? record : undefined;
  }

  #ofWorkspace(workspaceId: string): readonly Instance[] {
    const instances = [...this.#state.instances.values()].map(({ instance }) => instance);
    return instances.filter((instance) => instance.workspaceId === workspaceId);
  }

  #failed(record: InstanceRecord, failure: QueueFailure): readonly MessageChange[] {
    const queued = [...record.queue.keys()].flatMap((id) => this.#state.messages.get(id) ?? []);
    return failQueue(queued, failure, this.#state.newId);
  }

  #apply(changes: readonly MessageChange[]): readonly Work[] {
    return changes.flatMap((change) => applyChange(this.#state, change) ?? []);
  }

  #signalWrite(instanceId: string, work: readonly Work[], lease: Lease | null = null): void {
    this.#state.signal({ topic: 'instance', instanceId, ...(lease && { byHolder: true }) });
    this.#state.signalWork(work);
  }
}
