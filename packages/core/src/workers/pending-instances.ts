import type { Instance } from '../domain/instance/instance.ts';
import type { Clock } from '../ports/clock.ts';
import type { InstanceController } from './instance-controller.ts';

/** Connections being opened concurrently, less those that seem to be stuck. */
const MAX_OPENING = 10;

/** Of the instances held, those that something is awaited of or due for: a pass looks at no others, however many are held. */
export interface PendingInstances {
  /** Somebody else has changed the instance: it is read before it is reconciled. */
  addChanged(controller: InstanceController): void;
  /** The controller has changed something itself: what it knows is all there is to know. */
  addTouched(controller: InstanceController): void;
  /** All instances held are about to be read. */
  clearChanges(): void;
  /** Takes what is to be reconciled now: some after they were read, the others by what their controllers know. */
  takeDue(now: number): {
    readonly read: readonly InstanceController[];
    readonly known: readonly InstanceController[];
  };
  /** Reconciles each with its instance as it is `stored`, or, with null, as it knows it, and opens as many as may be. */
  reconcile(
    all: readonly { readonly controller: InstanceController; readonly stored: Instance | null }[],
  ): void;
  hasFenced(): boolean;
  /** Those whose first connection has neither opened nor failed yet; `waiting`: of these, those whose turn has not come. */
  countUntried(): { readonly all: number; readonly waiting: number };
  /** Those whose lease can be released. */
  idle(): readonly InstanceController[];
  /** Leaves out those that nothing is awaited of any more. */
  prune(): void;
  /** When to look again if nothing happens before. */
  nextAt(): number;
}

export function createPendingInstances(
  clock: Clock,
  isHeld: (controller: InstanceController) => boolean,
): PendingInstances {
  const pending = new Set<InstanceController>();
  const changed = new Set<InstanceController>();
  const touched = new Set<InstanceController>();

  /** Until when each connection that is being opened keeps others from it. */
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
      // What was never opened here was read when its lease was taken; what failed some time ago is read again.
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
