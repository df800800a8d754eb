import { restrictionEndsAt, waitsForRestriction } from './instance-restriction.ts';
import type { Instance } from './instance.ts';

/** The next step for an instance that is not connected: automatic, or by a person. */
export type NextStepKind =
  /** Trunkline reconnects the instance at `at`. */
  | 'reconnect'
  /** A person scans the QR, which is valid until `at`. */
  | 'scan_qr'
  /** A person uses the passkey of the account in a browser, or confirms a code, until `at`. */
  | 'use_passkey'
  /** A person connects the instance, and scans a new QR. */
  | 'pair'
  /** A person connects the instance when the cause is fixed. */
  | 'connect'
  /** Trunkline connects the instance when its restriction ends, at `at`. */
  | 'wait_for_restriction';

/** The next step for an instance that is not connected. */
export interface NextStep {
  /** The step, such as `reconnect` (automatic) or `scan_qr` (by a person). */
  readonly kind: NextStepKind;
  /** Epoch milliseconds; null if the step has no known time. */
  readonly at: number | null;
}

/** Returns the next step; null if no step is needed, or while a requested operation is carried out. */
export function nextStepOf(instance: Instance, retryAt: number | null): NextStep | null {
  const { status, desired, operation, qr, passkey, phoneNumber, lastError } = instance;
  if (operation) return null;
  if (waitsForRestriction(instance)) {
    return { kind: 'wait_for_restriction', at: restrictionEndsAt(instance) };
  }
  switch (status) {
    case 'created':
    case 'connected':
      return null;
    case 'qr_required':
      // The phone finishes the linking without the person.
      if (passkey) return passkey.kind === 'phone' ? null : { kind: 'use_passkey', at: passkey.expiresAt };
      return qr ? { kind: 'scan_qr', at: qr.expiresAt } : { kind: 'reconnect', at: retryAt };
    case 'connecting':
      return { kind: 'reconnect', at: retryAt };
    case 'logged_out':
      return { kind: 'pair', at: null };
    case 'error':
      return { kind: phoneNumber === null ? 'pair' : 'connect', at: null };
    case 'disconnected':
      if (desired === 'running') return { kind: 'reconnect', at: retryAt };
      // Stopped on request, unless its QR has timed out.
      return lastError === 'qr_timeout' ? { kind: 'pair', at: null } : null;
  }
}

/** The step in words, as of `now`. */
export function nextStepText({ kind, at }: NextStep, now: number): string {
  const wait = at === null || at <= now ? null : durationText(at - now);
  switch (kind) {
    case 'reconnect':
      return wait === null ? 'connecting' : `reconnecting in ${wait}`;
    case 'scan_qr':
      return wait === null ? 'needs a scan of its QR' : `needs a scan of its QR within ${wait}`;
    case 'use_passkey':
      return wait === null
        ? 'needs the passkey of its account'
        : `needs the passkey of its account within ${wait}`;
    case 'pair':
      return 'needs a new QR: connect the instance, then scan it';
    case 'connect':
      return 'needs a new connect when the cause is fixed';
    case 'wait_for_restriction':
      return wait === null
        ? 'waits until the restriction ends'
        : `waits until the restriction ends, in ${wait}`;
  }
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** The duration in the largest unit of which it has at least two, rounded up: `12 s`, `90 s`, `5 min`, `36 h`. */
function durationText(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= 2 * each) ?? ['s', 1_000];
  return `${Math.ceil(ms / length)} ${unit}`;
}
