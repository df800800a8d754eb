import knex from 'knex';
import type { Pool } from 'pg';
import { inTransaction } from './in-transaction.ts';
import type { Api, Order } from './order.ts';

/** Has no connection: each query is given the client of its transaction. */
const db = knex({ client: 'pg' });

export async function placeOrder(pool: Pool, api: Api, { id, item, phone, instance }: Order): Promise<void> {
  await inTransaction(pool, async (client) => {
    await db('orders').connection(client).insert({ id, item });
    const message = { instance, to: phone, type: 'text', text: `On its way: ${item}` } as const;
    await api.messages.send(message, { transaction: client, idempotencyKey: id });
  });
}
