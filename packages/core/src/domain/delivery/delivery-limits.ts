const DAY = 24 * 60 * 60 * 1000;

/** Requests at once to one endpoint (specification, "Receiver response and delivery behaviour", 5). */
export const ENDPOINT_SLOTS = 2;
/** Starts of requests to one endpoint within a minute. */
export const ENDPOINT_STARTS_PER_MINUTE = 120;
/** The minute, and a second more: a request leaves after its claim, and the receiver counts arrivals. */
export const THROTTLE_WINDOW_MS = 61_000;
/** Claims in a row that may end without a word before one counts as a failed attempt, so that a delivery that kills its worker ends. */
export const MAX_LOST_CLAIMS = 5;
/** Events, deliveries and attempts are deleted after 30 days. */
export const RETENTION_MS: number = 30 * DAY;
/** Deliveries that one retry-failed call queues. */
export const RETRY_FAILED_BATCH = 100;
/** How far `remaining` of retry-failed counts: it answers "how much is left" without counting a history. */
export const RETRY_FAILED_COUNT_MAX = 1_000;
