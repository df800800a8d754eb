export interface QueryRate {
  readonly count: number;
  readonly everyMs: number;
}

export class QueryLimit {
  readonly #rate: QueryRate;
  readonly #names: ReadonlySet<string>;
  /** The times of allowed queries, by phone number, in milliseconds. */
  readonly #taken = new Map<string, readonly number[]>();

  constructor(rate: QueryRate, names: readonly string[]) {
    this.#rate = rate;
    this.#names = new Set(names);
  }

  /** Whether the number may send this query now; if so, the query counts. */
  take(phoneNumber: string, name: string, now: number): boolean {
    if (!this.#names.has(name)) return true;
    const { count, everyMs } = this.#rate;
    const taken = (this.#taken.get(phoneNumber) ?? []).filter((at) => now - at < everyMs);
    const isAllowed = taken.length < count;
    this.#taken.set(phoneNumber, isAllowed ? [...taken, now] : taken);
    return isAllowed;
  }
}
