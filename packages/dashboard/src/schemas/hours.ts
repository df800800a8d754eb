/** How many messages were sent and received in an hour. */
export interface HourResource {
  readonly from: string;
  /** Counted up to 1,000. */
  readonly messages: number;
}
