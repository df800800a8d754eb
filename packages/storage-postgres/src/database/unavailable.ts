import { explainUnavailable } from '@trunkline/core/spi/storage';
import { TransactionConflict } from './database.ts';
import { sqlState } from './pool.ts';
import { reasonFor } from './reasons.ts';

/** Makes a store reject with an `UnavailableError` if PostgreSQL cannot do something now that it may do later. */
export function explained<Store extends object>(store: Store): Store {
  return explainUnavailable(store, whyUnavailable);
}

export function cannotBeUsed(error: unknown): Error {
  const why = whyUnavailable(error) ?? (error instanceof Error ? error.message : String(error));
  return new Error(`The PostgreSQL database cannot be used: ${why}`, { cause: error });
}

function whyUnavailable(error: unknown): string | null {
  if (error instanceof TransactionConflict) return error.message;
  const state = sqlState(error);
  if (state === undefined) return null;
  return reasonFor(state);
}
