import type { Instance } from '../domain/instance/instance.ts';
import type { LeasedInstance } from '../ports/storage/lease-store.ts';
import type { Lease } from '../ports/storage/lease.ts';
import { settledWithin, withDeadline } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { PassResult } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { CLAIM_BATCH, createClaimSchedule } from './claim-schedule.ts';
import type { OpenConnection, OpenConnections } from './connections.ts';
import { createInstanceSharing } from './instance-sharing.ts';
import { createInstanceController } from './instance-controller.ts';
import type { InstanceController } from './instance-controller.ts';

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/**
 * Connections whose leases could not be renewed are closed this long before they end: others must find them closed,
 * and their clocks may be a second ahead of this one.
 */
const CLOSE_BEFORE_END_MS = 2_000;
/** How long the storage may take about leases: one connection that hangs must leave time for another try. */
const STORAGE_DEADLINE_MS = 5_000;
/** Instances that are read concurrently: a storage may read them in one statement. */
const LOOK_BATCH = 500;
/** Connections being opened concurrently, less those that seem to be stuck. */
const MAX_OPENING = 10;

export interface GatewaySupervisor {
  readonly connections: OpenConnections;
  /** How many instances it holds. */
  held(): number;
  /** Renews and takes leases, and brings every instance held a step nearer to what is wanted of it. */
  runOnce(): Promise<{ readonly held: number }>;
  start(): void;
  /** Somebody else has changed the instance: reads it where it is held, and else looks for instances to take. */
  wake(instanceId: string): void;
  /** Waits at most `timeoutMs` for what is being done, closes every connection (sessions and statuses stay) and releases the leases. */
  stop(timeoutMs: number): Promise<void>;
}

interface SupervisorOptions {
  readonly owner: string;
  /** See `ServiceClock`. */
  readonly leadsKnown: Promise<void>;
  /** Called once for each connection, when messages can be sent on it. */
  readonly opened: (instanceId: string) => void;
}

/**
 * Holds the instances of this process: takes leases on those that need a gateway, renews them, and closes the
 * connection of an instance whose lease is lost before another process can have opened it. Holds no more than its share where other
 * processes have room.
 */
export function createGatewaySupervisor(
  context: ServiceContext,
  { owner, leadsKnown, opened }: SupervisorOptions,
): GatewaySupervisor {
  const { clock, logger, storage } = context;
  const keepers = new Map<string, InstanceController>();
  /** Those that something is awaited of or due for: a pass looks at no others, however many are held. */
  const unsettled = new Set<InstanceController>();
  /** Instances held that somebody else has changed: they are read before the next renewal. */
  const changed = new Set<string>();
  /** Keepers that have changed something themselves: what they know is all there is to know. */
  const touched = new Set<InstanceController>();
  /** Connections that `opened` was called for. */
  const announced = new WeakSet<OpenConnection['connection']>();
  const sharing = createInstanceSharing(context, {
    owner,
    checkIn: (report) => inTime('Sharing instances', storage.processes.register(owner, report)),
    open: () => [...keepers.values()].filter((keeper) => keeper.open()),
    async handOver(keeper, reservation) {
      try {
        await release(keeper, reservation);
      } catch (error) {
        // The lease may still be this process's.
        renewAt = 0;
        throw error;
      }
    },
  });
  const claims = createClaimSchedule({
    untried: () => untried().length,
    waiting: () => untried().filter((keeper) => keeper.opensUntil() === null).length,
    lookAt: sharing.lookAt,
  });
  let renewAt = 0;
  let leasesEndAt = 0;
  /** Another process took what this one still held by its own time: where leases lie ahead, that time is wrong. */
  let isBehind = false;
  let cancelClosing = (): void => {};
  /** Connections that are being closed since their leases run out. */
  let closing: Promise<unknown> = Promise.resolve();

  const pass = async (): Promise<PassResult> => {
    const now = clock.now();
    const isRenewal = claims.renewsFirst() || now >= renewAt;
    isBehind ||= [...unsettled].some((keeper) => keeper.isFenced());
    if (isRenewal) await renew(now);
    else await lookAtDue(now);
    if (claims.isDue(now, isRenewal)) {
      await keepAll(
        await claims.claim({ now, isRenewal }, (mayTakeAhead) => claim(now, mayTakeAhead && !isBehind)),
      );
    }
    await releaseIdle();
    await sharing.shareAt(now);
    for (const keeper of unsettled)
      if (keeper.isSettled() && !changed.has(keeper.lease.instanceId)) unsettled.delete(keeper);
    return { more: claims.isDue(clock.now(), false), nextAt: nextAt() };
  };

  const claim = async (now: number, mayTakeAhead: boolean): Promise<readonly LeasedInstance[]> => {
    const claimed = await inTime(
      'Taking leases',
      storage.leases.claim({
        owner,
        now,
        ttlMs: LEASE_MS,
        limit: CLAIM_BATCH,
        leaveAhead: !mayTakeAhead,
      }),
    );
    sharing.noteClaimed(
      claimed.map(({ lease }) => lease.instanceId),
      now,
    );
    // This process stood still meanwhile: the next renewal finds out what of it is still held.
    return clock.now() < now + LEASE_MS - CLOSE_BEFORE_END_MS ? claimed : [];
  };

  const inTime = <Value>(what: string, work: Promise<Value>): Promise<Value> =>
    withDeadline(clock, { what, ms: STORAGE_DEADLINE_MS }, work);

  const renew = async (now: number): Promise<void> => {
    // First: what changes while the storage is being read is to be read again.
    changed.clear();
    touched.clear();
    const held = await inTime('Renewing leases', storage.leases.renew({ owner, now, ttlMs: LEASE_MS }));
    const hadLeasesUntil = leasesEndAt;
    claims.noteRenewal();
    if (now >= renewAt) renewAt = now + RENEW_EVERY_MS;
    leasesEndAt = now + LEASE_MS;
    closeAllAt(now + LEASE_MS - CLOSE_BEFORE_END_MS);
    const renewed = new Set(held.map(({ lease }) => lease.instanceId));
    const lost = [...keepers].filter(([instanceId]) => !renewed.has(instanceId));
    if (lost.length > 0 && now < hadLeasesUntil) isBehind = true;
    // Concurrently: one that is slow to close must not cost the others their next renewal.
    await Promise.all(lost.map(([instanceId, keeper]) => loseLease(instanceId, keeper)));
    await keepAll(held);
  };

  const loseLease = async (instanceId: string, keeper: InstanceController): Promise<void> => {
    keepers.delete(instanceId);
    logger.warn({ instanceId }, 'the lease on an instance was lost');
    await keeper.abandon();
  };

  /** Unless the leases are renewed before. By a timer: a pass may hang, as the storage is out of reach. */
  const closeAllAt = (at: number): void => {
    cancelClosing();
    cancelClosing = clock.setTimer(at - clock.now(), () => {
      if (keepers.size === 0) return;
      logger.warn({ instances: keepers.size }, 'leases could not be renewed: their connections are closed');
      closing = abandonAll();
    });
  };

  /** Reads the instances that have changed, and those that have waited long enough; the keepers know the others. */
  const lookAtDue = async (now: number): Promise<void> => {
    const due = keepersToRead(now);
    const read = new Set(due);
    const known = [...touched].filter((keeper) => isHeld(keeper) && !read.has(keeper));
    changed.clear();
    touched.clear();
    reconcileAll(known.map((keeper) => ({ keeper, stored: null })));
    for (let first = 0; first < due.length; first += LOOK_BATCH) {
      // Concurrently: one after another, hundreds that open together would wait for each other's reads.
      const looks = due.slice(first, first + LOOK_BATCH).map(async (keeper) => {
        const { lease, workspaceId } = keeper;
        const { instanceId } = lease;
        const instance = await storage.instances.find(workspaceId, instanceId).catch((error: unknown) => {
          changed.add(instanceId);
          throw error;
        });
        if (!isHeld(keeper)) return [];
        if (instance) return [{ instance, lease }];
        await forget(keeper);
        return [];
      });
      await keepAll((await Promise.all(looks)).flat());
    }
  };

  const keepersToRead = (now: number): readonly InstanceController[] => {
    let room = roomToOpen();
    return [...unsettled].filter((keeper) => {
      if (!isHeld(keeper)) return false;
      if (changed.has(keeper.lease.instanceId) || (keeper.nextAt(false) ?? Infinity) <= now) return true;
      if ((keeper.nextAt(true) ?? Infinity) > now) return false;
      room -= 1;
      return room >= 0;
    });
  };

  const isHeld = (keeper: InstanceController): boolean => keepers.get(keeper.lease.instanceId) === keeper;

  const keepAll = async (all: readonly LeasedInstance[]): Promise<void> => {
    const kept: Parameters<typeof reconcileAll>[0][number][] = [];
    for (const { instance, lease } of all)
      kept.push({ keeper: await keeperFor(instance, lease), stored: instance });
    reconcileAll(kept);
  };

  const reconcileAll = (
    all: readonly { readonly keeper: InstanceController; readonly stored: Instance | null }[],
  ): void => {
    let room = roomToOpen();
    for (const { keeper, stored } of all) {
      const wasOpening = keeper.opensUntil() !== null;
      keeper.reconcile(stored, room > 0);
      if (!wasOpening && keeper.opensUntil() !== null) room -= 1;
      unsettled.add(keeper);
    }
  };

  const untried = (): readonly InstanceController[] => [...unsettled].filter((keeper) => keeper.isUntried());

  const roomToOpen = (): number => MAX_OPENING - opening().length;

  /** Until when each connection that is being opened keeps others from it. */
  const opening = (): readonly number[] => {
    const now = clock.now();
    const turns = Array.from(unsettled, (keeper) => keeper.opensUntil() ?? 0);
    return turns.filter((until) => until > now);
  };

  const keeperFor = async (instance: Instance, lease: Lease): Promise<InstanceController> => {
    const known = keepers.get(lease.instanceId);
    if (known?.lease.epoch === lease.epoch) return known;
    // What was opened under an earlier lease must be closed before anything else is opened.
    await closing;
    await known?.abandon();
    const keeper = createInstanceController({ context, lease, instance, changed: () => touch(keeper) });
    keepers.set(lease.instanceId, keeper);
    return keeper;
  };

  const touch = (keeper: InstanceController): void => {
    if (isHeld(keeper)) {
      const open = keeper.open();
      if (open && !announced.has(open.connection)) {
        announced.add(open.connection);
        opened(keeper.lease.instanceId);
      }
      unsettled.add(keeper);
      touched.add(keeper);
    }
    loop.wake();
  };

  const releaseIdle = async (): Promise<void> => {
    for (const keeper of unsettled) if (!isHeld(keeper)) unsettled.delete(keeper);
    // Concurrently: hundreds that stop together are released together.
    await Promise.all([...unsettled].filter((keeper) => keeper.isIdle()).map(forget));
  };

  const forget = (keeper: InstanceController): Promise<void> => release(keeper, null);

  /** `reservation` is asked for once the connection is closed. */
  const release = async (
    keeper: InstanceController,
    reservation: (() => { readonly owner: string; readonly until: number }) | null,
  ): Promise<void> => {
    keepers.delete(keeper.lease.instanceId);
    await keeper.abandon();
    await inTime('Releasing a lease', storage.leases.release(keeper.lease, reservation?.()));
  };

  const abandonAll = async (): Promise<void> => {
    const all = [...keepers.values()];
    keepers.clear();
    await Promise.all(all.map((keeper) => keeper.abandon()));
  };

  const nextAt = (): number => {
    const mayOpen = roomToOpen() > 0;
    const times = Array.from(unsettled, (keeper) => keeper.nextAt(mayOpen) ?? Infinity);
    return Math.min(renewAt, sharing.nextAt(), claims.nextAt(), ...times, ...(mayOpen ? [] : opening()));
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
    start() {
      void leadsKnown.then(() => {
        claims.begin();
        loop.wake();
      });
      loop.start();
    },
    wake(instanceId) {
      const keeper = keepers.get(instanceId);
      if (keeper) {
        unsettled.add(keeper);
        changed.add(instanceId);
      } else {
        claims.noteFree();
      }
      loop.wake();
    },
    async stop(timeoutMs) {
      const settled = loop
        .stop()
        .then(() => Promise.all([...keepers.values()].map((keeper) => keeper.settled())));
      await settledWithin(clock, timeoutMs, settled);
      const all = [...keepers.values()];
      cancelClosing();
      // Before anything that a storage out of reach would make fail.
      await Promise.all(all.map((keeper) => keeper.abandon()));
      await storage.processes.deregister(owner);
      await Promise.all(all.map(forget));
    },
  };
}
