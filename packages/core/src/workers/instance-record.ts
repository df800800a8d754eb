import { writeRetryDelay } from '../domain/backoff.ts';
import type { InstanceTrigger } from '../domain/instance/instance-state.ts';
import { otherNews } from '../domain/instance/instance-history.ts';
import type { Circumstances, HistoryNews, HistoryReason } from '../domain/instance/instance-history.ts';
import type { Instance } from '../domain/instance/instance.ts';
import { notBefore } from '../domain/too-far-ahead.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { ServiceContext } from '../services/context.ts';
import { changeInstance } from '../services/instances/change-instance.ts';
import { FencedError } from '../services/instances/fenced-error.ts';
import { createHistoryLog } from '../services/instances/history-log.ts';

/** The stored form of an instance that this process holds, and the work that changes it. */
export interface InstanceRecord {
  /** The instance as read or written last. */
  current(): Instance;
  /** Takes an instance that was read, unless it is older than the current one. */
  take(stored: Instance): void;
  /** Runs work after all earlier work of this kind, so that changes are written in the order of their causes. */
  inOrder(work: () => Promise<void>): Promise<void>;
  /** Applies a trigger and writes the result, with its history entry. Call this within `inOrder`. */
  write(trigger: InstanceTrigger, circumstances?: Circumstances): Promise<void>;
  /** Writes only an entry in the history, in the background. A failure is logged. */
  note(reason: HistoryReason, more?: Partial<HistoryNews>): void;
  /** Whether the instance is stored as connected or pairing, although that connection is gone. */
  isOrphaned(): boolean;
  /** Notes that the stored state now describes a connection of this process. */
  adopt(): void;
  isDeleted(): boolean;
  noteDeleted(): void;
  /**
   * Runs work in the background. If it fails because the lease is lost, calls `lost`; any other failure is logged and
   * followed by a pause before the next attempt.
   */
  begin(what: string, work: () => Promise<void>): void;
  /** Like `begin`, but does nothing while work of this name is in flight. */
  beginOnce(what: string, work: () => Promise<void>): void;
  isDoing(what: string): boolean;
  isBusy(): boolean;
  /** When the pause after a failure ends; 0 without a pause. */
  pausedUntil(): number;
  /** Whether work may begin at `now`; ends a pause that is over. */
  resume(now: number): boolean;
  /** Resolves when no work is in flight and all is written. */
  completed(): Promise<void>;
}

interface RecordOptions {
  readonly context: ServiceContext;
  readonly lease: Lease;
  readonly instance: Instance;
  readonly lost: () => Promise<void>;
  /** Called when work ends. */
  readonly changed: () => void;
}

export function createInstanceRecord({
  context,
  lease,
  instance: first,
  lost,
  changed,
}: RecordOptions): InstanceRecord {
  const { clock, logger } = context;
  const inFlight = new Map<Promise<void>, string>();
  let instance = first;
  let orphaned = first.status === 'connected' || first.qr !== null || first.passkey !== null;
  let deleted = false;
  /** Failures in a row. */
  let failures = 0;
  let pausedUntil = 0;
  let changes: Promise<unknown> = Promise.resolve();
  const history = createHistoryLog(context.newId, {
    workspaceId: first.workspaceId,
    instanceId: lease.instanceId,
    process: lease.owner,
  });
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const result = changes.then(work);
    changes = result.catch(() => undefined);
    return result;
  };

  const isDoing = (what: string): boolean => [...inFlight.values()].includes(what);

  const begin = (what: string, work: () => Promise<void>): void => {
    const task = work()
      .catch((error: unknown) => {
        if (error instanceof FencedError) return lost();
        failures += 1;
        pausedUntil = clock.now() + writeRetryDelay(failures);
        logger.error({ err: error, instanceId: lease.instanceId }, `${what} failed and is tried again`);
        return undefined;
      })
      .finally(() => {
        inFlight.delete(task);
        changed();
      });
    inFlight.set(task, what);
  };

  return {
    current: () => instance,
    take(stored) {
      if (stored.version >= instance.version) instance = stored;
    },
    inOrder,
    async write(trigger, circumstances) {
      const { workspaceId } = first;
      const target = { workspaceId, id: lease.instanceId, lease, known: instance, history };
      const result = await changeInstance(context, target, trigger, circumstances);
      failures = 0;
      if (result.ok) instance = result.value;
      else deleted = true;
    },
    note(reason, more) {
      const write = async (): Promise<void> => {
        const entry = history.entryOf(
          otherNews(instance, reason, more),
          notBefore(instance.updatedAt, clock.now()),
        );
        await context.storage.instances.note(lease, entry);
        history.written(entry);
      };
      inOrder(write).catch((error: unknown) => {
        logger.warn(
          { err: error, instanceId: lease.instanceId, reason },
          'an entry in the history of an instance could not be stored, and is left out: check the database',
        );
      });
    },
    isOrphaned: () => orphaned,
    adopt() {
      orphaned = false;
    },
    isDeleted: () => deleted,
    noteDeleted() {
      deleted = true;
    },
    begin,
    beginOnce(what, work) {
      if (!isDoing(what)) begin(what, work);
    },
    isDoing,
    isBusy: () => inFlight.size > 0,
    pausedUntil: () => pausedUntil,
    resume(now) {
      if (now < pausedUntil) return false;
      pausedUntil = 0;
      return true;
    },
    async completed() {
      while (inFlight.size > 0) await Promise.all(inFlight.keys());
      await changes;
    },
  };
}
