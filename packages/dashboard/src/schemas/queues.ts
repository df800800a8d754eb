/** The messages waiting to be sent by one number, including those that the network does not accept for now. */
export interface QueueResource {
  readonly instance_id: string;
  /** Counted up to 1,000. */
  readonly queued: number;
  readonly oldest: { readonly message_id: string; readonly since: string } | null;
  /** The process that holds the number; null if no process does at this moment. */
  readonly held_by: string | null;
}
