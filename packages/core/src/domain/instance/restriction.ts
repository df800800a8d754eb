/** A temporary restriction of the number by the network. */
export interface Restriction {
  /** Lowercase words with underscores, such as `cannot_start_chats` or `sending_capped`. */
  readonly code: string;
  /** When the restriction ends, in epoch milliseconds; null if the network does not say. */
  readonly until: number | null;
}

const CODE = /^[a-z][a-z0-9_]{0,63}$/;
/** The end of the year 9999, the last year that RFC 3339 can express. */
const LATEST = 253_402_300_799_999;

/** Reads an invalid code as `restricted`, and an invalid end as null. The values come from the network. */
export function readRestriction({ code, until }: Restriction): Restriction {
  return { code: CODE.test(code) ? code : 'restricted', until: readEnd(until) };
}

/** The end that the network reports, in epoch milliseconds; null if that is not a time. */
export function readEnd(until: number | null | undefined): number | null {
  const isTime = Number.isSafeInteger(until) && (until ?? -1) >= 0 && (until ?? Infinity) <= LATEST;
  return isTime ? (until ?? null) : null;
}
