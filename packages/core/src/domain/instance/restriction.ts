/** What the network forbids the number for now. */
export interface Restriction {
  /** Such as `cannot_start_chats` or `sending_capped`: lowercase words with underscores. */
  readonly code: string;
  /** When it ends, in epoch milliseconds; null if the network does not say it. */
  readonly until: number | null;
}

const CODE = /^[a-z][a-z0-9_]{0,63}$/;
/** The end of the year 9999. What lies after it has no timestamp. */
const LATEST = 253_402_300_799_999;

/** A restriction as a gateway reports it: what it says comes from the network. */
export function readRestriction({ code, until }: Restriction): Restriction {
  return { code: CODE.test(code) ? code : 'restricted', until: readEnd(until) };
}

/** When the network says that something ends, in epoch milliseconds; null if that is no time. */
export function readEnd(until: number | null | undefined): number | null {
  const isTime = Number.isSafeInteger(until) && (until ?? -1) >= 0 && (until ?? Infinity) <= LATEST;
  return isTime ? (until ?? null) : null;
}
