/**
 * Sealed tokens (links and cookies) that were spent, which means used up or revoked, before they expired. A token is
 * not stored when it is given out, but when it is spent, until it would have expired.
 */
export interface SpentTokenStore {
  /**
   * Spends a token, whose id has at most 100 characters. True only for the first call, even among concurrent calls. The
   * token stays spent at least until `until` (epoch milliseconds).
   */
  spend(id: string, until: number): Promise<boolean>;
  isSpent(id: string): Promise<boolean>;
  /** Deletes tokens whose `until` is before `before`, at most `limit`. Returns how many. */
  deleteExpired(before: number, limit: number): Promise<number>;
}
