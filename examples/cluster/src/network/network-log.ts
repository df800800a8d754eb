import type { Clock, SendOutcome } from '@trunkline/core/spi/gateway';
import type { NetworkRecord } from '@trunkline/core/sandbox';

/** Oldest first. Times are epoch milliseconds of the network's clock. */
export interface NetworkLog {
  /** Events of the network, such as accepted messages, messages of phones, and stored receipts. */
  readonly records: readonly LoggedRecord[];
  /** Every request to send, with its outcome; includes repeats. */
  readonly sends: readonly LoggedSend[];
  readonly connections: readonly LoggedConnection[];
  /** When a second connection of an instance ended its first. */
  readonly replaced: readonly { readonly at: number; readonly first: number; readonly second: number }[];
}

type LoggedRecord = NetworkRecord & { readonly at: number };

interface LoggedSend {
  readonly at: number;
  readonly connection: number;
  readonly instanceId: string;
  readonly networkId: string;
  readonly to: string;
  readonly outcome: SendOutcome['kind'];
}

interface LoggedConnection {
  readonly id: number;
  readonly instanceId: string;
  /** The process at the other end. */
  readonly owner: string;
  readonly openedAt: number;
  /** When the process confirmed that it had stored the instance as connected; null if it never did. */
  readonly connectedAt: number | null;
  readonly closedAt: number | null;
}

const KEPT = 200_000;

export interface NetworkLogWriter {
  read(): NetworkLog;
  record(record: NetworkRecord): void;
  send(send: Omit<LoggedSend, 'at'>): void;
  /**
   * Records a connection. Returns its number, and functions to call when it is connected and when it has ended.
   * Repeated calls do nothing.
   */
  opened(connection: { instanceId: string; owner: string }): {
    readonly id: number;
    connected(): void;
    closed(): void;
  };
  replaced(first: number, second: number): void;
}

export function createNetworkLog(clock: Clock): NetworkLogWriter {
  const records: LoggedRecord[] = [];
  const sends: LoggedSend[] = [];
  const connections: { -readonly [Fact in keyof LoggedConnection]: LoggedConnection[Fact] }[] = [];
  const replaced: { at: number; first: number; second: number }[] = [];
  let lastId = 0;
  const keep = <Entry>(list: Entry[], entry: Entry): void => {
    list.push(entry);
    if (list.length > KEPT) list.shift();
  };
  return {
    read: () => ({ records, sends, connections, replaced }),
    record: (record) => keep(records, { ...record, at: clock.now() }),
    send: (send) => keep(sends, { ...send, at: clock.now() }),
    opened(facts) {
      lastId += 1;
      const connection: (typeof connections)[number] = {
        ...facts,
        id: lastId,
        openedAt: clock.now(),
        connectedAt: null,
        closedAt: null,
      };
      keep(connections, connection);
      return {
        id: lastId,
        connected() {
          connection.connectedAt ??= clock.now();
        },
        closed() {
          connection.closedAt ??= clock.now();
        },
      };
    },
    replaced: (first, second) => keep(replaced, { at: clock.now(), first, second }),
  };
}
