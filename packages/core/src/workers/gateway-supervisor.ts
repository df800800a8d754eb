import type { Instance } from '../domain/instance/instance.ts';
import type { LeasedInstance } from '../ports/storage/instance-store.ts';
import type { Lease } from '../ports/storage/lease.ts';
import { settledWithin, withDeadline } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { PassResult } from '../runtime/loop.ts';
import { createTurns } from '../runtime/turns.ts';
import type { ServiceContext } from '../services/context.ts';
import type { OpenConnections } from './connections.ts';
import { createInstanceSharing } from './instance-sharing.ts';
import { createInstanceKeeper } from './instance-keeper.ts';
import type { InstanceKeeper } from './instance-keeper.ts';

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/**
 * Connections whose leases could not be renewed are closed this long before they end: others must find them closed,
 * and their clocks may be a second ahead of this one.
 */
const CLOSE_BEFORE_END_MS = 2_000;
/** How long the storage may take about leases: one connection that hangs must leave time for another try. */
const STORAGE_DEADLINE_MS = 5_000;
/** Leases taken in one pass, so that a crash elsewhere does not make this process open thousands of connections concurrently. */
const CLAIM_BATCH = 20;
/**
 * As long as a batch of connections is still to open, the next leases wait this long: processes that start together
 * then share the instances by how fast they open them, and the first one does not take them all.
 */
const CLAIM_PAUSE_MS = 200;
/**
 * Claims on the strength of signals that found nothing, before further ones wait for each other by CLAIM_PAUSE_MS: each
 * process hears of every instance that another one connects, and hundreds of those in a second are nothing to claim.
 */
const FRUITLESS_CLAIMS = 100;
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
  /** The instance has changed: looks at it where it is held, and else for instances to take. */
  wake(instanceId: string): void;
  /** Waits at most `timeoutMs` for what is being done, closes every connection (sessions and statuses stay) and releases the leases. */
  stop(timeoutMs: number): Promise<void>;
}

interface SupervisorOptions {
  readonly owner: string;
  /** See `ServiceClock`. */
  readonly leadsKnown: Promise<void>;
  readonly opened: (instanceId: string) => void;
}

/**
 * Holds the instances of this process: takes leases on those that need a gateway, renews them, and lets go of an
 * instance whose lease is lost before another process can have opened it. Holds no more than its share where other
 * processes have room.
 */
export function createGatewaySupervisor(
  context: ServiceContext,
  { owner, leadsKnown, opened }: SupervisorOptions,
): GatewaySupervisor {
  const { clock, logger, storage } = context;
  const keepers = new Map<string, InstanceKeeper>();
  /** Those that something is awaited of or due for: a pass looks at no others, however many are held. */
  const unsettled = new Set<InstanceKeeper>();
  /** Instances held that are to be looked at before the next renewal. */
  const changed = new Set<string>();
  /** Whether an instance has changed that this process does not hold: it may be free. */
  let mayBeFree = false;
  const fruitless = createTurns({ burst: FRUITLESS_CLAIMS, everyMs: CLAIM_PAUSE_MS });
  const sharing = createInstanceSharing(context, {
    owner,
    checkIn: (report) => inTime('Sharing instances', storage.instances.checkIn(owner, report)),
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
  let renewAt = 0;
  let leasesEndAt = 0;
  /** Another process took what this one still held by its own time: where leases lie ahead, that time is wrong. */
  let isBehind = false;
  let isStarting = true;
  /** Before that, what lies ahead may be held by a process that runs, and this one's time be wrong. */
  let knowsLeads = false;
  /** Renew once between two renewals. */
  let checksLeases = false;
  let claimedAt = -Infinity;
  /** When to claim again at the latest, where the last claim may have left something; else 0. */
  let claimAgainAt = 0;
  let cancelLetGo = (): void => {};
  /** Connections that are being closed since their leases run out. */
  let closing: Promise<unknown> = Promise.resolve();

  const pass = async (): Promise<PassResult> => {
    const now = clock.now();
    const isRenewal = checksLeases || now >= renewAt;
    isBehind ||= [...unsettled].some((keeper) => keeper.isFenced());
    if (isRenewal) await renew(now);
    else await lookAtDue(now);
    if (isClaimDue(now, isRenewal)) {
      // What lies ahead is taken only by one that has just seen that it still holds what it held.
      const claimed = await claim(now, { leaveAhead: isBehind || !knowsLeads || !(isRenewal || isStarting) });
      claimAgainAt = claimed.length === CLAIM_BATCH ? now + CLAIM_PAUSE_MS : 0;
      if (claimed.length < CLAIM_BATCH) isStarting = false;
      await keepAll(claimed);
    }
    await letGoOfIdle();
    await sharing.shareAt(now);
    for (const keeper of unsettled)
      if (keeper.isSettled() && !changed.has(keeper.lease.instanceId)) unsettled.delete(keeper);
    return { more: claimAgainAt > 0 && isClaimDue(clock.now()), nextAt: nextAt() };
  };

  /** Other passes are about what is held already, and ask for nothing. */
  const isClaimDue = (now: number, isRenewal = false): boolean => {
    const mayFind = isRenewal || isStarting || claimAgainAt > 0 || now >= sharing.lookAt(claimedAt);
    if (!mayFind && !(mayBeFree && fruitless.has(now))) return false;
    return now >= claimAgainAt || [...unsettled].filter((keeper) => keeper.isUntried()).length < CLAIM_BATCH;
  };

  const claim = async (
    now: number,
    { leaveAhead }: { readonly leaveAhead: boolean },
  ): Promise<readonly LeasedInstance[]> => {
    const isSignalled = mayBeFree;
    claimedAt = now;
    // First: what changes while the storage is being asked may be missed by this claim.
    mayBeFree = false;
    const claimed = await inTime(
      'Taking leases',
      storage.instances.claimLeases({
        owner,
        now,
        ttlMs: LEASE_MS,
        limit: CLAIM_BATCH,
        leaveAhead,
      }),
    ).catch((error: unknown) => {
      mayBeFree ||= isSignalled;
      // The repeated pass asks for the same: it renews first, so that it may take what lies ahead, too.
      checksLeases = true;
      throw error;
    });
    if (isSignalled && claimed.length === 0) fruitless.take(now);
    sharing.noteClaimed(
      claimed.map(({ lease }) => lease.instanceId),
      now,
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
    const hadLeasesUntil = leasesEndAt;
    checksLeases = false;
    if (now >= renewAt) renewAt = now + RENEW_EVERY_MS;
    leasesEndAt = now + LEASE_MS;
    letAllGoAt(now + LEASE_MS - CLOSE_BEFORE_END_MS);
    const renewed = new Set(held.map(({ lease }) => lease.instanceId));
    const lost = [...keepers].filter(([instanceId]) => !renewed.has(instanceId));
    if (lost.length > 0 && now < hadLeasesUntil) isBehind = true;
    // All at once: one that is slow to close must not cost the others their next renewal.
    await Promise.all(lost.map(([instanceId, keeper]) => letGo(instanceId, keeper)));
    await keepAll(held);
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
    const due = keepersToLookAt(now);
    changed.clear();
    for (let first = 0; first < due.length; first += LOOK_BATCH) {
      // Concurrently: one after another, hundreds that open together would wait for each other's reads.
      const looks = due.slice(first, first + LOOK_BATCH).map(async (keeper) => {
        const { lease, workspaceId } = keeper;
        const { instanceId } = lease;
        const instance = await storage.instances.find(workspaceId, instanceId).catch((error: unknown) => {
          changed.add(instanceId);
          throw error;
        });
        if (keepers.get(instanceId) !== keeper) return [];
        if (instance) return [{ instance, lease }];
        await forget(keeper);
        return [];
      });
      await keepAll((await Promise.all(looks)).flat());
    }
  };

  const keepersToLookAt = (now: number): readonly InstanceKeeper[] => {
    let room = roomToOpen();
    return [...unsettled].filter((keeper) => {
      if (keepers.get(keeper.lease.instanceId) !== keeper) return false;
      if (changed.has(keeper.lease.instanceId) || (keeper.nextAt(false) ?? Infinity) <= now) return true;
      if ((keeper.nextAt(true) ?? Infinity) > now) return false;
      room -= 1;
      return room >= 0;
    });
  };

  const keepAll = async (all: readonly LeasedInstance[]): Promise<void> => {
    let room = roomToOpen();
    for (const { instance, lease } of all) {
      const keeper = await keeperFor(instance, lease);
      const wasOpening = keeper.opensUntil() !== null;
      keeper.reconcile(instance, room > 0);
      if (!wasOpening && keeper.opensUntil() !== null) room -= 1;
      unsettled.add(keeper);
    }
  };

  const roomToOpen = (): number => MAX_OPENING - opening().length;

  /** Until when each connection that is being opened keeps others from it. */
  const opening = (): readonly number[] => {
    const now = clock.now();
    const turns = Array.from(unsettled, (keeper) => keeper.opensUntil() ?? 0);
    return turns.filter((until) => until > now);
  };

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
    const keeper = keepers.get(instanceId);
    if (keeper?.open()) opened(instanceId);
    if (keeper) {
      unsettled.add(keeper);
      changed.add(instanceId);
    }
    loop.wake();
  };

  const letGoOfIdle = async (): Promise<void> => {
    for (const keeper of unsettled) {
      const isHeld = keepers.get(keeper.lease.instanceId) === keeper;
      if (!isHeld) unsettled.delete(keeper);
      else if (keeper.isIdle()) await forget(keeper);
    }
  };

  const forget = (keeper: InstanceKeeper): Promise<void> => release(keeper, null);

  /** `reservation` is asked for once the connection is closed. */
  const release = async (
    keeper: InstanceKeeper,
    reservation: (() => { readonly owner: string; readonly until: number }) | null,
  ): Promise<void> => {
    keepers.delete(keeper.lease.instanceId);
    await keeper.abandon();
    await inTime('Releasing a lease', storage.instances.releaseLease(keeper.lease, reservation?.()));
  };

  const abandonAll = async (): Promise<void> => {
    const all = [...keepers.values()];
    keepers.clear();
    await Promise.all(all.map((keeper) => keeper.abandon()));
  };

  const nextAt = (): number => {
    const mayOpen = roomToOpen() > 0;
    const times = Array.from(unsettled, (keeper) => keeper.nextAt(mayOpen) ?? Infinity);
    if (claimAgainAt > 0) times.push(claimAgainAt);
    if (mayBeFree) times.push(Math.max(fruitless.nextAt(), claimAgainAt));
    return Math.min(
      renewAt,
      sharing.nextAt(),
      sharing.lookAt(claimedAt),
      ...times,
      ...(mayOpen ? [] : opening()),
    );
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
        knowsLeads = true;
        isStarting = true;
        checksLeases = true;
        loop.wake();
      });
      loop.start();
    },
    wake(instanceId) {
      mayBeFree ||= !keepers.has(instanceId);
      look(instanceId);
    },
    async stop(timeoutMs) {
      const settled = loop
        .stop()
        .then(() => Promise.all([...keepers.values()].map((keeper) => keeper.settled())));
      await settledWithin(clock, timeoutMs, settled);
      const all = [...keepers.values()];
      cancelLetGo();
      // Before anything that a storage out of reach would make fail.
      await Promise.all(all.map((keeper) => keeper.abandon()));
      await storage.instances.checkOut(owner);
      await Promise.all(all.map(forget));
    },
  };
}
