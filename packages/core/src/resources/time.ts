/** REST timestamps: ISO 8601 with milliseconds and a `+00:00` offset (specification, "Resources and their fields"). */
export function timestamp(time: number): string {
  if (time !== latest.time) latest = { time, text: `${new Date(time).toISOString().slice(0, -1)}+00:00` };
  return latest.text;
}

/**
 * The last formatted time, kept because the times of one resource, and of messages accepted together, are often
 * equal.
 */
let latest = { time: Number.NaN, text: '' };

export function timestampOrNull(time: number | null): string | null {
  return time === null ? null : timestamp(time);
}

/** Event times: UTC with microseconds and `Z` (specification, "Request the receiver gets"). */
export function eventTime(microseconds: number): string {
  const micros = String(microseconds % 1000).padStart(3, '0');
  return `${new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1)}${micros}Z`;
}
