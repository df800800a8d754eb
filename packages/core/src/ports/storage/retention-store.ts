export interface RetentionStore {
  /**
   * Deletes what is queued for deleted subscriptions. Then deletes rows created before `before`, by the time in the ids
   * of deliveries and events, including open rows: deliveries with their attempts, the events that subscriptions have
   * queued or kept, and events. Then deletes the URLs of endpoints that were deleted before `before` and have no
   * delivery left. Deletes at most `limit` rows in all, in this order; whole days are deleted in one step and do not
   * count. Rows created on the day (UTC) of `before` may stay, and events a day longer, because readers apply their own
   * limit. Returns the number of rows; fewer than `limit` means that no more can be deleted now. An event stays while
   * one of its deliveries stays, or while it is in the queue of a subscription.
   */
  deleteHistory(before: number, limit: number): Promise<number>;
  /** Deletes idempotency records created before `before`, at most `limit`. Returns how many. */
  deleteIdempotencyRecords(before: number, limit: number): Promise<number>;
  /**
   * Deletes entries of the history of instances that were created before `before`, at most `limit`. Returns how many.
   */
  deleteInstanceHistory(before: number, limit: number): Promise<number>;
}
