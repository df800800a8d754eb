export interface RetentionStore {
  /**
   * Deletes rows made before `before`, by the time in the ids of deliveries and events: deliveries with their attempts,
   * the events that subscriptions have queued or kept, and events; open ones too. Then the URLs of endpoints that were
   * deleted before `before` and have no delivery left. Deletes at most `limit` rows together, in this order; whole days are deleted in one step and do not count. Rows made on the day (UTC) of
   * `before` may stay, and events a day longer: readers apply their own limit. Returns the number of rows: less than
   * `limit` means that no more can be deleted now. An event stays while one of its deliveries does, or while it is in
   * the queue of a subscription.
   */
  deleteHistory(before: number, limit: number): Promise<number>;
  /** Deletes idempotency records made before `before`, at most `limit`. Returns how many. */
  deleteIdempotencyRecords(before: number, limit: number): Promise<number>;
  /** Deletes entries of the history of instances that were made before `before`, at most `limit`. Returns how many. */
  deleteInstanceHistory(before: number, limit: number): Promise<number>;
}
