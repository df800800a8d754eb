import { handOvers, mayAsk } from '../domain/instance/instance-shares.ts';
import type { GatewayShare, OwnerShare } from '../domain/instance/instance-shares.ts';
import type { ServiceContext } from '../services/context.ts';
import type { InstanceController } from './instance-controller.ts';

const REGISTER_EVERY_MS = 10_000;
/** Owners that have not registered for this long get no share. */
const OWNER_SILENT_MS = 2 * REGISTER_EVERY_MS;
/**
 * The wait before a new process asks for instances, because a process that dies soon after each start must not
 * cost others their connections.
 */
const ASK_AFTER_MS = 5_000;
/**
 * How long a request for instances is valid, and how long its owner waits for a first instance. Other processes see the
 * request when they register, and need a moment to close connections.
 */
const ASK_MS = REGISTER_EVERY_MS + 2_000;
/** How often an asking owner looks for reserved instances: processes may get no signals from each other. */
const LOOK_EVERY_MS = 200;
/**
 * How long an instance is reserved for the owner that asked. If that owner has died, this wait is the only
 * cost.
 */
const RESERVED_MS = 1_000;
/**
 * The maximum number of instances handed over together, so that joining a cluster does not close all connections at
 * the same time.
 */
const HAND_OVER_BATCH = 5;
const NEXT_BATCH_MS = 1_000;
/** A request that brought no instance is repeated after this time, then after twice as long, and so on. */
const ASK_AGAIN_MS = 20_000;
const ASK_AGAIN_MAX_MS = 320_000;
/** How long a process leaves its instances to others after one of its storage calls hung. */
const REST_MS = 10 * 60_000;
const EVACUATION_BATCH = 20;
/** A resting process takes instances that others have not taken within this time. */
const LEAVE_MS = 20_000;

const EVACUATES =
  'calls of the database do not return in this process, so it hands its instances over to other processes, and asks for none for ten minutes: look for what its connections to the database wait for';

export interface InstanceSharing {
  /** Registers if that is due, and hands instances over to processes that ask for them. */
  shareAt(now: number): Promise<void>;
  /**
   * Notes that this process took these instances at `now`. If one had been handed over, its receiver did not take it.
   */
  noteClaimed(instanceIds: readonly string[], now: number): void;
  /**
   * When to look next for instances reserved for this process or due to be taken back; the last look was at
   * `lookedAt`.
   */
  lookAt(lookedAt: number): number;
  /** Whether to take free instances. `isRenewal`: the leases have just been renewed. */
  mayClaim(now: number, isRenewal: boolean): boolean;
  nextAt(): number;
}

export interface SharingOptions {
  readonly owner: string;
  register(report: {
    readonly now: number;
    readonly since: number;
    readonly asksUntil: number;
  }): Promise<GatewayShare>;
  /** When a storage call last hung although others succeeded, epoch milliseconds; -Infinity if never. */
  hungAt(): number;
  held(): readonly InstanceController[];
  /** Closes the connection and releases the lease to the owner that `reservation` names. */
  handOver(
    controller: InstanceController,
    reservation: () => { readonly owner: string; readonly until: number },
  ): Promise<void>;
}

/**
 * Shares the instances of one network evenly among the running processes that have a gateway for it. The storage counts
 * the shares and the total at the same moment. Unless this process rests, it closes a connection only for a process
 * that asks and then looks for the instance. An instance that is not taken within a second is free again.
 */
export function createInstanceSharing(
  { clock, logger }: ServiceContext,
  { owner, register, hungAt, held: heldHere, handOver }: SharingOptions,
): InstanceSharing {
  const startedAt = clock.now();
  /** Instances handed over, until their reservations end. */
  const handedOver = new Map<string, { readonly to: OwnerShare; readonly until: number }>();
  /**
   * Owners that did not take an instance handed over to them, with their registration time. They count as silent
   * until they register again.
   */
  const silent = new Map<string, number>();
  /** When this process began to ask or last got an instance, and how many it held then; null if it does not ask. */
  let asking: { readonly since: number; readonly held: number } | null = null;
  let askFrom = startedAt + ASK_AFTER_MS;
  let askPauseMs = ASK_AGAIN_MS;
  let registerAt = startedAt;
  /** The end of a rest, during which this process leaves its instances to others. */
  let restsUntil = -Infinity;
  /** Instances handed over in this rest. One that comes back is kept. */
  const evacuated = new Set<string>();
  let leavesUntil = -Infinity;

  const report = (now: number): Promise<GatewayShare> =>
    register({ now, since: now - OWNER_SILENT_MS, asksUntil: asking ? now + ASK_MS : 0 });

  const heldOf = ({ owners }: GatewayShare): number => owners.find((one) => one.owner === owner)?.held ?? 0;

  /** Returns the new value of `asking`. */
  const ask = (share: GatewayShare, now: number): typeof asking => {
    if (now < askFrom || !mayAsk(owner, share, asking !== null)) return null;
    const held = heldOf(share);
    if (!asking || held > asking.held) {
      if (asking) askPauseMs = ASK_AGAIN_MS;
      return { since: now, held };
    }
    if (now < asking.since + ASK_MS) return asking;
    askFrom = now + askPauseMs;
    askPauseMs = Math.min(2 * askPauseMs, ASK_AGAIN_MAX_MS);
    return null;
  };

  const handOverTo = async (to: OwnerShare, controller: InstanceController): Promise<void> => {
    const { instanceId } = controller.lease;
    logger.info({ instanceId, to: to.owner }, 'an instance is handed over to another process');
    try {
      await handOver(controller, () => {
        const until = clock.now() + RESERVED_MS;
        handedOver.set(instanceId, { to, until });
        return { owner: to.owner, until };
      });
    } catch (error) {
      logger.warn(
        { err: error, instanceId },
        'an instance could not be handed over: it is opened again here',
      );
    }
  };

  const isSilent = (other: OwnerShare): boolean => silent.get(other.owner) === other.registeredAt;

  /** Begins a rest if a storage call hung and there are other processes. Returns whether this process rests. */
  const rests = (now: number, others: readonly OwnerShare[]): boolean => {
    if (others.length === 0) restsUntil = -Infinity;
    else if (now >= restsUntil && hungAt() > Math.max(startedAt, restsUntil)) {
      logger.warn({ instances: heldHere().length }, EVACUATES);
      restsUntil = now + REST_MS;
      evacuated.clear();
    }
    return now < restsUntil;
  };

  /** Hands over a batch of this process's instances, evenly to the other processes. */
  const evacuate = async (now: number, others: readonly OwnerShare[]): Promise<void> => {
    asking = null;
    const given = heldHere()
      .filter(({ lease }) => !evacuated.has(lease.instanceId))
      .slice(0, EVACUATION_BATCH);
    if (given.length === 0) return;
    registerAt = now + NEXT_BATCH_MS;
    leavesUntil = now + LEAVE_MS;
    for (const { lease } of given) evacuated.add(lease.instanceId);
    await Promise.all(
      given.map(async (controller, index) => {
        const to = others[index % others.length];
        if (to) await handOverTo(to, controller);
      }),
    );
  };

  return {
    async shareAt(now) {
      if (now < registerAt) return;
      let share = await report(now);
      registerAt = now + REGISTER_EVERY_MS;
      const others = share.owners.filter((other) => other.owner !== owner && !isSilent(other));
      if (rests(now, others)) return evacuate(now, others);
      const wasAsking = asking !== null;
      asking = ask(share, now);
      if ((asking !== null) !== wasAsking) share = await report(now);
      if (!wasAsking && now < askFrom) registerAt = Math.min(registerAt, askFrom);

      const receivers = handOvers(owner, share, {
        limit: HAND_OVER_BATCH,
        mayReceive: (other) => other.asksUntil >= now + RESERVED_MS && !isSilent(other),
      });
      const given = heldHere()
        .filter((controller) => controller.open())
        .slice(0, receivers.length);
      if (given.length === 0) return;
      registerAt = now + NEXT_BATCH_MS;
      await Promise.all(
        given.map(async (controller, index) => {
          const to = share.owners.find((other) => other.owner === receivers[index]);
          if (to) await handOverTo(to, controller);
        }),
      );
    },
    noteClaimed(instanceIds, now) {
      for (const instanceId of instanceIds) {
        const to = handedOver.get(instanceId)?.to;
        if (!to) continue;
        handedOver.delete(instanceId);
        silent.set(to.owner, to.registeredAt);
        logger.warn(
          { instanceId, to: to.owner },
          'another process did not take an instance that was handed over to it: it is taken back',
        );
      }
      for (const [instanceId, { until }] of handedOver) if (until <= now) handedOver.delete(instanceId);
    },
    lookAt(lookedAt) {
      const ends = Array.from(handedOver.values(), ({ until }) => until);
      return Math.min(asking ? lookedAt + LOOK_EVERY_MS : Infinity, ...ends);
    },
    mayClaim: (now, isRenewal) => now >= restsUntil || (isRenewal && now >= leavesUntil),
    nextAt: () => registerAt,
  };
}
