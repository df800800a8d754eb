import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { CompiledQuery } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from './in-transaction.ts';
import type { Api, Order } from './order.ts';

interface Tables {
  orders: { id: string; item: string };
}

/** Only builds queries. The client of the transaction runs them. */
const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export async function placeOrder(pool: Pool, api: Api, { id, item, phone, instance }: Order): Promise<void> {
  await inTransaction(pool, async (client) => {
    await run(client, db.insertInto('orders').values({ id, item }).compile());
    const message = { instance, to: phone, type: 'text', text: `On its way: ${item}` } as const;
    await api.messages.send(message, { transaction: client, idempotencyKey: id });
  });
}

async function run(client: PoolClient, { sql, parameters }: CompiledQuery): Promise<void> {
  await client.query(sql, [...parameters]);
}
