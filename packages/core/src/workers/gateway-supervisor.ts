import type { Instance } from '../domain/instance/instance.ts';
import type { ClaimedInstance, LeasedInstance } from '../ports/storage/lease-store.ts';
import { settledWithin, withDeadline } from '../runtime/deadline.ts';
import { createLoop, eachStep } from '../runtime/loop.ts';
import type { PassResult } from '../runtime/loop.ts';
import { isLogged } from '../runtime/port-guard.ts';
import type { ServiceContext } from '../services/context.ts';
import type { FileLane } from '../services/media/file-lane.ts';
import { CLAIM_BATCH, createClaimSchedule } from './claim-schedule.ts';
import type { OpenConnection, OpenConnections } from './connections.ts';
import { createInstanceSharing } from './instance-sharing.ts';
import type { SharingOptions } from './instance-sharing.ts';
import { createInstanceController } from './instance-controller.ts';
import type { InstanceController } from './instance-controller.ts';
import { createPendingInstances } from './pending-instances.ts';

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/**
 * Connections whose leases could not be renewed are closed this long before the leases end: other processes
 * must find the connections closed, and their clocks may be a second ahead of this one.
 */
const CLOSE_BEFORE_END_MS = 2_000;
/**
 * The deadline for storage calls about leases, short enough to leave time for another attempt after a call that
 * hangs.
 */
const STORAGE_DEADLINE_MS = 5_000;
/** How many instances are read concurrently. A storage may read them in one statement. */
const LOOK_BATCH = 500;
/** The wait before an instance that could not be read is read again. */
const LOOK_AGAIN_MS = 5_000;

export interface GatewaySupervisor {
  readonly connections: OpenConnections;
  /** How many instances of each of its networks this process holds. */
  held(): ReadonlyMap<string, number>;
  start(): void;
  /** Reads an instance that was changed elsewhere or, if it is not held, looks for instances to take. */
  wake(instanceId: string): void;
  /**
   * Waits at most `timeoutMs` for work in flight, then closes connections (sessions and statuses stay) and releases
   * leases.
   */
  stop(timeoutMs: number): Promise<void>;
}

interface SupervisorOptions {
  readonly owner: string;
  /** See `ServiceClock`. */
  readonly leadsKnown: Promise<void>;
  /** When a storage call last hung although others succeeded, epoch milliseconds; -Infinity if never. */
  readonly hungAt: () => number;
  /** Called once for each connection, when messages can be sent on it. */
  readonly opened: (instanceId: string) => void;
  readonly files: FileLane;
}

/**
 * Holds the instances of this process: takes leases on those that need a gateway, renews them, and closes the
 * connection of an instance whose lease is lost or cannot be renewed in time. Hands instances beyond its share
 * to processes that ask.
 */
export function createGatewaySupervisor(
  context: ServiceContext,
  { owner, leadsKnown, hungAt, opened, files }: SupervisorOptions,
): GatewaySupervisor {
  const { clock, logger, storage } = context;
  const controllers = new Map<string, InstanceController>();
  const isHeld = (controller: InstanceController): boolean =>
    controllers.get(controller.lease.instanceId) === controller;
  const pending = createPendingInstances(clock, isHeld);
  /** Connections that `opened` was called for. */
  const announced = new WeakSet<OpenConnection['connection']>();
  const handOver: SharingOptions['handOver'] = async (controller, reservation) => {
    try {
      await release(controller, reservation);
    } catch (error) {
      // Renew now, because this process may still hold the lease.
      renewAt = 0;
      throw error;
    }
  };
  /** Each network is shared for itself, because the processes may have different gateways. */
  const sharings = context.gateways.connected.map((network) => ({
    network,
    sharing: createInstanceSharing(context, {
      owner,
      register: (report) =>
        inTime('Sharing instances', storage.processes.register(owner, { ...report, network })),
      hungAt,
      held: () => [...controllers.values()].filter((controller) => controller.network === network),
      handOver,
    }),
  }));
  const claims = createClaimSchedule({
    untried: pending.countUntried,
    lookAt: (lookedAt) => Math.min(...sharings.map(({ sharing }) => sharing.lookAt(lookedAt))),
  });
  let renewAt = 0;
  let leasesEndAt = 0;
  /**
   * Whether another process took a lease that was valid by this process's clock, which means that this clock is behind.
   */
  let isBehind = false;
  let cancelClosing = (): void => {};
  /** Resolves when the connections whose leases could not be renewed are closed. */
  let closing: Promise<unknown> = Promise.resolve();

  /** Renews and takes leases, and brings held instances a step closer to their desired state. */
  const pass = async (): Promise<PassResult> => {
    const now = clock.now();
    const isRenewal = claims.renewsFirst() || now >= renewAt;
    isBehind ||= pending.hasFenced();
    if (isRenewal) await renew(now);
    else await lookAtDue(now);
    if (isClaimDue(now, isRenewal)) {
      await keepAll(
        await claims.claim({ now, isRenewal }, (mayTakeAhead) =>
          claim(now, { isRenewal, mayTakeAhead: mayTakeAhead && !isBehind }),
        ),
      );
    }
    // Release concurrently: hundreds may stop together.
    await Promise.all(pending.idle().map(forget));
    for (const { sharing } of sharings) await sharing.shareAt(now);
    pending.prune();
    return {
      more: isClaimDue(clock.now(), false),
      nextAt: Math.min(
        renewAt,
        ...sharings.map(({ sharing }) => sharing.nextAt()),
        claimAt(clock.now()),
        pending.nextAt(),
      ),
    };
  };

  const isClaimDue = (now: number, isRenewal: boolean): boolean =>
    claimable(now, isRenewal).length > 0 && claims.isDue(now, isRenewal);
  const claimAt = (now: number): number => (claimable(now, false).length > 0 ? claims.nextAt() : Infinity);
  const claimable = (now: number, isRenewal: boolean): readonly string[] =>
    sharings.filter(({ sharing }) => sharing.mayClaim(now, isRenewal)).map(({ network }) => network);

  const claim = async (
    now: number,
    { isRenewal, mayTakeAhead }: { readonly isRenewal: boolean; readonly mayTakeAhead: boolean },
  ): Promise<readonly ClaimedInstance[]> => {
    const claimed = await inTime(
      'Taking leases',
      storage.leases.claim({
        owner,
        networks: claimable(now, isRenewal),
        now,
        ttlMs: LEASE_MS,
        limit: CLAIM_BATCH,
        leaveAhead: !mayTakeAhead,
      }),
    );
    for (const { network, sharing } of sharings) {
      const own = claimed.filter(({ instance }) => instance.network === network);
      sharing.noteClaimed(
        own.map(({ lease }) => lease.instanceId),
        now,
      );
    }
    // If this process was suspended, drop the claims. The next renewal returns the leases that are still held.
    return clock.now() < now + LEASE_MS - CLOSE_BEFORE_END_MS ? claimed : [];
  };

  const inTime = <Value>(what: string, work: Promise<Value>): Promise<Value> =>
    withDeadline(clock, { what, ms: STORAGE_DEADLINE_MS }, work);

  const renew = async (now: number): Promise<void> => {
    // Clear first: changes during the read must be read again.
    pending.clearChanges();
    const held = await inTime('Renewing leases', storage.leases.renew({ owner, now, ttlMs: LEASE_MS }));
    const hadLeasesUntil = leasesEndAt;
    claims.noteRenewal();
    if (now >= renewAt) renewAt = now + RENEW_EVERY_MS;
    leasesEndAt = now + LEASE_MS;
    closeAllAt(now + LEASE_MS - CLOSE_BEFORE_END_MS);
    const renewed = new Set(held.map(({ lease }) => lease.instanceId));
    const lost = [...controllers].filter(
      ([instanceId, controller]) => !renewed.has(instanceId) && !controller.isDeleted(),
    );
    if (lost.length > 0 && now < hadLeasesUntil) isBehind = true;
    // Close concurrently, because a slow close must not cost the other instances their next renewal.
    await Promise.all(lost.map(([instanceId, controller]) => loseLease(instanceId, controller)));
    await keepAll(held);
  };

  const loseLease = async (instanceId: string, controller: InstanceController): Promise<void> => {
    controllers.delete(instanceId);
    context.metrics.leasesLost(1);
    logger.warn(
      { instanceId },
      'the lease on an instance was lost, so its connection is closed here and another process may open it: if this repeats, look for a slow database or a process that stands still',
    );
    await controller.abandon();
  };

  /**
   * Closes all connections at `at` unless leases are renewed first. Uses a timer, because a pass may hang if the
   * storage is out of reach.
   */
  const closeAllAt = (at: number): void => {
    cancelClosing();
    cancelClosing = clock.setTimer(at - clock.now(), () => {
      if (controllers.size === 0) return;
      logger.warn(
        { instances: controllers.size },
        'leases could not be renewed: their connections are closed, and opened again when the database responds; check the database',
      );
      context.metrics.leasesLost(controllers.size);
      closing = abandonAll();
    });
  };

  const lookAtDue = async (now: number): Promise<void> => {
    const { read, known } = pending.takeDue(now);
    pending.reconcile(known.map((controller) => ({ controller, stored: null })));
    for (let first = 0; first < read.length; first += LOOK_BATCH) {
      // Read concurrently: hundreds of instances that open together would otherwise wait for each other.
      await Promise.all(read.slice(first, first + LOOK_BATCH).map(look));
    }
  };

  const look = async (controller: InstanceController): Promise<void> => {
    const { lease, workspaceId } = controller;
    const { instanceId } = lease;
    let instance: Instance | null;
    try {
      instance = await inTime('Reading an instance', storage.instances.find(workspaceId, instanceId));
    } catch (error) {
      logger[isLogged(error) ? 'debug' : 'warn'](
        { err: error, instanceId },
        'an instance could not be read, so what was asked of it waits and the others go on: check the database',
      );
      if (!isHeld(controller)) return;
      // Other work, such as reconnecting, does not wait for the read.
      pending.reconcile([{ controller, stored: null }]);
      clock.setTimer(LOOK_AGAIN_MS, () => {
        pending.addChanged(controller);
        loop.wake();
      });
      return;
    }
    if (!isHeld(controller)) return;
    if (instance) await keepAll([{ instance, lease }]);
    else await forget(controller);
  };

  const keepAll = async (all: readonly (LeasedInstance | ClaimedInstance)[]): Promise<void> => {
    const kept: { readonly controller: InstanceController; readonly stored: Instance }[] = [];
    for (const held of all) kept.push({ controller: await controllerFor(held), stored: held.instance });
    pending.reconcile(kept);
  };

  const controllerFor = async (held: LeasedInstance | ClaimedInstance): Promise<InstanceController> => {
    const { instance, lease } = held;
    const known = controllers.get(lease.instanceId);
    if (known?.lease.epoch === lease.epoch) return known;
    // A connection under an earlier lease must be closed before another is opened.
    await closing;
    await known?.abandon();
    const controller = createInstanceController({
      context,
      lease,
      instance,
      takenFrom: 'takenFrom' in held ? held.takenFrom : null,
      files,
      changed: () => touch(controller),
    });
    controllers.set(lease.instanceId, controller);
    return controller;
  };

  const touch = (controller: InstanceController): void => {
    if (isHeld(controller)) {
      const open = controller.open();
      if (open && !announced.has(open.connection)) {
        announced.add(open.connection);
        opened(controller.lease.instanceId);
      }
      pending.addTouched(controller);
    }
    loop.wake();
  };

  const forget = (controller: InstanceController): Promise<void> => release(controller, null);

  /** `reservation` is called once the connection is closed. */
  const release = async (
    controller: InstanceController,
    reservation: (() => { readonly owner: string; readonly until: number }) | null,
  ): Promise<void> => {
    controllers.delete(controller.lease.instanceId);
    await controller.abandon();
    await inTime('Releasing a lease', storage.leases.release(controller.lease, reservation?.()));
  };

  const abandonAll = async (): Promise<void> => {
    const all = [...controllers.values()];
    controllers.clear();
    await Promise.all(all.map((controller) => controller.abandon()));
  };

  const loop = createLoop({ name: 'gateway supervisor', clock, logger, everyMs: RENEW_EVERY_MS, pass });

  return {
    connections: {
      ids: () => [...controllers].filter(([, controller]) => controller.open()).map(([id]) => id),
      get: (instanceId) => controllers.get(instanceId)?.open() ?? null,
    },
    held: () =>
      new Map(
        context.gateways.connected.map((network) => [
          network,
          [...controllers.values()].filter((controller) => controller.network === network).length,
        ]),
      ),
    start() {
      void leadsKnown.then(() => {
        claims.begin();
        loop.wake();
      });
      loop.start();
    },
    wake(instanceId) {
      const controller = controllers.get(instanceId);
      if (controller) pending.addChanged(controller);
      else claims.noteFree();
      loop.wake();
    },
    async stop(timeoutMs) {
      const completed = loop
        .stop()
        .then(() => Promise.all([...controllers.values()].map((controller) => controller.completed())));
      await settledWithin(clock, timeoutMs, completed);
      const all = [...controllers.values()];
      cancelClosing();
      // Close first, because the storage, which the next steps need, may be out of reach.
      await Promise.all(all.map((controller) => controller.abandon()));
      await eachStep([
        () => inTime('Withdrawing from the owners', storage.processes.deregister(owner)),
        async () => {
          await Promise.all(all.map(forget));
        },
      ]);
    },
  };
}
