import pg from 'pg';
import { onTestFinished } from 'vitest';

/** A pool that counts the statements sent, and knows whether any of them still waits for its response. */
export interface CountingPool {
  readonly pool: pg.Pool;
  /** How often each statement was sent since the last call. */
  takeCounts(): ReadonlyMap<string, number>;
  /** Resolves when no response is due, not even to statements that other responses led to. */
  quiet(): Promise<void>;
}

/** The number of turns of the event loop within which a response leads to the next statement. */
const ROUNDS = 5;

export function countingPool(connectionString: string): CountingPool {
  const pool = new pg.Pool({ connectionString, max: 5 });
  let counts = new Map<string, number>();
  let pending = 0;
  const noted = async <Result>(response: Promise<Result>): Promise<Result> => {
    pending += 1;
    try {
      return await response;
    } finally {
      pending -= 1;
    }
  };
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (statement: { text: string }) => Promise<pg.QueryResult>; // as it is called here
    Reflect.set(client, 'query', (statement: { text: string }) => {
      const text = statement.text.replaceAll(/\s+/g, ' ').trim();
      counts.set(text, (counts.get(text) ?? 0) + 1);
      return noted(query(statement));
    });
  });
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>; // without a callback
  Reflect.set(pool, 'connect', () => noted(connect()));
  onTestFinished(() => pool.end());
  return {
    pool,
    takeCounts() {
      const taken = counts;
      counts = new Map();
      return taken;
    },
    async quiet() {
      for (let round = 0; round < ROUNDS; round += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        if (pending > 0) round = -1;
      }
    },
  };
}
