import { CONNECTION_GRACE_MS, graceEndsAt } from '../domain/instance/instance-state.ts';
import { restrictionEndsAt, waitsForRestriction } from '../domain/instance/instance-restriction.ts';
import type { Instance } from '../domain/instance/instance.ts';
import { nextStepOf } from '../domain/instance/next-step.ts';
import { isTooFarAhead } from '../domain/too-far-ahead.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { ServiceContext } from '../services/context.ts';
import type { FileLane } from '../services/media/file-lane.ts';
import type { OpenConnection } from './connections.ts';
import { createInstanceLink } from './instance-link.ts';
import { createInstanceOperations } from './instance-operation.ts';
import { createInstanceRecord } from './instance-record.ts';

/** Brings one instance to its desired state while this process holds its lease. */
export interface InstanceController {
  readonly lease: Lease;
  readonly workspaceId: string;
  readonly network: string;
  /** The connection, while it is open. */
  open(): OpenConnection | null;
  /** When a connection that is opening no longer delays others; null if no connection is opening. */
  opensUntil(): number | null;
  /** Whether the first connection is wanted, and has neither opened nor failed yet. */
  isUntried(): boolean;
  /**
   * Brings the instance to its desired state, starting from `stored` or, if null, from the instance that this
   * controller knows. `mayOpen` is false while too many other connections are opening.
   */
  reconcile(stored: Instance | null, mayOpen: boolean): void;
  /** When to reconcile again if nothing happens; null if nothing is due. Counts openings only if `mayOpen`. */
  nextAt(mayOpen: boolean): number | null;
  /**
   * Whether the lease can be released: nothing is open, in flight or wanted, or the instance is deleted or abandoned.
   */
  isIdle(): boolean;
  /** Whether the connection is open, and nothing is in flight, due or awaited until `changed` is called. */
  isSteady(): boolean;
  /** Whether the storage has reported the lease as lost. */
  isFenced(): boolean;
  /** Whether the instance is deleted, or is being deleted here, which ends its lease. */
  isDeleted(): boolean;
  /** Resolves when the work that `reconcile` began has ended. */
  completed(): Promise<void>;
  /** Closes the connection and reports nothing more. Called when the lease is lost or before it is released. */
  abandon(): Promise<void>;
}

interface ControllerOptions {
  readonly context: ServiceContext;
  readonly lease: Lease;
  readonly instance: Instance;
  /**
   * The owner that did not release its lease before this process took it; null if there was no such owner.
   */
  readonly takenFrom: string | null;
  readonly files: FileLane;
  /** Called when the connection has changed, or this controller has changed the instance: reconcile again. */
  readonly changed: () => void;
}

const FENCED =
  'the lease on an instance was lost while something of it was written, so its connection is closed here and another process may open it: if this repeats, look for a slow database or a process that stands still';
/** The wait before a lease that was reported lost is released, in case this process still holds it. */
const RELEASE_FENCED_AFTER_MS = 5_000;
const NOTING_LOSS = 'noting a lost connection';
const NOTING_RESTRICTION_END = 'noting the end of a restriction';

export function createInstanceController({
  context,
  lease,
  instance: first,
  takenFrom,
  files,
  changed,
}: ControllerOptions): InstanceController {
  const { clock, logger } = context;
  const heldSince = clock.now();
  let abandoned = false;
  let fenced = false;
  let releasableAt = 0;

  const abandon = async (): Promise<void> => {
    abandoned = true;
    await link.abandon();
    changed();
  };

  const lost = (): Promise<void> => {
    if (!fenced) {
      logger.warn({ instanceId: lease.instanceId }, FENCED);
      releasableAt = clock.now() + RELEASE_FENCED_AFTER_MS;
    }
    fenced = true;
    return abandon();
  };

  const record = createInstanceRecord({ context, lease, instance: first, lost, changed });
  const link = createInstanceLink({ context, lease, record, files, lost, changed });
  const operations = createInstanceOperations({ context, lease, record, connection: link });

  /** The part of a history entry that says how this process got the instance. */
  const ownership = {
    reason: takenFrom === null ? 'handed_over' : 'taken_over',
    previousProcess: takenFrom,
    retryAt: heldSince,
  } as const;
  // If the previous connection is stored as open, the entry for its end includes `ownership` instead.
  if (takenFrom !== null && !record.isOrphaned()) {
    record.note('taken_over', {
      previousProcess: takenFrom,
      next: nextStepOf(first, heldSince),
    });
  }

  /**
   * Returns when the grace period of an instance that is not connected ends; null if there is none. Until an attempt
   * fails, this process allows a full period from when it took the instance.
   */
  const graceEnd = (): number | null => {
    const endsAt = graceEndsAt(record.current());
    if (endsAt === null) return null;
    const ownEnd = heldSince + CONNECTION_GRACE_MS;
    // The grace period began before the clock was set back.
    if (isTooFarAhead(endsAt - CONNECTION_GRACE_MS, clock.now())) return ownEnd;
    return link.hasFailed() ? endsAt : Math.max(endsAt, ownEnd);
  };

  /** Ends the grace period, and logs an outage once, however often the connection is tried. */
  const endGrace = async (): Promise<void> => {
    const before = record.current().status;
    await record.write({ kind: 'grace_over' });
    const { status, lastError } = record.current();
    if (status !== 'disconnected' || before === 'disconnected') return;
    logger.warn(
      { instanceId: lease.instanceId, lastError, err: link.lastFailure() },
      'an instance has not been connected for 30 s: it is tried again until it connects or is disconnected; lastError and err say why the latest try failed',
    );
  };

  const endRestriction = async (): Promise<void> => {
    await record.write({ kind: 'restriction_over' });
    logger.info({ instanceId: lease.instanceId }, 'the network no longer restricts an instance');
  };

  const endOrphan = async (): Promise<void> => {
    if (!record.isOrphaned()) return;
    await record.write({ kind: 'dropped', detail: 'connection_lost' }, ownership);
    record.adopt();
  };

  /** Whether work on the instance has ended, or has to wait for an operation in flight. */
  const rests = (): boolean => abandoned || record.isDeleted() || operations.isBusy();

  return {
    lease,
    workspaceId: first.workspaceId,
    network: first.network,
    open() {
      const connection = link.connection();
      return connection && { lease, instance: record.current(), connection };
    },
    opensUntil: link.opensUntil,
    isUntried() {
      const isWanted = record.current().desired === 'running' && !waitsForRestriction(record.current());
      return link.isUntried() && !abandoned && isWanted;
    },
    reconcile(stored, mayOpen) {
      // A request to connect does not wait for the backoff.
      if (record.current().status === 'disconnected' && stored?.status === 'connecting') link.retryNow();
      if (stored) record.take(stored);
      const now = clock.now();
      if (rests() || !record.resume(now)) return;
      const { operation, desired } = record.current();
      if (operation) return operations.begin(operation);
      if (now >= (graceEnd() ?? Infinity)) {
        record.beginOnce(NOTING_LOSS, () => record.inOrder(endGrace));
      }
      if (now >= (restrictionEndsAt(record.current()) ?? Infinity)) {
        record.beginOnce(NOTING_RESTRICTION_END, () => record.inOrder(endRestriction));
      }
      if (desired === 'stopped') {
        if (link.exists()) record.begin('closing a connection', link.close);
        return;
      }
      // Write the end of the old connection before the outcome of the next one, which may open in the meantime.
      if (record.isOrphaned()) {
        record.beginOnce('taking ownership of an instance', () => record.inOrder(endOrphan));
      }
      if (!waitsForRestriction(record.current())) link.maintain(now, mayOpen);
    },
    nextAt(mayOpen) {
      if (rests()) return fenced ? releasableAt : null;
      const pausedUntil = record.pausedUntil();
      if (pausedUntil > 0) return pausedUntil;
      const current = record.current();
      const opensAt = waitsForRestriction(current) ? null : link.nextAt(mayOpen);
      // A write in flight is not due again: otherwise a slow database would be asked a thousand times a second.
      const due = [
        record.isDoing(NOTING_LOSS) ? null : graceEnd(),
        record.isDoing(NOTING_RESTRICTION_END) ? null : restrictionEndsAt(current),
        opensAt,
      ].filter((at) => at !== null);
      return due.length === 0 ? null : Math.min(...due);
    },
    isIdle() {
      const { desired, operation } = record.current();
      const isDone = !link.exists() && !record.isBusy() && desired === 'stopped' && operation === null;
      const isAbandoned = abandoned && clock.now() >= releasableAt;
      return isAbandoned || record.isDeleted() || isDone;
    },
    isSteady() {
      const { desired, operation } = record.current();
      const isWanted = desired === 'running' && operation === null && graceEnd() === null;
      const isAwaited = restrictionEndsAt(record.current()) !== null;
      const isQuiet = !record.isBusy() && record.pausedUntil() === 0 && !record.isOrphaned();
      return (
        !abandoned && !record.isDeleted() && link.connection() !== null && isWanted && isQuiet && !isAwaited
      );
    },
    isFenced: () => fenced,
    isDeleted: () =>
      record.isDeleted() || (operations.isBusy() && record.current().operation?.kind === 'delete'),
    async completed() {
      await record.completed();
      await link.completed();
    },
    abandon,
  };
}
