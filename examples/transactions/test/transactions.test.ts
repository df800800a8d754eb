import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import type { Trunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { postgresStorage } from '@trunkline/storage-postgres';
import type { PostgresTransaction } from '@trunkline/storage-postgres';
import { sharedPostgres } from '@trunkline/test-postgres';
import { eventually } from '@trunkline/test-support';
import * as drizzle from '../src/drizzle.ts';
import * as knex from '../src/knex.ts';
import * as kysely from '../src/kysely.ts';
import type { Api } from '../src/order.ts';

const WAYS = Object.entries({ drizzle, knex, kysely });

let pool: Pool;
let trunkline: Trunkline<PostgresTransaction>;
let api: Api;
let instance = '';
const schema = `test_${randomUUID().slice(0, 8)}`;

beforeAll(async () => {
  const connectionString = await sharedPostgres();
  pool = new Pool({ connectionString, options: `-c search_path=${schema}`, max: 1 });
  const { gateway } = createSandbox({ scansQrs: true });
  const storage = postgresStorage({ connectionString, schema });
  trunkline = createTrunkline({ ...nodeRuntime(), storage, gateways: [gateway], secretKey: 'x'.repeat(32) });
  await trunkline.start();
  // A second order of an item fails only at the COMMIT, after its message was added to the transaction.
  await pool.query(
    'CREATE TABLE orders (id text PRIMARY KEY, item text NOT NULL UNIQUE DEFERRABLE INITIALLY DEFERRED)',
  );
  api = trunkline.workspace((await trunkline.admin.workspaces.create({ name: 'Acme' })).id);
  instance = (await api.instances.create({ name: 'Orders' })).id;
  await api.instances.connect(instance);
  await eventually(async () => expect((await api.instances.get(instance)).status).toBe('connected'));
});
afterAll(async () => {
  await trunkline.stop();
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

/** Counts the orders with an id, and the messages about an item. */
async function stored(id: string, item: string): Promise<{ orders: number; messages: number }> {
  const { rowCount } = await pool.query('SELECT FROM orders WHERE id = $1', [id]);
  const { data } = await api.messages.list({ limit: 100 });
  return {
    orders: rowCount ?? 0,
    messages: data.filter(({ text }) => text === `On its way: ${item}`).length,
  };
}

describe.each(WAYS)('an order and its message in one transaction, by %s', (name, { placeOrder }) => {
  it('are both there after the commit, and the message is sent', async () => {
    const order = { id: `${name}-1`, item: `${name} shoes`, phone: '+1 555 0100', instance };
    await placeOrder(pool, api, order);
    expect(await stored(order.id, order.item)).toEqual({ orders: 1, messages: 1 });
    await eventually(async () => {
      const { data } = await api.messages.list({ limit: 100 });
      expect(data.find(({ text }) => text === `On its way: ${order.item}`)?.status).toBe('read');
    });
  });

  it('are neither there if the message is refused, or the commit fails', async () => {
    const refused = { id: `${name}-2`, item: `${name} hats`, phone: 'nobody', instance };
    await expect(placeOrder(pool, api, refused)).rejects.toMatchObject({ code: 'INVALID_RECIPIENT' });
    expect(await stored(refused.id, refused.item)).toEqual({ orders: 0, messages: 0 });

    const twice = { id: `${name}-3`, item: `${name} shoes`, phone: '+1 555 0100', instance };
    await expect(placeOrder(pool, api, twice)).rejects.toThrow(/unique constraint/);
    expect(await stored(twice.id, twice.item)).toEqual({ orders: 0, messages: 1 });
    expect([pool.idleCount, pool.totalCount]).toEqual([1, 1]); // no client is lost
  });
});

it('docs/embed/transactions.md shows the programs of the example', () => {
  const page = readFileSync(new URL('../../../docs/embed/transactions.md', import.meta.url), 'utf8');
  const shown = Array.from(page.matchAll(/^```tsx\n(.*?)^```$/gms), ([, code]) => code);
  const source = (name: string): string =>
    readFileSync(new URL(`../src/${name}.ts`, import.meta.url), 'utf8');
  const [prisma = ''] = shown.splice(-1); // run by prisma.test.ts
  expect(prisma).toContain('PrismaPg');
  expect(shown).toEqual(['in-transaction', 'order', 'drizzle', 'knex', 'kysely'].map(source));
});
