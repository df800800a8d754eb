/**
 * Tokens that are given out and not stored, since they are sealed: links and cookies. What is stored is which of them ended
 * before their time, for as long as they would otherwise hold.
 */
export interface SpentTokenStore {
  /**
   * Ends a token, whose id has at most 100 characters. True for the first call alone, also of those that come
   * concurrently. It stays ended until `until` (epoch milliseconds) at least.
   */
  spend(id: string, until: number): Promise<boolean>;
  isSpent(id: string): Promise<boolean>;
  /** Deletes what was to be kept until before `before`, at most `limit`. Returns how many. */
  deleteExpired(before: number, limit: number): Promise<number>;
}
