import type { Instance } from '../domain/instance/instance.ts';
import type { Clock } from '../ports/clock.ts';
import type { InstanceController } from './instance-controller.ts';

/** The maximum number of connections being opened concurrently, not counting those that seem stuck. */
const MAX_OPENING = 10;

/**
 * The held instances with something due or awaited: a pass looks only at these instances, however many are
 * held.
 */
export interface PendingInstances {
  /** Adds an instance that was changed elsewhere. It is read before it is reconciled. */
  addChanged(controller: InstanceController): void;
  /** Adds an instance that its controller changed. It is reconciled without a read. */
  addTouched(controller: InstanceController): void;
  /** Forgets the noted changes, because all held instances are about to be read. */
  clearChanges(): void;
  /** Takes the instances to reconcile now: `read` after reading them, `known` as their controllers know them. */
  takeDue(now: number): {
    readonly read: readonly InstanceController[];
    readonly known: readonly InstanceController[];
  };
  /**
   * Reconciles each instance as `stored` or, if null, as its controller knows it, and opens as many
   * connections as allowed.
   */
  reconcile(
    all: readonly { readonly controller: InstanceController; readonly stored: Instance | null }[],
  ): void;
  hasFenced(): boolean;
  /**
   * Counts instances whose first connection has neither opened nor failed; `waiting` counts those that have not begun
   * to open.
   */
  countUntried(): { readonly all: number; readonly waiting: number };
  /** The controllers whose lease can be released. */
  idle(): readonly InstanceController[];
  /** Removes the controllers with nothing due or awaited. */
  prune(): void;
  /** When to look again if nothing happens earlier. */
  nextAt(): number;
}

export function createPendingInstances(
  clock: Clock,
  isHeld: (controller: InstanceController) => boolean,
): PendingInstances {
  const pending = new Set<InstanceController>();
  const changed = new Set<InstanceController>();
  const touched = new Set<InstanceController>();

  /** When the connections being opened stop delaying others. */
  const turns = (): readonly number[] => {
    const now = clock.now();
    return Array.from(pending, (controller) => controller.opensUntil() ?? 0).filter((until) => until > now);
  };

  const roomToOpen = (): number => Math.max(0, MAX_OPENING - turns().length);

  return {
    addChanged(controller) {
      pending.add(controller);
      changed.add(controller);
    },
    addTouched(controller) {
      pending.add(controller);
      touched.add(controller);
    },
    clearChanges() {
      changed.clear();
      touched.clear();
    },
    takeDue(now) {
      const held = [...pending].filter(isHeld);
      const read = new Set(held.filter((one) => changed.has(one) || isAt(one.nextAt(false), now)));
      const known = new Set([...touched].filter((one) => isHeld(one) && !read.has(one)));
      const toOpen = held.filter((one) => !read.has(one) && isAt(one.nextAt(true), now));
      // An untried instance was read with its lease; an instance that failed some time ago is read again.
      for (const one of toOpen.slice(0, roomToOpen())) (one.isUntried() ? known : read).add(one);
      changed.clear();
      touched.clear();
      return { read: [...read], known: [...known] };
    },
    reconcile(all) {
      let room = roomToOpen();
      for (const { controller, stored } of all) {
        const wasOpening = controller.opensUntil() !== null;
        controller.reconcile(stored, room > 0);
        if (!wasOpening && controller.opensUntil() !== null) room -= 1;
        pending.add(controller);
      }
    },
    hasFenced: () => [...pending].some((controller) => controller.isFenced()),
    countUntried() {
      const untried = [...pending].filter((controller) => controller.isUntried());
      const waiting = untried.filter((controller) => controller.opensUntil() === null);
      return { all: untried.length, waiting: waiting.length };
    },
    idle: () => [...pending].filter((controller) => isHeld(controller) && controller.isIdle()),
    prune() {
      for (const controller of pending)
        if (!isHeld(controller) || (controller.isSteady() && !changed.has(controller)))
          pending.delete(controller);
    },
    nextAt() {
      const mayOpen = roomToOpen() > 0;
      const times = Array.from(pending, (controller) => controller.nextAt(mayOpen) ?? Infinity);
      return Math.min(...times, ...(mayOpen ? [] : turns()), Infinity);
    },
  };
}

function isAt(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}
