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
 * Removes a restriction that has ended. The stored instance may still have it, for example while no process holds the
 * instance.
 */
export function withoutEndedRestriction(instance: Instance, now: number): Instance {
  const endsAt = restrictionEndsAt(instance);
  return endsAt !== null && now >= endsAt ? withoutRestriction(instance) : instance;
}

/** Removes the restriction, and `lastError` if that is the restriction's code and the status is not `error`. */
export function withoutRestriction(instance: Instance): Instance {
  const { restriction, lastError, status } = instance;
  const isError = status === 'error' || lastError !== restriction?.code;
  return { ...instance, restriction: null, lastError: isError ? lastError : null };
}
