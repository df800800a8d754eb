import { boundedCode } from '../domain/instance/instance-history.ts';
import type { NextStep } from '../domain/instance/next-step.ts';
import { paceOf } from '../domain/instance/pace.ts';
import { readEnd, readRestriction } from '../domain/instance/restriction.ts';
import type { Restriction } from '../domain/instance/restriction.ts';
import type { ClosedReason, GatewayConnection, GatewayListener, UnlinkOptions } from '../ports/gateway.ts';
import type { Lease } from '../ports/storage/lease.ts';
import { patientStorage } from '../runtime/patient-storage.ts';
import type { ServiceContext } from '../services/context.ts';
import { FencedError } from '../services/instances/fenced-error.ts';
import { saveGroups } from '../services/instances/groups.ts';
import {
  hasSameCredentials,
  lacksCredentials,
  openCredentials,
} from '../services/instances/instance-credentials.ts';
import { openProxyUrl } from '../services/instances/instance-proxy.ts';
import { askForCredentials } from '../services/instances/link-page.ts';
import { instanceSession, sealPasskey, sealQr } from '../services/instances/sealed-values.ts';
import type { FileLane, FileReceiving } from '../services/media/file-lane.ts';
import { advanceMessage } from '../services/messages/advance-message.ts';
import { recordActivity } from '../services/messages/record-activity.ts';
import { receiveMessage } from '../services/messages/receive-message.ts';
import type { OperatedConnection } from './instance-operation.ts';
import type { InstanceRecord } from './instance-record.ts';
import { createReconnectSchedule } from './reconnect-schedule.ts';

/** A connection that neither opens nor fails within this time is given up. */
const OPEN_DEADLINE_MS = 60_000;
/**
 * How long a connection that is opening keeps others waiting. Most open within two seconds, and a slower one may be
 * stuck.
 */
const OPENING_TURN_MS = 5_000;
const HEARTBEAT_EVERY_MS = 60_000;
const GIVING_UP_OPENING = 'giving up a connection that does not open';
const REPLACING = 'closing a connection with previous credentials';

const NOT_STORED =
  'what arrived on an instance cannot be stored yet: it is tried again until it is, nothing of it is acknowledged to the network before, and the connection stays open; check the database';

/** The link of one instance to the network: makes one connection after another, and stores their reports. */
export interface InstanceLink extends OperatedConnection {
  /** The connection, while it is open. */
  connection(): GatewayConnection | null;
  /** Whether there is a connection, open or not. */
  exists(): boolean;
  /** When a connection that is opening no longer delays others; null if no connection is opening. */
  opensUntil(): number | null;
  /** Whether no connection has opened, asked for pairing or failed yet. */
  isUntried(): boolean;
  /** Whether an attempt failed, or a connection dropped, since a connection last opened. */
  hasFailed(): boolean;
  /** The error with which opening a connection last failed, for the log line about an outage. */
  lastFailure(): unknown;
  /** Opens a connection that is due if `mayOpen`, gives up a stuck one, and stores heartbeats of an open one. */
  maintain(now: number, mayOpen: boolean): void;
  /**
   * When to call `maintain` next; null if nothing is due. Does not count heartbeats, which are stored when leases are
   * renewed.
   */
  nextAt(mayOpen: boolean): number | null;
  /** Lets the next attempt start now. */
  retryNow(): void;
  /** Closes the connection and reports nothing more. */
  abandon(): Promise<void>;
  completed(): Promise<void>;
}

interface LinkOptions {
  readonly context: ServiceContext;
  readonly lease: Lease;
  readonly record: InstanceRecord;
  readonly files: FileLane;
  readonly lost: () => Promise<void>;
  readonly changed: () => void;
}

/** One attempt to connect. Reports of earlier attempts are refused. */
interface Try {
  phase: 'opening' | 'pairing' | 'open';
  readonly since: number;
  /** The credentials in use, sealed. */
  sealedCredentials: string | null;
  connection: GatewayConnection | null;
}

export function createInstanceLink({
  context,
  lease,
  record,
  files,
  lost,
  changed,
}: LinkOptions): InstanceLink {
  const { clock, logger, storage } = context;
  const { instanceId } = lease;
  const gateway = context.gateways.get(record.current().network);
  const session = instanceSession(context, lease);
  const schedule = createReconnectSchedule(context);
  const ended = new AbortController();
  let link: Try | null = null;
  let untried = true;
  let abandoned = false;
  let lastFailure: unknown;
  let seenAt = 0;
  let heartbeatNoted: Promise<void> = Promise.resolve();

  const open = (): void => {
    const { sealedCredentials } = record.current();
    const opened: Try = { phase: 'opening', since: clock.now(), sealedCredentials, connection: null };
    link = opened;
    record.begin('opening a connection', async () => {
      try {
        const instance = record.current();
        const { pairingNumber } = instance;
        const connection = lacksCredentials(gateway, opened)
          ? askForCredentials(context, instance, listener(opened))
          : await gateway.open(session, listener(opened), { pairingNumber, ...secretsOf(opened) });
        if (link === opened) opened.connection = connection;
        else await connection.close();
      } catch (error) {
        if (error instanceof FencedError) throw error;
        logger.debug({ err: error, instanceId }, 'a connection could not be opened, and is tried again');
        lastFailure = error;
        await record.inOrder(() => closed(opened, { kind: 'dropped', detail: 'connection_failed' }));
      }
    });
  };

  const secretsOf = ({ sealedCredentials }: Pick<Try, 'sealedCredentials'>): UnlinkOptions => ({
    proxyUrl: openProxyUrl(context, record.current()),
    credentials: openCredentials(context, { id: instanceId, sealedCredentials }),
  });

  /** Whether the instance got other credentials than the connection uses, and not only the same ones resealed. */
  const hasNewCredentials = (current: Try): boolean => {
    const { sealedCredentials } = record.current();
    if (sealedCredentials === current.sealedCredentials) return false;
    const isNew =
      current.sealedCredentials === null ||
      !hasSameCredentials(context, { id: instanceId, sealedCredentials }, current.sealedCredentials);
    if (!isNew) current.sealedCredentials = sealedCredentials;
    return isNew;
  };

  const listener = (opened: Try): GatewayListener => {
    const isCurrent = (): boolean => link === opened && !abandoned;
    /**
     * Rejects reports of a connection that is no longer current: such reports are not stored, so they must not
     * be acknowledged.
     */
    const report = async (work: () => Promise<void>): Promise<void> => {
      if (!isCurrent()) throw new FencedError(instanceId);
      try {
        await work();
      } catch (error) {
        if (error instanceof FencedError) await lost();
        throw error;
      }
    };
    /** Gives up a connection whose progress could not be stored, because the progress would not be reported again. */
    const recorded = (work: () => Promise<void>): Promise<void> =>
      report(work).catch((error: unknown) => {
        if (isCurrent()) tryAgain(opened);
        throw error;
      });
    const checkCurrent = (): void => {
      if (!isCurrent()) throw connectionEnded(instanceId);
    };
    /**
     * A context that repeats storage calls until an arrival is stored. Until then the report is pending,
     * which holds back the network.
     */
    const inbound: ServiceContext = {
      ...context,
      storage: patientStorage(storage, {
        clock,
        isOver: () => !isCurrent(),
        failed(error) {
          logger.warn({ err: error, instanceId }, NOT_STORED);
        },
      }),
    };
    const receiving = (): FileReceiving => ({
      instance: record.current(),
      lease,
      pace: paceOf(record.current(), opened.connection),
      files,
      checkCurrent,
      signal: ended.signal,
    });
    return {
      qr: (code, expiresAt, pairingCode) =>
        record.inOrder(() =>
          recorded(async () => {
            opened.phase = 'pairing';
            untried = false;
            const qr = sealQr(context.sealer, instanceId, { code, pairingCode: pairingCode ?? null });
            await record.write({ kind: 'qr', qr: { ...qr, expiresAt } });
            record.adopt();
          }),
        ),
      passkey: (step, expiresAt) =>
        record.inOrder(() =>
          recorded(() => {
            const sealedStep = sealPasskey(context.sealer, instanceId, step);
            return record.write({ kind: 'passkey', passkey: { kind: step.kind, sealedStep, expiresAt } });
          }),
        ),
      connected: (profile) =>
        record.inOrder(() =>
          recorded(async () => {
            await record.write({ kind: 'connected', ...profile });
            record.adopt();
            opened.phase = 'open';
            untried = false;
            schedule.opened();
            lastFailure = undefined;
            seenAt = clock.now();
            changed();
          }),
        ),
      closed: (reason) =>
        record.inOrder(async () => {
          if (isCurrent()) await report(() => closed(opened, reason));
        }),
      message: (incoming) => report(() => receiveMessage(inbound, receiving(), incoming)),
      receipt: ({ networkId, status }) =>
        report(() => advanceMessage(inbound, lease, networkId, { kind: status })),
      groups: (groups, extent) =>
        report(() => saveGroups(inbound, { instance: record.current(), lease }, groups, extent)),
      activity: (activity) => report(() => recordActivity(inbound, receiving(), activity)),
      restricted: (reported) =>
        record.inOrder(() => report(() => noteRestriction(reported && readRestriction(reported)))),
      skipped: context.metrics.skipped,
    };
  };

  const noteRestriction = async (restriction: Restriction | null): Promise<void> => {
    await record.write({ kind: 'restricted', restriction });
    if (!restriction) return;
    logger.warn(
      { instanceId, restriction: restriction.code, until: restriction.until },
      'the network restricts an instance: it refuses some messages until then; send fewer to people who have not written to it',
    );
  };

  const nextTry = (): NextStep => ({ kind: 'reconnect', at: Math.max(schedule.retryAt(), clock.now()) });

  const closed = async (closing: Try, reason: ClosedReason): Promise<void> => {
    if (link !== closing) return;
    link = null;
    untried = false;
    context.metrics.connectionClosed(record.current().network, nameOf(reason));
    const { networkCode } = reason;
    switch (reason.kind) {
      case 'restart':
        schedule.restarted();
        record.note('restart_requested', { networkCode: boundedCode(networkCode), next: nextTry() });
        break;
      case 'dropped':
        schedule.failed(reason.notBeforeMs);
        await record.write(
          { kind: 'dropped', detail: reason.detail },
          { networkCode, retryAt: schedule.retryAt() },
        );
        break;
      case 'qr_timeout':
      case 'unlinked':
        await record.write({ kind: reason.kind }, { networkCode });
        break;
      case 'failed': {
        const until = readEnd(reason.until);
        // Reconnect when `until` passes, but not before the usual backoff.
        if (until !== null) schedule.failed();
        await record.write({ kind: 'failed', code: reason.code, until }, { networkCode });
        break;
      }
    }
    changed();
  };

  const tryAgain = ({ connection }: Try): void => {
    link = null;
    untried = false;
    schedule.failed();
    record.begin('giving up a connection', async () => connection?.close());
  };

  /** Closes a connection, so that the next one uses the new credentials. */
  const replace = ({ connection }: Try): void => {
    link = null;
    schedule.retryNow();
    record.beginOnce(REPLACING, async () => connection?.close());
  };

  const giveUpOpening = (stuck: Try): void => {
    record.beginOnce(GIVING_UP_OPENING, async () => {
      await record.inOrder(() => closed(stuck, { kind: 'dropped', detail: 'connect_timeout' }));
      await stuck.connection?.close();
    });
  };

  /** Stores only `lastSeenAt`. Other work on the instance does not wait for it. */
  const noteHeartbeat = (now: number): void => {
    seenAt = now;
    heartbeatNoted = storage.instances.touch(lease, now).catch((error: unknown) => {
      // Retry at the next renewal. If the storage is out of reach, the renewal logs one line for all instances.
      seenAt = now - HEARTBEAT_EVERY_MS;
      logger.debug(
        { err: error, instanceId },
        'the lastSeenAt of an instance could not be stored, and is tried again',
      );
    });
  };

  const close = async (): Promise<void> => {
    const closing = link;
    link = null;
    await closing?.connection?.close();
  };

  return {
    connection: () => (link?.phase === 'open' ? link.connection : null),
    exists: () => link !== null,
    isOpen: () => link?.phase === 'open',
    opensUntil: () => (link?.phase === 'opening' ? link.since + OPENING_TURN_MS : null),
    isUntried: () => untried,
    hasFailed: schedule.hasFailed,
    lastFailure: () => lastFailure,
    maintain(now, mayOpen) {
      if (!link) {
        if (mayOpen && now >= schedule.retryAt() && !record.isDoing(REPLACING)) open();
      } else if (hasNewCredentials(link)) {
        replace(link);
      } else if (link.phase === 'opening' && now - link.since >= OPEN_DEADLINE_MS) {
        giveUpOpening(link);
      } else if (link.phase === 'open' && now - seenAt >= HEARTBEAT_EVERY_MS) {
        noteHeartbeat(now);
      }
    },
    nextAt(mayOpen) {
      // A connection that is being given up is not due again: see `InstanceController.nextAt`.
      const isGivenUp = record.isDoing(GIVING_UP_OPENING);
      if (link) return link.phase === 'opening' && !isGivenUp ? link.since + OPEN_DEADLINE_MS : null;
      const isWanted = record.current().desired === 'running' && !record.isDoing(REPLACING);
      return mayOpen && isWanted ? schedule.retryAt() : null;
    },
    retryNow: schedule.retryNow,
    close,
    async answerPasskey(answer) {
      const connection = link?.phase === 'pairing' ? link.connection : null;
      if (!connection?.answerPasskey)
        throw new Error('The connection that asked for the passkey has ended: scan the next QR.');
      await connection.answerPasskey(answer);
    },
    async unlink() {
      const connection = link?.phase === 'open' ? link.connection : null;
      if (!connection) {
        await close();
        return gateway.unlink(session, secretsOf(record.current()));
      }
      // After an unlink the network closes the connection, and that close must not be reported as a loss.
      link = null;
      try {
        await connection.logout();
      } catch (error) {
        await connection.close();
        throw error;
      }
    },
    async abandon() {
      abandoned = true;
      ended.abort(connectionEnded(instanceId));
      await close().catch((error: unknown) => {
        logger.warn(
          { err: error, instanceId },
          'a connection could not be closed, and is left to end by itself: if this repeats, check the gateway',
        );
      });
    },
    completed: () => heartbeatNoted,
  };
}

/** The name of a close reason in the metrics. */
function nameOf(reason: ClosedReason): string {
  switch (reason.kind) {
    case 'dropped':
      return reason.detail;
    case 'failed':
      return reason.code;
    default:
      return reason.kind;
  }
}

function connectionEnded(instanceId: string): Error {
  return new Error(`The connection of ${instanceId} has ended: the next one reports this message again.`);
}
