export interface RetentionStore {
  /**
   * Deletes events, deliveries and attempts made before `before` (by their ids' time), open ones too: at most `limit`
   * deliveries and events together, deliveries first. Answers how many: less than `limit` means that none is left.
   * An event stays while a delivery of it does.
   */
  deleteHistory(before: number, limit: number): Promise<number>;
  /** Deletes idempotency records made before `before`, at most `limit`. Answers how many. */
  deleteIdempotencyRecords(before: number, limit: number): Promise<number>;
}
