/** A call of an instance that is on its way to the process that holds the instance. */
export interface StoredCall {
  /** `opr_…` */
  readonly id: string;
  readonly instanceId: string;
  /** JSON. */
  readonly request: string;
  /** When the caller gives up, in epoch milliseconds. */
  readonly expiresAt: number;
}

/**
 * Calls of instances between the process that got the request and the process that holds the connection, if they
 * differ. A call is deleted with its response, or once its caller has given up, so that only open calls are stored.
 */
export interface CallStore {
  /**
   * Stores a call, unless its instance has `limit` calls that have not expired at `now`; then it returns false. Concurrent
   * calls may pass the limit together. Signals `call`.
   */
  add(call: StoredCall, options: { readonly now: number; readonly limit: number }): Promise<boolean>;
  /** The calls of these instances that are not taken and have not expired, at most `limit`. */
  list(instanceIds: readonly string[], now: number, limit: number): Promise<readonly StoredCall[]>;
  /** Takes a call. True only for the first of several, even if they are concurrent, and only while the call exists. */
  take(id: string): Promise<boolean>;
  /** Stores the response (JSON) of a taken call. Does nothing for an unknown one. Signals `call`. */
  respond(id: string, response: string): Promise<void>;
  /** The response of a call; null if there is none yet, or no such call. */
  findResponse(id: string): Promise<string | null>;
  /** Deletes a call in any state. */
  remove(id: string): Promise<void>;
  /** Deletes calls that expired before `before`, at most `limit`. Returns how many. */
  deleteExpired(before: number, limit: number): Promise<number>;
}
