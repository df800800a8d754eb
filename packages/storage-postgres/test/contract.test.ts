import { afterAll, beforeAll } from 'vitest';
import { Client } from 'pg';
import { describeStorageContract, startHolding } from '@trunkline/storage-contract';
import type { TestTransaction } from '@trunkline/storage-contract';
import { must } from '@trunkline/test-support';
import { postgresStorage } from '../src/index.ts';
import { uuidOf } from '../src/uuid.ts';
import { storageContext } from './support/storage-context.ts';
import { nameSchema } from './support/test-schema.ts';
import type { TestSchema } from './support/test-schema.ts';

const HOLDING = new URL('support/programs/hold-everything.ts', import.meta.url);
let schema: TestSchema | undefined;

// The schema is made once, and emptied after each test.
beforeAll(async () => {
  schema = await nameSchema();
  const storage = postgresStorage({ pool: schema.pool, schema: schema.name });
  await storage.open(storageContext);
  await storage.close();
});
afterAll(() => schema?.drop());

describeStorageContract({
  name: 'postgres',
  randomRuns: 10,
  capabilities: { reopen: true, shared: true, processes: true, transactions: true, damage: true },
  async createDatabase() {
    const { url: connectionString, name, pool, empty } = must(schema);
    return {
      beginTransaction: async () => beginTransaction(connectionString),
      connect: () => postgresStorage({ connectionString, schema: name, maxConnections: 4 }),
      startHolding: () => startHolding(HOLDING, connectionString, name),
      async deleteEvent(id) {
        await pool.query(`DELETE FROM "${name}".events WHERE id = $1`, [uuidOf('evt', id)]);
      },
      dispose: empty,
    };
  },
});

async function beginTransaction(connectionString: string): Promise<TestTransaction> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query('BEGIN');
  let hasEnded = false;
  const end = async (how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
    if (hasEnded) return;
    hasEnded = true;
    await client.query(how);
    await client.end();
  };
  return { handle: client, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') };
}
