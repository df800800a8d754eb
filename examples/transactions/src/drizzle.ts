import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import type { Pool } from 'pg';
import { inTransaction } from './in-transaction.ts';
import type { Api, Order } from './order.ts';

const orders = pgTable('orders', { id: text().primaryKey(), item: text().notNull() });

export async function placeOrder(pool: Pool, api: Api, { id, item, phone, instance }: Order): Promise<void> {
  await inTransaction(pool, async (client) => {
    await drizzle(client).insert(orders).values({ id, item });
    const message = { instance, to: phone, type: 'text', text: `On its way: ${item}` } as const;
    await api.messages.send(message, { transaction: client, idempotencyKey: id });
  });
}
