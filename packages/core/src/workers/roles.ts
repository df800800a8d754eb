/** What a process does; all of it unless told otherwise. */
export interface Roles {
  /** Serves requests. */
  readonly api: boolean;
  /** Holds connections to the messaging network and sends messages. */
  readonly gateway: boolean;
  /** Sends webhooks. */
  readonly webhooks: boolean;
  /** Watches failing endpoints and deletes what is older than its retention. */
  readonly maintenance: boolean;
}
