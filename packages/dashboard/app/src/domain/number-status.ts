import type { InstanceResource } from '@trunkline/http/client';
import type { Tone } from '../components/status-badge.tsx';

export type Status = InstanceResource['status'];

/** The statuses that need attention come first. */
export const STATUSES: readonly Status[] = [
  'error',
  'logged_out',
  'qr_required',
  'disconnected',
  'connecting',
  'created',
  'connected',
];

const TONES: Readonly<Record<Status, Tone>> = {
  created: 'idle',
  connecting: 'busy',
  qr_required: 'act',
  connected: 'good',
  disconnected: 'bad',
  logged_out: 'bad',
  error: 'bad',
};

/** Whether the network waits for the passkey of the account, to link the number. */
export function needsPasskey({
  status,
  last_error,
}: Pick<InstanceResource, 'status' | 'last_error'>): boolean {
  return status === 'qr_required' && last_error === 'passkey_required';
}

type Shown = Pick<InstanceResource, 'status' | 'last_error' | 'restriction'>;

/** A number that was disconnected on purpose is idle. A connected one that the network restricts needs attention. */
export function toneOf({ status, last_error, restriction }: Shown): Tone {
  if (status === 'disconnected' && last_error === null) return 'idle';
  return status === 'connected' && restriction ? 'act' : TONES[status];
}

export function toneOfStatus(status: Status | null): Tone {
  return status === null ? 'idle' : TONES[status];
}

/** Sorts numbers by status, those that need attention first, and then by name. */
export function byUrgency(a: InstanceResource, b: InstanceResource): number {
  const rank = (instance: InstanceResource): number =>
    toneOf(instance) === 'idle' ? STATUSES.length - 1.5 : STATUSES.indexOf(instance.status);
  return rank(a) - rank(b) || a.name.localeCompare(b.name);
}

/** Counts the numbers that are down (`bad`), need a person (`act`), or are connecting (`busy`). */
export function countTroubles(numbers: readonly Shown[]): Readonly<Record<'bad' | 'act' | 'busy', number>> {
  const count = (tone: Tone): number => numbers.filter((number) => toneOf(number) === tone).length;
  return { bad: count('bad'), act: count('act'), busy: count('busy') };
}

/**
 * Whether the number needs attention or is connecting. New numbers, and those disconnected on purpose, do not count.
 */
export function isTrouble(instance: InstanceResource): boolean {
  return !['good', 'idle'].includes(toneOf(instance));
}
