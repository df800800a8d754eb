import type { HttpConnection } from './http-connection.ts';
import type { Target } from './target.ts';

/**
 * Idle connections, to be used again. They are found by origin *and* address, so that after a change of DNS no request
 * leaves on a connection to an address that was not judged for it.
 */
export class KeptConnections {
  readonly #limit: number;
  /** The one that has been idle longest comes first. */
  readonly #all = new Set<HttpConnection>();
  /** Each list ends with the one used last. Lists are never empty. */
  readonly #byPlace = new Map<string, HttpConnection[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A connection to one of the target's addresses that is still open. It is the caller's until it is kept again. */
  take({ url, addresses }: Target): HttpConnection | undefined {
    for (const address of addresses) {
      const place = placeOf({ origin: url.origin, address });
      for (;;) {
        const connection = this.#byPlace.get(place)?.at(-1);
        if (connection === undefined) break;
        this.forget(connection);
        if (connection.reusable) return connection;
      }
    }
    return undefined;
  }

  /** Closes the one that has been idle longest when there are more than the limit. */
  keep(connection: HttpConnection): void {
    const place = placeOf(connection);
    const beside = this.#byPlace.get(place);
    if (beside === undefined) this.#byPlace.set(place, [connection]);
    else beside.push(connection);
    this.#all.add(connection);

    if (this.#all.size <= this.#limit) return;
    const [oldest] = this.#all;
    if (oldest === undefined) return;
    this.forget(oldest);
    oldest.destroy();
  }

  forget(connection: HttpConnection): void {
    if (!this.#all.delete(connection)) return;
    const place = placeOf(connection);
    const beside = this.#byPlace.get(place) ?? [];
    beside.splice(beside.indexOf(connection), 1);
    if (beside.length === 0) this.#byPlace.delete(place);
  }
}

function placeOf({ origin, address }: Pick<HttpConnection, 'origin' | 'address'>): string {
  return `${origin} ${address}`;
}
