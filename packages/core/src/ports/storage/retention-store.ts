export interface RetentionStore {
  /**
   * Deletes deliveries with their attempts, what subscriptions have queued or kept, and events, made before `before` (by
   * the time in the ids of deliveries and events), open ones too: at most `limit` together, in this order, and whole days
   * in one step, which do not count. What was made on the day (UTC) of `before` may stay, events a day longer: readers
   * are cut off by their own floor. Returns how many: less than `limit` means that none is left that could be deleted
   * just now. An event stays while a delivery of it does, or a place in the queue of a subscription.
   */
  deleteHistory(before: number, limit: number): Promise<number>;
  /** Deletes idempotency records made before `before`, at most `limit`. Returns how many. */
  deleteIdempotencyRecords(before: number, limit: number): Promise<number>;
}
