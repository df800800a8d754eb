import type { HttpConnection } from './http-connection.ts';
import type { Target } from './target.ts';

/**
 * Idle connections, to be used again. One is found by its origin *and* its address, so that after a change of DNS no request
 * leaves on a connection to an address that was not checked for it.
 */
export class KeptConnections {
  readonly #limit: number;
  /** The one that has been idle longest comes first. */
  readonly #all = new Set<HttpConnection>();
  /** Each list ends with the one used last. Lists are never empty. */
  readonly #byOrigin = new Map<string, HttpConnection[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A connection to one of the target's addresses that is still open. It is the caller's until it is kept again. */
  take({ url, addresses }: Target): HttpConnection | undefined {
    for (;;) {
      const connection = this.#byOrigin
        .get(url.origin)
        ?.findLast(({ address }) => addresses.includes(address));
      if (connection === undefined) return undefined;
      this.forget(connection);
      if (connection.reusable) return connection;
    }
  }

  /** Closes the one that has been idle longest when there are more than the limit. */
  keep(connection: HttpConnection): void {
    const beside = this.#byOrigin.get(connection.origin);
    if (beside === undefined) this.#byOrigin.set(connection.origin, [connection]);
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
    const beside = this.#byOrigin.get(connection.origin) ?? [];
    beside.splice(beside.indexOf(connection), 1);
    if (beside.length === 0) this.#byOrigin.delete(connection.origin);
  }
}
