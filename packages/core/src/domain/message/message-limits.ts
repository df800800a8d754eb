/** Lengths in Unicode code points. */
export const TEXT_MAX = 4096;
export const CAPTION_MAX = 1024;
/** Messages of one instance that may be queued at once, unless configured otherwise. */
export const DEFAULT_SEND_BACKLOG = 1000;
/** What `Retry-After` says when the backlog is full: about what a queue needs to get shorter. Seconds. */
export const BACKLOG_RETRY_AFTER = 10;
