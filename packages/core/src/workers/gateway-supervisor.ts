import type { Instance } from '../domain/instance/instance.ts';
import type { LeasedInstance } from '../ports/storage/instance-store.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { ServiceContext } from '../services/context.ts';
import type { OpenConnections } from './connections.ts';
import { createInstanceKeeper } from './instance-keeper.ts';
import type { InstanceKeeper } from './instance-keeper.ts';
import { createLoop } from './loop.ts';
import type { PassResult } from './loop.ts';
import { withDeadline } from './with-deadline.ts';

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/**
 * Connections whose leases could not be renewed are closed this long before they end: others must find them closed,
 * and their clocks may be a second ahead of this one.
 */
const CLOSE_BEFORE_END_MS = 2_000;
/** How long the storage may take about leases: one connection that hangs must leave time for another try. */
const STORAGE_DEADLINE_MS = 5_000;
/** Leases taken over in one pass, so that a crash elsewhere does not make this process open thousands of connections at once. */
const CLAIM_BATCH = 20;
/** Instances handed over to others between two renewals, so that joining a cluster does not close all connections at once. */
const HAND_OVER_BATCH = 5;
/** Owners that have not checked in for this long get no share. */
const OWNER_SILENT_MS = 2 * RENEW_EVERY_MS;
/** Connections being opened at once. */
const MAX_OPENING = 10;

export interface GatewaySupervisor {
  readonly connections: OpenConnections;
  /** How many instances it holds. */
  held(): number;
  /** Renews and takes leases, and brings every instance held a step nearer to what is wanted of it. */
  runOnce(): Promise<{ readonly held: number }>;
  start(): void;
  /** Looks at this instance at once. */
  wake(instanceId: string): void;
  /** Closes every connection (sessions and statuses stay) and gives the leases back. */
  stop(): Promise<void>;
}

/**
 * Holds the instances of this process: takes leases on those that need a gateway, renews them, and lets go of an
 * instance whose lease is lost before another process can have opened it. Holds no more than its share where other
 * processes have room.
 */
export function createGatewaySupervisor(
  context: ServiceContext,
  { owner, opened }: { readonly owner: string; readonly opened: (instanceId: string) => void },
): GatewaySupervisor {
  const { clock, logger, storage } = context;
  const keepers = new Map<string, InstanceKeeper>();
  /** Instances to look at before the next renewal. */
  const changed = new Set<string>();
  /** What was handed over, and until when it is left to others. */
  const handedOver = new Map<string, number>();
  const startedAt = clock.now();
  let renewAt = 0;
  let cancelLetGo = (): void => {};
  /** Connections that are being closed since their leases run out. */
  let closing: Promise<unknown> = Promise.resolve();

  const pass = async (): Promise<PassResult> => {
    const now = clock.now();
    if (now >= renewAt) await renew(now);
    else await lookAtDue(now);
    const claimed = await claim(now);
    for (const leased of claimed) await keep(leased);
    await letGoOfIdle();
    return { more: claimed.length === CLAIM_BATCH, nextAt: nextAt() };
  };

  const claim = async (now: number): Promise<readonly LeasedInstance[]> => {
    const except = leftToOthers(now);
    const claimed = await inTime(
      'Taking leases',
      storage.instances.claimLeases({ owner, now, ttlMs: LEASE_MS, limit: CLAIM_BATCH, except }),
    );
    // This process stood still meanwhile: what of it is still held, the next renewal tells.
    return clock.now() < now + LEASE_MS - CLOSE_BEFORE_END_MS ? claimed : [];
  };

  const inTime = <Value>(what: string, work: Promise<Value>): Promise<Value> =>
    withDeadline(clock, { what, ms: STORAGE_DEADLINE_MS }, work);

  const renew = async (now: number): Promise<void> => {
    // First: what changes while the storage is being read is to be looked at once more.
    changed.clear();
    const held = await inTime(
      'Renewing leases',
      storage.instances.renewLeases({ owner, now, ttlMs: LEASE_MS }),
    );
    renewAt = now + RENEW_EVERY_MS;
    letAllGoAt(now + LEASE_MS - CLOSE_BEFORE_END_MS);
    const renewed = new Set(held.map(({ lease }) => lease.instanceId));
    const lost = [...keepers].filter(([instanceId]) => !renewed.has(instanceId));
    // All at once: one that is slow to close must not cost the others their next renewal.
    await Promise.all(lost.map(([instanceId, keeper]) => letGo(instanceId, keeper)));
    for (const leased of held) await keep(leased);
    await handOverSurplus(now);
  };

  /**
   * Only owners that checked in after this one started count: one that a crash has left behind gets nothing. What
   * nobody takes within a lease is taken back.
   */
  const handOverSurplus = async (now: number): Promise<void> => {
    const since = Math.max(startedAt - 1, now - OWNER_SILENT_MS);
    const { owners, instances } = await inTime(
      'Sharing instances',
      storage.instances.checkIn(owner, { now, since }),
    );
    const surplus = keepers.size - Math.ceil(instances / owners);
    const settled = [...keepers.values()].filter((keeper) => keeper.open());
    for (const keeper of settled.slice(0, Math.max(0, Math.min(surplus, HAND_OVER_BATCH)))) {
      handedOver.set(keeper.lease.instanceId, now + LEASE_MS);
      logger.info({ instanceId: keeper.lease.instanceId }, 'an instance is handed over to another process');
      await forget(keeper);
    }
  };

  const leftToOthers = (now: number): readonly string[] => {
    for (const [instanceId, until] of handedOver) if (until <= now) handedOver.delete(instanceId);
    return [...handedOver.keys()];
  };

  const letGo = async (instanceId: string, keeper: InstanceKeeper): Promise<void> => {
    keepers.delete(instanceId);
    logger.warn({ instanceId }, 'the lease on an instance was lost');
    await keeper.abandon();
  };

  /** Unless the leases are renewed before. By a timer: a pass may hang, as the storage is out of reach. */
  const letAllGoAt = (at: number): void => {
    cancelLetGo();
    cancelLetGo = clock.setTimer(at - clock.now(), () => {
      if (keepers.size === 0) return;
      logger.warn({ instances: keepers.size }, 'leases could not be renewed: their connections are closed');
      closing = abandonAll();
    });
  };

  /** Looks at the instances that have changed, and at those that have waited long enough. */
  const lookAtDue = async (now: number): Promise<void> => {
    const mayOpen = hasRoomToOpen();
    const due = [...keepers.keys()].filter(
      (id) => changed.has(id) || (keepers.get(id)?.nextAt(mayOpen) ?? Infinity) <= now,
    );
    changed.clear();
    for (const instanceId of due) {
      const keeper = keepers.get(instanceId);
      if (!keeper) continue;
      const instance = await storage.instances.find(keeper.workspaceId, instanceId);
      if (instance) await keep({ instance, lease: keeper.lease });
      else await forget(keeper);
    }
  };

  const keep = async ({ instance, lease }: LeasedInstance): Promise<void> => {
    const keeper = await keeperFor(instance, lease);
    keeper.reconcile(instance, hasRoomToOpen());
  };

  const hasRoomToOpen = (): boolean =>
    [...keepers.values()].filter((keeper) => keeper.isOpening()).length < MAX_OPENING;

  const keeperFor = async (instance: Instance, lease: Lease): Promise<InstanceKeeper> => {
    const known = keepers.get(lease.instanceId);
    if (known?.lease.epoch === lease.epoch) return known;
    // What was opened under an earlier lease must be closed before anything else is opened.
    await closing;
    await known?.abandon();
    const keeper = createInstanceKeeper({ context, lease, instance, changed: () => look(lease.instanceId) });
    keepers.set(lease.instanceId, keeper);
    return keeper;
  };

  const look = (instanceId: string): void => {
    if (keepers.get(instanceId)?.open()) opened(instanceId);
    changed.add(instanceId);
    loop.wake();
  };

  const letGoOfIdle = async (): Promise<void> => {
    for (const keeper of keepers.values()) {
      if (keeper.isIdle()) await forget(keeper);
    }
  };

  const forget = async (keeper: InstanceKeeper): Promise<void> => {
    keepers.delete(keeper.lease.instanceId);
    await keeper.abandon();
    await storage.instances.releaseLease(keeper.lease);
  };

  const abandonAll = async (): Promise<void> => {
    const all = [...keepers.values()];
    keepers.clear();
    await Promise.all(all.map((keeper) => keeper.abandon()));
  };

  const nextAt = (): number => {
    const mayOpen = hasRoomToOpen();
    const times = [...keepers.values()].map((keeper) => keeper.nextAt(mayOpen) ?? Infinity);
    return Math.min(renewAt, ...times);
  };

  const loop = createLoop({ name: 'gateway supervisor', clock, logger, everyMs: RENEW_EVERY_MS, pass });

  return {
    connections: {
      ids: () => [...keepers].filter(([, keeper]) => keeper.open()).map(([id]) => id),
      get: (instanceId) => keepers.get(instanceId)?.open() ?? null,
    },
    held: () => keepers.size,
    async runOnce() {
      await pass();
      await Promise.all([...keepers.values()].map((keeper) => keeper.settled()));
      return { held: keepers.size };
    },
    start: loop.start,
    wake: look,
    async stop() {
      await loop.stop();
      const all = [...keepers.values()];
      await Promise.all(all.map((keeper) => keeper.settled()));
      cancelLetGo();
      // Before anything that a storage out of reach would make fail.
      await Promise.all(all.map((keeper) => keeper.abandon()));
      await storage.instances.checkOut(owner);
      await Promise.all(all.map(forget));
    },
  };
}
