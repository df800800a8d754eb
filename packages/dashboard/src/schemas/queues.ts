/** The messages waiting to be sent by one number, including those that the network currently refuses. */
export interface QueueResource {
  readonly instance_id: string;
  /** Counted up to 1,000. */
  readonly queued: number;
  readonly oldest: { readonly message_id: string; readonly since: string } | null;
  /** The process that holds the number; null if none does at the moment. */
  readonly held_by: string | null;
}
