/** Lengths in Unicode code points. */
export const DESCRIPTION_MAX = 255;
/** Names in `events` (specification, "Limits"). */
export const EVENTS_MAX = 20;
