import { floorId, orderOfId } from '../id.ts';
import type { InstanceTrigger } from './instance-state.ts';
import type { Instance, InstanceStatus } from './instance.ts';
import { nextStepOf } from './next-step.ts';
import type { NextStep } from './next-step.ts';

/** How many days the history of an instance is kept, by default. */
export const HISTORY_DAYS = 30;

export function historySince(now: number, days: number): number {
  return now - days * 86_400_000;
}

/**
 * Beyond this many entries of an instance within an hour, anything further is counted in the latest of them with the
 * same reason, if there is one. Otherwise a program that connects and disconnects in a loop could fill the database.
 */
export const ENTRIES_PER_HOUR = 200;

const HOUR_MS = 3_600_000;

/** The lowest id that an entry in the hour before this entry can have. */
export function floorOfHour({ id }: Pick<HistoryEntry, 'id'>): string {
  return floorId('hst', orderOfId('hst', id).ms - HOUR_MS);
}

/** The cause: a request (`api`), the network or the phone (`gateway`), or Trunkline itself (`service`). */
export type HistoryCause = 'api' | 'gateway' | 'service';

interface ReasonInfo {
  readonly causedBy: HistoryCause;
  /** The reason as a sentence. */
  readonly meaning: string;
}

/** All reasons that the history of an instance can give: a closed list, which docs/running.md repeats. */
const REASONS = {
  created: { causedBy: 'api', meaning: 'The instance was created.' },
  connect_requested: { causedBy: 'api', meaning: 'Somebody asked to connect it.' },
  pairing_begun: { causedBy: 'gateway', meaning: 'The network sent a QR to scan, or a code to type.' },
  pairing_interrupted: {
    causedBy: 'gateway',
    meaning: 'The connection that showed the QR was lost, and the QR with it.',
  },
  pairing_expired: { causedBy: 'gateway', meaning: 'Nobody scanned the QR in time.' },
  pairing_refused: { causedBy: 'gateway', meaning: 'The network refused to link a phone.' },
  passkey_required: {
    causedBy: 'gateway',
    meaning: 'The network links the number only with the passkey of its account.',
  },
  passkey_accepted: {
    causedBy: 'gateway',
    meaning: 'The network accepted the answer to its passkey request.',
  },
  passkey_refused: {
    causedBy: 'gateway',
    meaning: 'The answer to the passkey request was refused, or could not be passed on.',
  },
  paired: { causedBy: 'gateway', meaning: 'A phone was linked, and the number is connected.' },
  connected: { causedBy: 'gateway', meaning: 'The number is connected.' },
  connection_dropped: { causedBy: 'gateway', meaning: 'An open connection was lost.' },
  connect_failed: { causedBy: 'gateway', meaning: 'A try to connect failed.' },
  restart_requested: { causedBy: 'gateway', meaning: 'The network asked for a new connection.' },
  reconnected: {
    causedBy: 'gateway',
    meaning: 'The connection was back within 30 s, so receivers were not notified.',
  },
  connection_lost: {
    causedBy: 'service',
    meaning: 'The number has not been connected for 30 s: receivers were notified.',
  },
  unlinked_by_phone: {
    causedBy: 'gateway',
    meaning: 'The device was removed on the phone, or by the network: the session is void.',
  },
  refused_by_network: { causedBy: 'gateway', meaning: 'The network refused the number for good.' },
  restriction_begun: { causedBy: 'gateway', meaning: 'The network restricted the number.' },
  restriction_ended: { causedBy: 'service', meaning: 'What the network forbade is allowed again.' },
  disconnect_requested: { causedBy: 'api', meaning: 'Somebody asked to disconnect it.' },
  disconnected: { causedBy: 'api', meaning: 'It was disconnected on request.' },
  disconnect_failed: { causedBy: 'gateway', meaning: 'The gateway could not disconnect it.' },
  logout_requested: { causedBy: 'api', meaning: 'Somebody asked to log it out.' },
  logged_out: { causedBy: 'api', meaning: 'It was logged out on request.' },
  logout_failed: { causedBy: 'gateway', meaning: 'The network could not log it out.' },
  session_discarded: {
    causedBy: 'api',
    meaning: 'It was logged out without the network: the phone may still list the device.',
  },
  delete_requested: { causedBy: 'api', meaning: 'Somebody asked to delete it.' },
  delete_failed: { causedBy: 'gateway', meaning: 'The gateway could not delete it.' },
  deleted: { causedBy: 'api', meaning: 'The instance was deleted.' },
  credentials_given: { causedBy: 'api', meaning: 'It was given credentials, which link its number.' },
  credentials_removed: {
    causedBy: 'api',
    meaning: 'Its credentials were removed, and its number with them.',
  },
  proxy_changed: { causedBy: 'api', meaning: 'Its proxy was changed, for its next connection.' },
  handed_over: {
    causedBy: 'service',
    meaning: 'The process that held it stopped or passed it on, and another one took it.',
  },
  taken_over: {
    causedBy: 'service',
    meaning: 'The process that held it died or stood still, and its lease was taken over.',
  },
  down_reported: {
    causedBy: 'service',
    meaning: 'It has been down for so long that a notification is sent.',
  },
} as const;

/** Why something happened to an instance. The `description` of an entry puts it in a sentence. */
export type HistoryReason = keyof typeof REASONS;

export const HISTORY_REASONS: Readonly<Record<HistoryReason, ReasonInfo>> = REASONS;

/** The content of a history entry. */
export interface HistoryNews {
  readonly reason: HistoryReason;
  readonly from: InstanceStatus | null;
  /** The same as `from` if the status did not change; null once the instance is deleted. */
  readonly to: InstanceStatus | null;
  /** Trunkline's code for the cause, as in `last_error`. */
  readonly code: string | null;
  /** The network's own code, such as a status of 428. */
  readonly networkCode: string | null;
  readonly next: NextStep | null;
  /** The process that held the instance before, if it ended without releasing the instance. */
  readonly previousProcess: string | null;
}

/** One entry of the history. Times are epoch milliseconds. */
export interface HistoryEntry extends HistoryNews {
  readonly id: string;
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly causedBy: HistoryCause;
  /** The process that held the lease of the instance; null if the writer of the entry held no lease. */
  readonly process: string | null;
  readonly at: number;
  /**
   * How many times this happened: an entry also counts repeats within an hour, and further entries beyond
   * `ENTRIES_PER_HOUR`.
   */
  readonly count: number;
  /** When this last happened; `next` is as of that time. */
  readonly lastAt: number;
}

/** Reasons that can repeat endlessly without a request, because a connection flaps or the network is unreachable. */
const REPEATING: ReadonlySet<HistoryReason> = new Set([
  'pairing_interrupted',
  'connection_dropped',
  'connect_failed',
  'restart_requested',
  'connected',
  'reconnected',
  'connection_lost',
]);

export function mayRepeat(reason: HistoryReason): boolean {
  return REPEATING.has(reason);
}

export interface Circumstances {
  /** By default, the reason that follows from the trigger. */
  readonly reason?: HistoryReason;
  readonly networkCode?: string | undefined;
  /** When the next attempt to connect is, in epoch milliseconds. */
  readonly retryAt?: number | null;
  readonly previousProcess?: string | null;
}

/** Returns the entry for a trigger's effect on an instance; null if the effect needs no entry. */
export function newsOf(
  { before, after, trigger }: Change,
  { reason: given, networkCode, retryAt = null, previousProcess = null }: Circumstances,
): HistoryNews | null {
  const reason = given ?? reasonOf({ before, after, trigger });
  if (reason === null) return null;
  return {
    reason,
    from: before.status,
    to: (after ?? before).status,
    code: given === undefined ? boundedCode(codeOf(trigger, after)) : null,
    networkCode: boundedCode(networkCode),
    next: nextStepOf(after ?? before, retryAt),
    previousProcess,
  };
}

/** The entry for something that happened to an instance without a trigger. */
export function otherNews(
  { status }: Pick<Instance, 'status'>,
  reason: HistoryReason,
  more: Partial<HistoryNews> = {},
): HistoryNews {
  const nothing = { code: null, networkCode: null, next: null, previousProcess: null };
  return { reason, from: status, to: status, ...nothing, ...more };
}

interface Change {
  readonly before: Instance;
  /** Null if the trigger has changed nothing. A failed attempt to connect gets an entry even then. */
  readonly after: Instance | null;
  readonly trigger: InstanceTrigger;
}

function reasonOf({ before, after, trigger }: Change): HistoryReason | null {
  if (trigger.kind === 'dropped') return reasonOfDrop(before);
  if (after === null) return null;
  switch (trigger.kind) {
    case 'connect':
      return 'connect_requested';
    case 'request_operation':
      if (after.operation) {
        const { kind } = trigger.operation;
        return kind === 'passkey_answer' ? null : `${kind}_requested`;
      }
      // Attempts to connect are stopped without the gateway, so no operation is open.
      return after.desired === before.desired ? null : 'disconnected';
    case 'operation_done':
      return reasonOfDone(before);
    case 'session_discarded':
      return 'session_discarded';
    case 'operation_failed':
      if (before.operation?.kind === 'passkey_answer') return 'passkey_refused';
      return before.operation && `${before.operation.kind}_failed`;
    case 'qr':
      return before.status === 'qr_required' ? null : 'pairing_begun';
    case 'qr_timeout':
      return 'pairing_expired';
    case 'passkey':
      return before.passkey ? null : 'passkey_required';
    case 'connected':
      if (before.phoneNumber === null) return 'paired';
      return before.status === 'connecting' && before.droppedAt !== null ? 'reconnected' : 'connected';
    case 'credentials_given':
    case 'credentials_removed':
      return trigger.kind;
    case 'grace_over':
      return 'connection_lost';
    case 'unlinked':
      return 'unlinked_by_phone';
    case 'failed':
      if (after.desired === 'running') return 'restriction_begun';
      return before.phoneNumber === null ? 'pairing_refused' : 'refused_by_network';
    case 'restricted':
      return after.restriction ? 'restriction_begun' : 'restriction_ended';
    case 'restriction_over':
      return 'restriction_ended';
  }
}

function reasonOfDrop({ status, qr, passkey }: Instance): HistoryReason | null {
  switch (status) {
    case 'connected':
      return 'connection_dropped';
    case 'qr_required':
      return qr || passkey ? 'pairing_interrupted' : 'connect_failed';
    case 'connecting':
    case 'disconnected':
      return 'connect_failed';
    case 'created':
    case 'logged_out':
    case 'error':
      return null;
  }
}

function reasonOfDone({ operation, phoneNumber }: Instance): HistoryReason | null {
  switch (operation?.kind) {
    case 'disconnect':
      return 'disconnected';
    case 'logout':
      // If the phone unlinked the instance during the logout, the history already says so.
      return phoneNumber === null ? null : 'logged_out';
    case 'passkey_answer':
      return 'passkey_accepted';
    case 'delete':
    case undefined:
      return null;
  }
}

/** The code of the trigger's cause; null if there is none. */
function codeOf(trigger: InstanceTrigger, after: Instance | null): string | null {
  switch (trigger.kind) {
    case 'dropped':
      return trigger.detail;
    case 'failed':
      return trigger.code;
    case 'restricted':
      return trigger.restriction?.code ?? null;
    case 'grace_over':
    case 'qr_timeout':
    case 'unlinked':
    case 'session_discarded':
      return after?.lastError ?? null;
    case 'connect':
    case 'request_operation':
    case 'operation_done':
    case 'operation_failed':
    case 'qr':
    case 'passkey':
    case 'connected':
    case 'credentials_given':
    case 'credentials_removed':
    case 'restriction_over':
      return null;
  }
}

/** The maximum length of a code, more than known networks use. */
const CODE_MAX = 64;

/** A code as the history keeps it, bounded because it comes from the network or from another author's gateway. */
export function boundedCode(code: string | null | undefined): string | null {
  if (code === null || code === undefined || code === '') return null;
  return code.slice(0, CODE_MAX).replaceAll(/[^\x20-\x7e]/g, '?');
}
