import type { Companion, LinkedAccount } from '../directory/linked-account.ts';
import type { Connection } from './connection.ts';

export class Switchboard {
  readonly #connections = new Set<Connection>();

  add(connection: Connection): void {
    this.#connections.add(connection);
  }

  remove(connection: Connection): boolean {
    return this.#connections.delete(connection);
  }

  get all(): readonly Connection[] {
    return [...this.#connections];
  }

  ofCompanion(companion: Companion): Connection | undefined {
    return this.all.find((connection) => connection.companion === companion);
  }

  /** The oldest connection of the account's clients. Throws if there is none. */
  ofAccount(account: LinkedAccount): Connection {
    const connection = this.all.find(({ companion }) => companion?.account === account);
    if (connection === undefined) throw new Error(`${account.phoneNumber} is not connected`);
    return connection;
  }
}
