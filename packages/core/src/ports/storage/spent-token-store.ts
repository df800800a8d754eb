/**
 * The sealed tokens (links and cookies) that ended early. Tokens are not stored when they are given out; one that ends
 * early is, until it would have expired.
 */
export interface SpentTokenStore {
  /**
   * Ends a token, whose id has at most 100 characters. True only for the first call, even among concurrent ones. It
   * stays ended until `until` (epoch milliseconds) at least.
   */
  spend(id: string, until: number): Promise<boolean>;
  isSpent(id: string): Promise<boolean>;
  /** Deletes tokens that were to be kept until before `before`, at most `limit`. Returns how many. */
  deleteExpired(before: number, limit: number): Promise<number>;
}
