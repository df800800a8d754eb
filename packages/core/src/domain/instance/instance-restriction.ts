import type { Instance } from './instance.ts';

/** When the restriction of an instance ends; null if it has none, or the end is unknown. */
export function restrictionEndsAt({ restriction }: Pick<Instance, 'restriction'>): number | null {
  return restriction?.until ?? null;
}

/** Whether the instance cannot connect until its restriction ends, after which it connects again automatically. */
export function waitsForRestriction({ status, desired }: Pick<Instance, 'status' | 'desired'>): boolean {
  return status === 'error' && desired === 'running';
}

/**
 * The instance without a restriction that has ended, which may not be recorded yet, for example while no process holds
 * the instance.
 */
export function withoutEndedRestriction(instance: Instance, now: number): Instance {
  const endsAt = restrictionEndsAt(instance);
  return endsAt !== null && now >= endsAt ? withoutRestriction(instance) : instance;
}

/** The instance without its restriction, whose code is its `lastError` unless something else happened since. */
export function withoutRestriction(instance: Instance): Instance {
  const { restriction, lastError, status } = instance;
  const isError = status === 'error' || lastError !== restriction?.code;
  return { ...instance, restriction: null, lastError: isError ? lastError : null };
}
