import type { InstanceEventType } from '../event/event.ts';
import { refuse } from '../result.ts';
import type { Refusal } from '../result.ts';
import { isTooFarAhead } from '../too-far-ahead.ts';
import {
  restrictionEndsAt,
  waitsForRestriction,
  withoutEndedRestriction,
  withoutRestriction,
} from './instance-restriction.ts';
import { NO_OUTAGE, outageAfter } from './outage.ts';
import { PASSKEY_REQUIRED } from './passkey.ts';
import type { StoredPasskeyStep } from './passkey.ts';
import type { Restriction } from './restriction.ts';
import { isLive, withOutcome } from './instance.ts';
import type { Capability, Instance, InstanceStatus, Operation, OperationKind, QrCode } from './instance.ts';

/** How long a connection may be gone, or take to open, before receivers are notified. */
export const CONNECTION_GRACE_MS = 30_000;

/** Everything that can change the state of an instance. */
export type InstanceTrigger =
  /** `pairingNumber` as in `Instance`. */
  | { readonly kind: 'connect'; readonly pairingNumber: string | null }
  | { readonly kind: 'request_operation'; readonly operation: Operation }
  /** The gateway has carried out the open operation. Not for a delete, which leaves no instance. */
  | { readonly kind: 'operation_done' }
  /** The network refused the open logout again, so the session is discarded without the network. */
  | { readonly kind: 'session_discarded' }
  | { readonly kind: 'operation_failed'; readonly error: string }
  | { readonly kind: 'qr'; readonly qr: QrCode }
  | { readonly kind: 'qr_timeout' }
  /** The network links the number only with its passkey, and waits for this step. */
  | { readonly kind: 'passkey'; readonly passkey: StoredPasskeyStep }
  | ({ readonly kind: 'connected' } & Linked)
  /** Credentials were given, and the network says that they are valid. */
  | ({ readonly kind: 'credentials_given'; readonly sealedCredentials: string } & Linked)
  | { readonly kind: 'credentials_removed' }
  | { readonly kind: 'dropped'; readonly detail: string }
  /** The instance was not connected by `graceEndsAt`. */
  | { readonly kind: 'grace_over' }
  | { readonly kind: 'unlinked' }
  /** With `until`, the network forbids the instance to connect until then. */
  | { readonly kind: 'failed'; readonly code: string; readonly until?: number | null }
  /** The network reported a restriction of the number; null if the restriction has ended. */
  | { readonly kind: 'restricted'; readonly restriction: Restriction | null }
  /** The time of `restrictionEndsAt` has come. */
  | { readonly kind: 'restriction_over' };

/** A linked number. A field is absent if the network does not report it, so that its known value stays. */
interface Linked {
  readonly phoneNumber: string;
  readonly profileName?: string | null | undefined;
  readonly profilePictureUrl?: string | null | undefined;
  readonly capabilities?: readonly Capability[] | null | undefined;
}

export type InstanceTransition =
  | {
      readonly kind: 'changed';
      readonly instance: Instance;
      readonly event: InstanceEventType | null;
      readonly sessionEnds: boolean;
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * The state machine of an instance (specification, "Instance status"; what it leaves open is in docs/decisions.md).
 * `sessionEnds` is true if the number is unlinked, so that its session is erased and its queued messages fail.
 */
export function transition(instance: Instance, trigger: InstanceTrigger, now: number): InstanceTransition {
  const next = decide(instance, trigger, now);
  if (next.kind !== 'changed') return next;
  const outage = outageAfter(instance, next.instance, { isOnRequest: isOnRequest(trigger), now });
  return { ...next, instance: { ...next.instance, ...outage } };
}

/** Whether the trigger comes from a requested operation. */
function isOnRequest({ kind }: InstanceTrigger): boolean {
  return kind === 'request_operation' || kind === 'operation_done' || kind === 'session_discarded';
}

function decide(instance: Instance, trigger: InstanceTrigger, now: number): InstanceTransition {
  switch (trigger.kind) {
    case 'connect':
      return connect(instance, trigger.pairingNumber, now);
    case 'request_operation':
      return requestOperation(instance, trigger.operation, now);
    case 'operation_done':
      return operationDone(instance, null, now);
    case 'session_discarded':
      return operationDone(instance, 'phone_may_still_list_device', now);
    case 'operation_failed':
      return operationFailed(instance, trigger.error, now);
    case 'qr':
      return showQr(instance, trigger.qr, now);
    case 'passkey':
      return awaitPasskey(instance, trigger.passkey, now);
    case 'qr_timeout':
      return instance.status === 'qr_required'
        ? stop(instance, 'disconnected', { lastError: 'qr_timeout', desired: 'stopped' }, now)
        : UNCHANGED;
    case 'connected':
      return connected(instance, trigger, now);
    case 'credentials_given':
      return giveCredentials(instance, trigger, now);
    case 'credentials_removed':
      return removeCredentials(instance, now);
    case 'dropped':
      return dropped(instance, trigger.detail, now);
    case 'grace_over':
      return graceIsOver(instance, now)
        ? stop(instance, 'disconnected', { lastError: instance.lastError ?? 'connect_timeout' }, now)
        : UNCHANGED;
    case 'unlinked':
      return unlinked(instance, now);
    case 'failed':
      return fail(instance, trigger, now);
    case 'restricted':
      return restrict(instance, trigger.restriction, now);
    case 'restriction_over':
      return endRestriction(instance, now);
  }
}

const UNCHANGED: InstanceTransition = { kind: 'unchanged' };

function connect(instance: Instance, pairingNumber: string | null, now: number): InstanceTransition {
  if (instance.operation) return busy(instance.operation);
  if (isLive(instance.status)) return UNCHANGED;
  const wanted = { desired: 'running', lastError: null, logoutRefused: false, pairingNumber } as const;
  // A request to connect overrides the restriction that stopped the instance, no matter when the restriction ends.
  const restriction = instance.status === 'error' ? null : instance.restriction;
  return change(instance, { ...wanted, restriction, status: 'connecting' }, now);
}

function requestOperation(instance: Instance, operation: Operation, now: number): InstanceTransition {
  if (instance.operation?.kind === operation.kind) return UNCHANGED;
  if (instance.operation) return busy(instance.operation);
  switch (operation.kind) {
    case 'disconnect':
      if (isLive(instance.status)) break;
      // An instance that is not live may still be retrying a dropped connection. Stop the retries without an event.
      if (instance.desired !== 'running') {
        // The network or the phone has stopped the instance. The request to stop it ends its outage.
        return instance.downSince === null ? UNCHANGED : change(instance, NO_OUTAGE, now);
      }
      return change(
        waitsForRestriction(instance) ? { ...instance, restriction: null } : instance,
        { desired: 'stopped' },
        now,
      );
    case 'logout':
      if (instance.phoneNumber !== null) break;
      return refused(
        refuse('INVALID_INSTANCE_STATE', 'The instance is not paired, so there is nothing to log out.'),
      );
    case 'passkey_answer':
      if (instance.passkey && now < instance.passkey.expiresAt) break;
      return refused(refusePasskey(instance));
    case 'delete':
      break;
  }
  return change(instance, { operation }, now);
}

function operationDone(instance: Instance, lastError: string | null, now: number): InstanceTransition {
  if (!instance.operation) return UNCHANGED;
  const { id } = instance.operation;
  const done = {
    operation: null,
    operationOutcome: withOutcome(instance.operationOutcome, { id, error: null }),
  };
  switch (instance.operation.kind) {
    case 'disconnect':
      return isLive(instance.status)
        ? stop(instance, 'disconnected', { ...done, desired: 'stopped' }, now)
        : change(instance, { ...done, desired: 'stopped' }, now);
    case 'logout':
      // The phone unlinked the instance while the logout was in progress, so receivers have been notified.
      return instance.phoneNumber === null
        ? change(instance, done, now)
        : unlink({ ...instance, ...done }, lastError, now);
    case 'passkey_answer':
      return change(instance, done, now);
    case 'delete':
      return UNCHANGED;
  }
}

/** The refusal of a request that needs the network to wait for a passkey. */
export function refusePasskey({ passkey }: Pick<Instance, 'passkey'>): ReturnType<typeof refuse> {
  return refuse(
    'PASSKEY_NOT_AVAILABLE',
    passkey
      ? 'The time for this step of the passkey is over: connect the instance again, and repeat the linking.'
      : 'The network does not wait for a passkey of this instance: it does so only while it links a number, when last_error is passkey_required.',
  );
}

function operationFailed(instance: Instance, error: string, now: number): InstanceTransition {
  if (!instance.operation) return UNCHANGED;
  const { id, kind } = instance.operation;
  const operationOutcome = withOutcome(instance.operationOutcome, { id, error });
  const logoutRefused = instance.logoutRefused || (kind === 'logout' && instance.phoneNumber !== null);
  return change(instance, { operation: null, operationOutcome, logoutRefused }, now);
}

function showQr(instance: Instance, qr: QrCode, now: number): InstanceTransition {
  // The network was reached, so the previous error is over.
  const shown = { qr, passkey: null, droppedAt: null, lastError: null } as const;
  if (instance.status === 'qr_required') return change(instance, shown, now);
  // An instance that is reconnecting may have the status disconnected, and its session may turn out to be void.
  if (!mayOpen(instance)) return UNCHANGED;
  return change(instance, { ...shown, status: 'qr_required' }, now, 'instance.qr_required');
}

/** A phone has scanned the QR or taken the code, so no other QR is shown. */
function awaitPasskey(instance: Instance, passkey: StoredPasskeyStep, now: number): InstanceTransition {
  if (instance.status !== 'qr_required') return UNCHANGED;
  const event = instance.passkey ? null : 'instance.passkey_required';
  return change(instance, { passkey, qr: null, droppedAt: null, lastError: PASSKEY_REQUIRED }, now, event);
}

/** Whether a connection may be opening, or may be tried again. */
function mayOpen({ desired, status }: Instance): boolean {
  return desired === 'running' && status !== 'connected' && status !== 'error';
}

const NO_PROFILE = { profileName: null, profilePictureUrl: null, capabilities: null };

/** The fields of an instance that is linked to this number. */
function linkedTo(instance: Instance, linked: Linked, now: number): Partial<Instance> {
  const isSame = instance.phoneNumber === linked.phoneNumber;
  const known = isSame ? instance : NO_PROFILE;
  const { profileName = known.profileName, profilePictureUrl = known.profilePictureUrl } = linked;
  const { phoneNumber, capabilities = known.capabilities } = linked;
  const linkedAt = isSame ? instance.linkedAt : now;
  return { phoneNumber, profileName, profilePictureUrl, capabilities, linkedAt, pairingNumber: null };
}

const ONCE_LINKED: Partial<Readonly<Record<InstanceStatus, InstanceStatus>>> = {
  qr_required: 'connecting',
  logged_out: 'disconnected',
};

/** Links the number of the credentials. An instance that waits to be linked connects. */
function giveCredentials(
  instance: Instance,
  { sealedCredentials, ...linked }: Extract<InstanceTrigger, { kind: 'credentials_given' }>,
  now: number,
): InstanceTransition {
  if (instance.operation) return busy(instance.operation);
  if (instance.phoneNumber !== null && instance.phoneNumber !== linked.phoneNumber)
    return refused(
      refuse(
        'INVALID_INSTANCE_STATE',
        `The credentials belong to another number than the ${instance.phoneNumber} that is linked: log the instance out first, or create another one.`,
      ),
    );
  return change(
    instance,
    {
      ...linkedTo(instance, linked, now),
      ...(instance.phoneNumber === null && { lastError: null, droppedAt: null }),
      sealedCredentials,
      status: ONCE_LINKED[instance.status] ?? instance.status,
    },
    now,
  );
}

/** Removes credentials without the network. They stay while they are in use. */
function removeCredentials(instance: Instance, now: number): InstanceTransition {
  if (instance.operation) return busy(instance.operation);
  if (instance.sealedCredentials === null) return UNCHANGED;
  if (instance.desired === 'running')
    return refused(
      refuse(
        'INVALID_INSTANCE_STATE',
        'The instance connects with these credentials: disconnect it first, or log it out, which removes them.',
      ),
    );
  return instance.status === 'created'
    ? change(instance, UNLINKED, now, null, true)
    : unlink(instance, null, now);
}

function connected(
  instance: Instance,
  linked: Extract<InstanceTrigger, { kind: 'connected' }>,
  now: number,
): InstanceTransition {
  if (!mayOpen(instance)) return UNCHANGED;
  const isBack = instance.status === 'connecting' && instance.droppedAt !== null;
  const { restriction } = withoutEndedRestriction(instance, now);
  return change(
    instance,
    {
      ...linkedTo(instance, linked, now),
      status: 'connected',
      lastError: restriction?.code ?? null,
      restriction,
      droppedAt: null,
      // A number that was just linked has a new session; a restored connection has the session whose logout was
      // refused.
      logoutRefused: instance.status !== 'qr_required' && instance.logoutRefused,
      connectedAt: now,
      lastSeenAt: now,
    },
    now,
    isBack ? null : 'instance.connected',
  );
}

/** Only the drop of an open connection changes the status; a failed attempt to connect is repeated. */
function dropped(instance: Instance, detail: string, now: number): InstanceTransition {
  switch (instance.status) {
    case 'connected':
      return change(instance, { status: 'connecting', lastError: detail, droppedAt: now }, now);
    case 'qr_required':
      // The pairing code is void once its connection ends; the status stays, because another code may follow.
      return instance.qr || instance.passkey || instance.lastError !== detail
        ? change(
            instance,
            { qr: null, passkey: null, lastError: detail, droppedAt: instance.droppedAt ?? now },
            now,
          )
        : UNCHANGED;
    case 'connecting':
    case 'disconnected':
      return instance.lastError !== detail ? change(instance, { lastError: detail }, now) : UNCHANGED;
    case 'created':
    case 'logged_out':
    case 'error':
      return UNCHANGED;
  }
}

/** When an instance that should be connected, but is not, becomes `disconnected`; null if no such change is due. */
export function graceEndsAt({ status, statusChangedAt, droppedAt }: Instance): number | null {
  const waitsSince = status === 'connecting' ? (droppedAt ?? statusChangedAt) : droppedAt;
  return waitsSince === null ? null : waitsSince + CONNECTION_GRACE_MS;
}

/** Checks again, because the connection may have come back and dropped since the controller looked. */
function graceIsOver(instance: Instance, now: number): boolean {
  const endsAt = graceEndsAt(instance);
  // If the grace period began before the clock was set back, the controller of the instance decides when it ends.
  return endsAt !== null && (now >= endsAt || isTooFarAhead(endsAt - CONNECTION_GRACE_MS, now));
}

/** A session can be linked before its number is stored, for example if the process ends in between. */
function unlinked(instance: Instance, now: number): InstanceTransition {
  const isLinked = instance.phoneNumber !== null || isLive(instance.status);
  return isLinked ? unlink(instance, 'logged_out_from_phone', now) : UNCHANGED;
}

/**
 * After a failure with `until`, the connection is tried again at that time; after any other failure, only on request.
 */
function fail(
  instance: Instance,
  { code, until = null }: { readonly code: string; readonly until?: number | null },
  now: number,
): InstanceTransition {
  if (instance.desired !== 'running' || instance.status === 'error') return UNCHANGED;
  const stopped = { status: 'error', lastError: code, droppedAt: null, disconnectedAt: now } as const;
  const next = until === null ? ({ desired: 'stopped' } as const) : { restriction: { code, until } };
  return change(instance, { ...stopped, ...next }, now, 'instance.error');
}

function restrict(instance: Instance, reported: Restriction | null, now: number): InstanceTransition {
  if (!isLive(instance.status)) return UNCHANGED;
  const before = withoutRestriction(instance);
  const { restriction } = withoutEndedRestriction({ ...before, restriction: reported }, now);
  const { code, until } = instance.restriction ?? {};
  if (restriction?.code === code && restriction?.until === until) return UNCHANGED;
  const lastError = instance.status === 'connected' ? (restriction?.code ?? null) : before.lastError;
  return change(instance, { restriction, lastError }, now);
}

function endRestriction(instance: Instance, now: number): InstanceTransition {
  if (now < (restrictionEndsAt(instance) ?? Infinity)) return UNCHANGED;
  return waitsForRestriction(instance)
    ? change(instance, { status: 'connecting', restriction: null, lastError: null }, now)
    : change(withoutRestriction(instance), {}, now);
}

const UNLINKED = {
  phoneNumber: null,
  linkedAt: null,
  ...NO_PROFILE,
  sealedCredentials: null,
  logoutRefused: false,
  restriction: null,
};

function unlink(instance: Instance, lastError: string | null, now: number): InstanceTransition {
  return stop(instance, 'logged_out', { ...UNLINKED, lastError, desired: 'stopped' }, now, true);
}

function stop(
  instance: Instance,
  status: 'disconnected' | 'logged_out',
  changes: Partial<Instance>,
  now: number,
  sessionEnds = false,
): InstanceTransition {
  return change(
    instance,
    { ...changes, status, droppedAt: null, disconnectedAt: now },
    now,
    'instance.disconnected',
    sessionEnds,
  );
}

function change(
  instance: Instance,
  changes: Partial<Instance>,
  now: number,
  event: InstanceEventType | null = null,
  sessionEnds = false,
): InstanceTransition {
  const next: Instance = { ...instance, ...changes, updatedAt: now };
  const status: InstanceStatus = next.status;
  return {
    kind: 'changed',
    event,
    sessionEnds,
    instance: {
      ...next,
      qr: status === 'qr_required' ? next.qr : null,
      passkey: status === 'qr_required' ? next.passkey : null,
      statusChangedAt: status === instance.status ? instance.statusChangedAt : now,
    },
  };
}

const OPERATION_NAMES: Record<OperationKind, string> = {
  disconnect: 'disconnect',
  logout: 'logout',
  delete: 'deletion',
  passkey_answer: 'passkey answer',
};

function busy(operation: Operation): InstanceTransition {
  return refused(
    refuse(
      'INSTANCE_BUSY',
      `A ${OPERATION_NAMES[operation.kind]} of this instance is still being carried out: repeat the request when it has ended.`,
    ),
  );
}

function refused({ refusal }: { refusal: Refusal }): InstanceTransition {
  return { kind: 'refused', refusal };
}
