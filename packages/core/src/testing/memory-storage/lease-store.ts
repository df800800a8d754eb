import { latestLeaseEnd } from '../../domain/too-far-ahead.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { ClaimedInstance, LeaseStore, LeasedInstance } from '../../ports/storage/lease-store.ts';
import { leasedRecord, needsGateway } from './lease.ts';
import { byId, compare } from './order.ts';
import type { InstanceRecord, State } from './state.ts';

export class MemoryLeaseStore implements LeaseStore {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  async claim(claim: {
    readonly owner: string;
    readonly now: number;
    readonly ttlMs: number;
    readonly limit: number;
    readonly leaveAhead?: boolean;
  }): Promise<readonly ClaimedInstance[]> {
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
      const { owner: takenFrom, epoch } = record.lease;
      record.lease = { owner, epoch: epoch + 1, expiresAt: now + ttlMs, reservedFor: null };
      return { ...leased(record, owner), takenFrom };
    });
  }

  async renew(renewal: {
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

  async release(
    lease: Lease,
    reservation?: { readonly owner: string; readonly until: number },
  ): Promise<void> {
    const record = leasedRecord(this.#state, lease);
    if (!record) return;
    const { owner: reservedFor, until: expiresAt } = reservation ?? { owner: null, until: 0 };
    record.lease = { owner: null, epoch: lease.epoch, expiresAt, reservedFor };
    this.#state.signal({ topic: 'instance', instanceId: lease.instanceId });
  }

  async find(instanceId: string, now: number): Promise<Lease | null> {
    const lease = this.#state.instances.get(instanceId)?.lease;
    if (!lease || lease.owner === null || lease.expiresAt <= now) return null;
    return { instanceId, owner: lease.owner, epoch: lease.epoch };
  }
}

function leased(record: InstanceRecord, owner: string): LeasedInstance {
  const { instance, lease } = record;
  return {
    instance: structuredClone(instance),
    lease: { instanceId: instance.id, owner, epoch: lease.epoch },
  };
}
