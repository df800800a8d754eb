import type { LookupDecision, LookupRequest, NumberLookup } from '../../domain/instance/number-lookup.ts';

/**
 * The numbers that instances have lately looked up on their networks, so that no number is asked about twice a day, and
 * not too many are.
 */
export interface LookupStore {
  /**
   * Decides from the lookups of the instance since `LOOKUP_KEPT_MS` before `now` (`decideLookup`), and counts the numbers
   * that the network is then asked about, in one transaction.
   */
  begin(
    of: { readonly workspaceId: string; readonly instanceId: string },
    request: LookupRequest,
  ): Promise<LookupDecision>;
  /** Stores the results of counted numbers. A number that is not counted is left out. */
  finish(instanceId: string, results: readonly NumberLookup[]): Promise<void>;
  /** Deletes the lookups of these numbers, asked about or registered, by all instances of the workspace. */
  erase(workspaceId: string, numbers: readonly string[]): Promise<void>;
  /** Deletes lookups made before `before`, at most `limit`. Returns how many. */
  deleteExpired(before: number, limit: number): Promise<number>;
}
