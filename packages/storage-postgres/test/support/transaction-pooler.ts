import { Client } from 'pg';
import type { PostgresPool } from '../../src/index.ts';

type Statement = Parameters<Awaited<ReturnType<PostgresPool['connect']>>['query']>[0];

export interface TransactionPooler {
  /** The pool of an app that connects through the pooler. */
  readonly pool: PostgresPool;
  /** For each transaction, in order, the connection to PostgreSQL that ran it. */
  readonly used: readonly Client[];
  end(): Promise<void>;
}

/**
 * Stands for PgBouncer in transaction mode, at its strictest: each transaction, and each statement outside of one, gets
 * the connection that was idle for the longest, and leaves no session state on it. A named statement is refused. With
 * `passesNames`, it is passed on, as PgBouncer before 1.21 does, and stays prepared on that connection, which other
 * clients use, too.
 */
export async function transactionPooler(
  connectionString: string,
  { passesNames = false }: { readonly passesNames?: boolean } = {},
): Promise<TransactionPooler> {
  const clients = [1, 2, 3].map(() => new Client({ connectionString }));
  await Promise.all(clients.map((client) => client.connect()));
  const idle = [...clients];
  const waiting: ((client: Client) => void)[] = [];
  const used: Client[] = [];

  const take = async (): Promise<Client> => {
    const client = idle.shift() ?? (await new Promise<Client>((resolve) => waiting.push(resolve)));
    used.push(client);
    return client;
  };
  const release = async (client: Client): Promise<void> => {
    if (!passesNames) await client.query('DISCARD ALL');
    const next = waiting.shift();
    if (next) next(client);
    else idle.push(client);
  };

  const connect = async () => {
    let held: Client | null = null;
    const query = async ({ name, text, values = [], ...rest }: Statement) => {
      if (name !== undefined && !passesNames) throw new Error(`A statement was to stay prepared: ${text}`);
      const client = (held ??= await take());
      forgetNames(client);
      try {
        return await client.query({
          ...(name !== undefined && { name }),
          text,
          values: [...values],
          ...rest,
        });
      } finally {
        if (client.getTransactionStatus() === 'I') {
          held = null;
          await release(client);
        }
      }
    };
    return { query, on() {}, removeListener() {}, release() {} };
  };
  return {
    pool: { connect, on() {}, removeListener() {} },
    used,
    end: async () => void (await Promise.all(clients.map((client) => client.end()))),
  };
}

/** Forgets the prepared statements, because the next client of a pooler does not know them. */
function forgetNames(client: Client): void {
  Reflect.set(Object(Reflect.get(client, 'connection')), 'parsedStatements', {});
}
