import type { HttpConnection } from './http-connection.ts';
import type { Target } from './target.ts';

/**
 * Idle connections, for reuse. A connection is found by origin *and* address, so that after a change of DNS
 * no request uses a connection to an address that was not checked for that request.
 */
export class KeptConnections {
  readonly #limit: number;
  /** Connections, the longest idle first. */
  readonly #all = new Set<HttpConnection>();
  /** Each list ends with the most recently used connection. Lists are never empty. */
  readonly #byOrigin = new Map<string, HttpConnection[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Removes and returns an open connection to one of the target's addresses. */
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

  /** Adds a connection. Over the limit, closes the connection that has been idle longest. */
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
