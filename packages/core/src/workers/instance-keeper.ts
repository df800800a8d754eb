import { CONNECTION_GRACE_MS, graceEndsAt } from '../domain/instance/instance-state.ts';
import type { InstanceTrigger } from '../domain/instance/instance-state.ts';
import type { Instance } from '../domain/instance/instance.ts';
import { isTooFarAhead } from '../domain/too-far-ahead.ts';
import { reconnectDelay, writeRetryDelay } from '../domain/instance/reconnect-backoff.ts';
import type { ClosedReason, GatewayConnection, GatewayListener } from '../ports/gateway.ts';
import type { Lease } from '../ports/storage/lease.ts';
import { DeadlineError, withDeadline } from '../runtime/deadline.ts';
import type { ServiceContext } from '../services/context.ts';
import { changeInstance } from '../services/instances/change-instance.ts';
import { FencedError } from '../services/instances/fenced-error.ts';
import { instanceSession, sealQr } from '../services/instances/sealed-values.ts';
import { createDownloadTurns } from '../services/media/incoming-files.ts';
import { advanceMessage } from '../services/messages/advance-message.ts';
import { receiveMessage } from '../services/messages/receive-message.ts';
import { carryOutOperation } from './carry-out-operation.ts';
import type { HeldConnection } from './carry-out-operation.ts';
import { saveGroups } from '../services/instances/groups.ts';
import type { OpenConnection } from './connections.ts';

/** How long the network may take to close, or to unlink a number. */
const GATEWAY_DEADLINE_MS = 10_000;
/** A connection that neither opens nor fails within this time is given up. */
const OPEN_DEADLINE_MS = 60_000;
/** Most open within a second or two. One that takes longer may be stuck, and leaves its turn to others meanwhile. */
const OPENING_TURN_MS = 5_000;
const SEEN_EVERY_MS = 60_000;
/** Files of one instance that are downloaded concurrently. */
const DOWNLOADS = 8;
/** A restart that the network asks for within this time of the last one is a repeat. Longer than the longest wait before one. */
const RESTARTED_AGAIN_MS = 5 * 60_000;

/** Keeps one instance whose lease this process holds. */
export interface InstanceKeeper {
  readonly lease: Lease;
  readonly workspaceId: string;
  /** The connection, while it is open. */
  open(): OpenConnection | null;
  /** Until when a connection that is being opened keeps others from it; null where none is. */
  opensUntil(): number | null;
  /** Whether its first connection is wanted, and has neither opened nor failed yet. */
  isUntried(): boolean;
  /**
   * Does what is wanted of the instance as it is `stored` now, or, with null, as this keeper knows it. `mayOpen` is false
   * while too many others are opening.
   */
  reconcile(stored: Instance | null, mayOpen: boolean): void;
  /** When to reconcile again if nothing happens; null when nothing is to come. Without `mayOpen`, opening is not. */
  nextAt(mayOpen: boolean): number | null;
  /** Nothing is open, in flight or wanted, or the instance is deleted: the lease can be released. */
  isIdle(): boolean;
  /** The connection is open as it should be, and nothing is in flight, due or awaited, until `changed` is called. */
  isSettled(): boolean;
  /** Another process has taken the lease. */
  isFenced(): boolean;
  /** Resolves when what `reconcile` began has ended. */
  settled(): Promise<void>;
  /** Closes the connection and reports nothing more: the lease is lost, or the process stops. */
  abandon(): Promise<void>;
}

interface KeeperOptions {
  readonly context: ServiceContext;
  readonly lease: Lease;
  readonly instance: Instance;
  /** The connection has changed, or the instance by this keeper: reconcile it again. */
  readonly changed: () => void;
}

/** One try at a connection. Reports of an earlier one are ignored. */
interface Link {
  phase: 'opening' | 'pairing' | 'open';
  readonly since: number;
  connection: GatewayConnection | null;
}

export function createInstanceKeeper({
  context,
  lease,
  instance: first,
  changed,
}: KeeperOptions): InstanceKeeper {
  const { clock, gateway, logger, random, storage } = context;
  const { workspaceId } = first;
  const session = instanceSession(context, lease);
  const underWay = new Set<Promise<void>>();
  const downloads = createDownloadTurns(DOWNLOADS);
  const ended = new AbortController();
  let instance = first;
  let link: Link | null = null;
  const heldSince = clock.now();
  let untried = true;
  let failures = 0;
  /** Why the latest try could not even begin, for the one line that is logged of an outage. */
  let lastFailure: unknown;
  let retryAt = 0;
  let restarts = 0;
  let restartedAt = -Infinity;
  let writeFailures = 0;
  /** What failed is not tried again before; 0 while nothing has. */
  let pausedUntil = 0;
  /** The outcome of an operation on the network, by its id, until it is written: the operation is not repeated. */
  const outcomes = new Map<string, InstanceTrigger>();
  let operating = false;
  let abandoned = false;
  let fenced = false;
  let deleted = false;
  let seenAt = 0;
  let seenNoted: Promise<void> = Promise.resolve();
  let changes: Promise<unknown> = Promise.resolve();
  /** Stored as live by a process that is gone: its connection is gone too. */
  let orphaned = first.status === 'connected' || first.qr !== null;

  const write = async (trigger: InstanceTrigger): Promise<void> => {
    const target = { workspaceId, id: lease.instanceId, lease, known: instance };
    const result = await changeInstance(context, target, trigger);
    writeFailures = 0;
    if (result.ok) instance = result.value;
    else deleted = true;
  };

  /** Changes of one instance are written in the order in which their causes came. */
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const result = changes.then(work);
    changes = result.catch(() => undefined);
    return result;
  };

  const change = (trigger: InstanceTrigger): Promise<void> => inOrder(() => write(trigger));

  /** Runs in the background; a lost lease ends everything, any other failure is logged, and its work repeated later. */
  const begin = (what: string, work: () => Promise<void>): void => {
    const task = work()
      .catch((error: unknown) => {
        if (error instanceof FencedError) return lose();
        writeFailures += 1;
        pausedUntil = clock.now() + writeRetryDelay(writeFailures);
        logger.error({ err: error, instanceId: lease.instanceId }, `${what} failed and is tried again`);
        return undefined;
      })
      .finally(() => {
        underWay.delete(task);
        changed();
      });
    underWay.add(task);
  };

  /** Changes nothing that anybody has to look at: what else is done to the instance does not wait for it. */
  const noteSeen = (now: number): void => {
    seenAt = now;
    seenNoted = storage.instances.seen(lease, now).catch((error: unknown) => {
      // With the next renewal, which reports a database that cannot be written in one line for all instances.
      seenAt = now - SEEN_EVERY_MS;
      logger.debug({ err: error, instanceId: lease.instanceId }, 'a sign of life could not be stored');
    });
  };

  const openLink = (): void => {
    const opened: Link = { phase: 'opening', since: clock.now(), connection: null };
    link = opened;
    begin('opening a connection', async () => {
      const { pairingNumber } = instance;
      const opening = gateway.open(session, listener(opened), { pairingNumber });
      try {
        const connection = await withDeadline(
          clock,
          { what: 'Opening a connection', ms: OPEN_DEADLINE_MS },
          opening,
        );
        if (link === opened) opened.connection = connection;
        else await connection.close();
      } catch (error) {
        if (error instanceof FencedError) throw error;
        if (error instanceof DeadlineError) opening.then((late) => late.close()).catch(() => undefined);
        logger.debug({ err: error, instanceId: lease.instanceId }, 'a connection could not be opened');
        lastFailure = error;
        await inOrder(() => closed(opened, { kind: 'dropped', detail: 'connection_failed' }));
      }
    });
  };

  const listener = (opened: Link): GatewayListener => {
    const isCurrent = (): boolean => link === opened && !abandoned;
    /** A report of a connection that is not ours any more is not stored, so it must not be acknowledged. */
    const report = async (work: () => Promise<void>): Promise<void> => {
      if (!isCurrent()) throw new FencedError(lease.instanceId);
      try {
        await work();
      } catch (error) {
        if (error instanceof FencedError) await lose();
        throw error;
      }
    };
    /** A connection that got on and whose progress could not be stored is tried again: nothing would report it. */
    const recorded = (work: () => Promise<void>): Promise<void> =>
      report(work).catch((error: unknown) => {
        if (isCurrent()) tryAgain(opened);
        throw error;
      });
    return {
      qr: (code, expiresAt, pairingCode) =>
        inOrder(() =>
          recorded(async () => {
            opened.phase = 'pairing';
            untried = false;
            const qr = sealQr(context.sealer, lease.instanceId, { code, pairingCode: pairingCode ?? null });
            await write({ kind: 'qr', qr: { ...qr, expiresAt } });
            orphaned = false;
          }),
        ),
      connected: (profile) =>
        inOrder(() =>
          recorded(async () => {
            await write({ kind: 'connected', ...profile });
            orphaned = false;
            opened.phase = 'open';
            untried = false;
            failures = 0;
            lastFailure = undefined;
            seenAt = clock.now();
            changed();
          }),
        ),
      closed: (reason) =>
        inOrder(async () => {
          if (isCurrent()) await report(() => closed(opened, reason));
        }),
      message: (incoming) =>
        report(() => {
          const checkCurrent = (): void => {
            if (!isCurrent()) throw connectionEnded(lease.instanceId);
          };
          const receiving = { instance, lease, downloads, checkCurrent, signal: ended.signal };
          return receiveMessage(context, receiving, incoming);
        }),
      receipt: ({ networkId, status }) =>
        report(() => advanceMessage(context, lease, networkId, { kind: status })),
      groups: (groups, extent) => report(() => saveGroups(context, { instance, lease }, groups, extent)),
    };
  };

  const closed = async (ended: Link, reason: ClosedReason): Promise<void> => {
    if (link !== ended) return;
    link = null;
    untried = false;
    switch (reason.kind) {
      case 'restart':
        waitBeforeRestart();
        break;
      case 'dropped':
        waitBeforeRetry(reason.notBeforeMs);
        await write({ kind: 'dropped', detail: reason.detail });
        break;
      case 'qr_timeout':
      case 'unlinked':
        await write({ kind: reason.kind });
        break;
      case 'failed':
        await write({ kind: 'failed', code: reason.code });
        break;
    }
    changed();
  };

  const jitter = (): number => (random.bytes(1)[0] ?? 0) / 256;

  const inTime = <Value>(what: string, work: Promise<Value>): Promise<Value> =>
    withDeadline(clock, { what, ms: GATEWAY_DEADLINE_MS }, work);

  const closeLink = async (): Promise<void> => {
    const closing = link;
    link = null;
    if (closing?.connection) await inTime('Closing the connection', closing.connection.close());
  };

  const unlink = async (): Promise<void> => {
    const connection = link?.phase === 'open' ? link.connection : null;
    if (!connection) {
      await closeLink();
      return inTime('Unlinking the number', gateway.unlink(session));
    }
    // The network answers an unlink by closing: that end is ours, not one to report.
    link = null;
    try {
      await inTime('Unlinking the number', connection.logout());
    } catch (error) {
      await inTime('Closing the connection', connection.close());
      throw error;
    }
  };

  const connection: HeldConnection = {
    isOpen: () => link?.phase === 'open',
    close: closeLink,
    unlink,
  };

  const tryAgain = ({ connection }: Link): void => {
    link = null;
    untried = false;
    waitBeforeRetry();
    begin('giving up a connection', async () => connection?.close());
  };

  const waitBeforeRetry = (leastMs = 0): void => {
    retryAt = clock.now() + Math.max(leastMs, reconnectDelay(failures, jitter()));
    failures += 1;
  };

  /** The first is immediate, as after pairing; a network that asks again and again is asked less and less. */
  const waitBeforeRestart = (): void => {
    const now = clock.now();
    restarts = now < restartedAt + RESTARTED_AGAIN_MS ? restarts + 1 : 0;
    restartedAt = now;
    retryAt = restarts === 0 ? 0 : now + reconnectDelay(restarts - 1, jitter());
  };

  const giveUpOpening = (stuck: Link): void => {
    begin('giving up a connection', async () => {
      await inOrder(() => closed(stuck, { kind: 'dropped', detail: 'connect_timeout' }));
      await stuck.connection?.close();
    });
  };

  const abandon = async (): Promise<void> => {
    abandoned = true;
    ended.abort(connectionEnded(lease.instanceId));
    await closeLink().catch((error: unknown) => {
      logger.warn({ err: error, instanceId: lease.instanceId }, 'a connection did not close in time');
    });
    changed();
  };

  const lose = (): Promise<void> => {
    fenced = true;
    return abandon();
  };

  /** A process that has just taken the instance over has the same time to connect it, unless its first try failed. */
  const graceEnd = (): number | null => {
    const endsAt = graceEndsAt(instance);
    if (endsAt === null) return null;
    const ownEnd = heldSince + CONNECTION_GRACE_MS;
    // It began before the clock was set back.
    if (isTooFarAhead(endsAt - CONNECTION_GRACE_MS, clock.now())) return ownEnd;
    return failures > 0 ? endsAt : Math.max(endsAt, ownEnd);
  };

  /** The one line that is logged of an outage, however often the connection is tried. */
  const endGrace = async (): Promise<void> => {
    const before = instance.status;
    await write({ kind: 'grace_over' });
    if (instance.status !== 'disconnected' || before === 'disconnected') return;
    logger.warn(
      { instanceId: lease.instanceId, lastError: instance.lastError, err: lastFailure },
      'An instance has not been connected for 30 s. It is tried again until it connects or is disconnected; last_error says why the latest try failed.',
    );
  };

  return {
    lease,
    workspaceId,
    open: () =>
      link?.phase === 'open' && link.connection ? { lease, instance, connection: link.connection } : null,
    opensUntil: () => (link?.phase === 'opening' ? link.since + OPENING_TURN_MS : null),
    isUntried: () => untried && !abandoned && instance.desired === 'running',
    reconcile(stored, mayOpen) {
      // Somebody asked to connect: that does not wait for the backoff.
      if (instance.status === 'disconnected' && stored?.status === 'connecting') retryAt = 0;
      // What was read before the last write may come after it.
      if (stored && stored.version >= instance.version) instance = stored;
      if (abandoned || deleted || operating) return;
      const now = clock.now();
      if (now < pausedUntil) return;
      pausedUntil = 0;
      const { operation } = instance;
      if (operation) {
        operating = true;
        begin(`the ${operation.kind} operation`, () =>
          carryOutOperation(context, { lease, instance, connection, change, outcomes }, operation)
            .then((outcome) => {
              deleted ||= outcome === 'deleted';
            })
            .finally(() => (operating = false)),
        );
        return;
      }
      if (now >= (graceEnd() ?? Infinity)) begin('noting a lost connection', () => inOrder(endGrace));
      if (instance.desired === 'stopped') {
        if (link) begin('closing a connection', closeLink);
        return;
      }
      // Written before what comes of the next connection, which need not wait for it.
      if (orphaned) {
        begin('taking an instance over', () =>
          inOrder(async () => {
            if (!orphaned) return;
            await write({ kind: 'dropped', detail: 'connection_lost' });
            orphaned = false;
          }),
        );
      }
      if (!link) {
        if (mayOpen && now >= retryAt) openLink();
      } else if (link.phase === 'opening' && now - link.since >= OPEN_DEADLINE_MS) {
        giveUpOpening(link);
      } else if (link.phase === 'open' && now - seenAt >= SEEN_EVERY_MS) {
        noteSeen(now);
      }
    },
    nextAt(mayOpen) {
      if (abandoned || deleted || operating) return null;
      const due = [
        graceEnd(),
        link?.phase === 'opening' ? link.since + OPEN_DEADLINE_MS : null,
        instance.desired === 'running' && !link && mayOpen ? retryAt : null,
      ].filter((at) => at !== null);
      if (pausedUntil > 0) return pausedUntil;
      return due.length === 0 ? null : Math.min(...due);
    },
    isIdle: () =>
      abandoned ||
      deleted ||
      (link === null && underWay.size === 0 && instance.desired === 'stopped' && instance.operation === null),
    isSettled: () =>
      !abandoned &&
      !deleted &&
      !orphaned &&
      link?.phase === 'open' &&
      link.connection !== null &&
      underWay.size === 0 &&
      pausedUntil === 0 &&
      instance.desired === 'running' &&
      instance.operation === null &&
      graceEnd() === null,
    isFenced: () => fenced,
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
      await changes;
      await seenNoted;
    },
    abandon,
  };
}

function connectionEnded(instanceId: string): Error {
  return new Error(`The connection of ${instanceId} has ended: the next one reports this message again.`);
}
