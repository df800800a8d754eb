import type { WebhookInstance } from '@trunkline/receiver';
import { MEDIA_TYPES } from '../message/media-rules.ts';
import type { PaceName } from './pace.ts';
import type { StoredPasskeyStep } from './passkey.ts';
import type { Restriction } from './restriction.ts';

/**
 * The abilities of an instance, which its gateway provides (specification, Instance `capabilities`): the kinds of
 * messages and of actions on messages that it sends, and what else it can do, such as list groups.
 */
export type Capability = NonNullable<WebhookInstance['capabilities']>[number];

/** The capabilities that need a media store. */
export const FILE_CAPABILITIES: readonly Capability[] = [...MEDIA_TYPES, 'stickers'];

export const INSTANCE_STATUSES = [
  'created',
  'connecting',
  'qr_required',
  'connected',
  'disconnected',
  'logged_out',
  'error',
] as const;
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number];

/** The operations that the gateway must carry out before the instance accepts another operation. */
export type OperationKind = 'disconnect' | 'logout' | 'delete' | 'passkey_answer';

export interface Operation {
  readonly id: string;
  readonly kind: OperationKind;
  readonly requestedAt: number;
  /** The answer of a `passkey_answer`, stored encrypted; absent for all other kinds. */
  readonly sealedAnswer?: string;
}

/** How an operation ended; `error` is null if it was carried out. */
export interface OperationOutcome {
  readonly id: string;
  readonly error: string | null;
}

/**
 * How the last operation ended, and a few before it: by the time a waiting request reads its outcome, a later operation
 * may have ended too.
 */
export interface LastOutcome extends OperationOutcome {
  /** A few earlier outcomes, newest first. */
  readonly earlier: readonly OperationOutcome[];
}

/** The code that links a phone: shown as a QR, and also as a code to type if requested. Stored encrypted. */
export interface QrCode {
  readonly sealedCode: string;
  readonly sealedPairingCode: string | null;
  readonly expiresAt: number;
}

/** A phone number that is linked or to be linked. Times are epoch milliseconds. */
export interface Instance {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  /** The network that the instance is on, by the name of its gateway (`Gateway.network`). */
  readonly network: string;
  readonly status: InstanceStatus;
  /** Whether a gateway should hold a connection open. The status says whether the connection is open. */
  readonly desired: 'running' | 'stopped';
  /** Digits of the linked number; null if the instance is not paired. */
  readonly phoneNumber: string | null;
  readonly profileName: string | null;
  readonly profilePictureUrl: string | null;
  /** The gateway's capabilities that the linked number has; null for all of them. */
  readonly capabilities: readonly Capability[] | null;
  readonly lastError: string | null;
  /** The network's restriction of the number; it may have ended since. */
  readonly restriction: Restriction | null;
  /**
   * When a connection dropped, even one that only showed a QR; null once a connection opens or shows a QR, and once
   * receivers are notified.
   */
  readonly droppedAt: number | null;
  readonly qr: QrCode | null;
  /** The passkey step that the network waits for while it links the number; null if it asks for no passkey. */
  readonly passkey: StoredPasskeyStep | null;
  /** Digits of the phone on which a code is typed when the instance pairs; null if only a QR is shown. */
  readonly pairingNumber: string | null;
  /** The address of the proxy that the instance connects through, stored encrypted; null without a proxy. */
  readonly sealedProxyUrl: string | null;
  /** The credentials that link the number, stored encrypted; null without credentials. */
  readonly sealedCredentials: string | null;
  /** The pace that was chosen for the instance; null for the pace of its gateway. */
  readonly pace: PaceName | null;
  readonly operation: Operation | null;
  readonly operationOutcome: LastOutcome | null;
  /**
   * Whether a logout of this session has failed. If so, the next logout discards the session even if the network
   * refuses.
   */
  readonly logoutRefused: boolean;
  readonly statusChangedAt: number | null;
  /** When the number was linked; null if no number is linked. */
  readonly linkedAt: number | null;
  readonly connectedAt: number | null;
  readonly disconnectedAt: number | null;
  readonly lastSeenAt: number | null;
  /** When the outage of the instance began (`outageAfter`); null if it is not down. */
  readonly downSince: number | null;
  /** When a notification of the outage was decided; null before that. */
  readonly downNotifiedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Raised by one with each write. A write names the version that its decision was based on. */
  readonly version: number;
}

export function isLive(status: InstanceStatus): boolean {
  return status === 'connecting' || status === 'qr_required' || status === 'connected';
}

/**
 * Whether messages are accepted (docs/decisions.md, "Instances"): the number is linked and meant to run. While a
 * connection is being restored, messages are queued, and sent afterwards.
 */
export function acceptsMessages({
  status,
  desired,
  phoneNumber,
}: Pick<Instance, 'status' | 'desired' | 'phoneNumber'>): boolean {
  const mayConnect = status === 'connected' || status === 'connecting' || status === 'disconnected';
  return phoneNumber !== null && desired === 'running' && mayConnect;
}

/**
 * The instance after a write, with the next version. The gateway may have reported a sign of life since the write was
 * decided, so the later `lastSeenAt` is kept.
 */
export function writtenInstance(instance: Instance, stored: Pick<Instance, 'lastSeenAt'>): Instance {
  const times = [instance.lastSeenAt, stored.lastSeenAt].filter((time) => time !== null);
  const lastSeenAt = times.length === 0 ? null : Math.max(...times);
  return { ...instance, lastSeenAt, version: instance.version + 1 };
}

/** How the operation with this id ended; null while it is open, or if its outcome is no longer known. */
export function outcomeOf({ operationOutcome: last }: Instance, id: string): OperationOutcome | null {
  return allOutcomes(last).find((outcome) => outcome.id === id) ?? null;
}

/** How many outcomes are kept, which is more than can come between two reads of a waiting request. */
const OUTCOMES_KEPT = 16;

export function withOutcome(last: LastOutcome | null, { id, error }: OperationOutcome): LastOutcome {
  return { id, error, earlier: allOutcomes(last).slice(0, OUTCOMES_KEPT - 1) };
}

function allOutcomes(last: LastOutcome | null): readonly OperationOutcome[] {
  return last ? [{ id: last.id, error: last.error }, ...last.earlier] : [];
}

/** In Unicode code points, after trimming. */
export const INSTANCE_NAME_MAX = 100;

/** The length of a network's name; all of its characters are ASCII. */
export const NETWORK_NAME_MAX = 32;

/** Whether this can be the name of a network (`Gateway.network`). */
export function isNetworkName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= NETWORK_NAME_MAX && /^[a-z][a-z0-9_]*$/.test(name);
}

export function defaultInstanceName(id: string): string {
  return `Instance ${id.slice(-4)}`;
}
