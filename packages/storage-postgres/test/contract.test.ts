import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from 'pg';
import { describeStorageContract, startHolding } from '@trunkline/storage-contract';
import type { TestTransaction } from '@trunkline/storage-contract';
import { builtProgram } from '@trunkline/test-support/built-program';
import { must } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { postgresStorage } from '../src/index.ts';
import { uuidOf } from '../src/uuid.ts';
import { calledOperations } from './support/called-operations.ts';
import { storageContext } from './support/storage-context.ts';
import { nameSchema } from './support/test-schema.ts';
import type { TestSchema } from './support/test-schema.ts';

const HOLDING = pathToFileURL(
  await builtProgram(new URL('support/programs/hold-everything.ts', import.meta.url)),
);
const operations = calledOperations();
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
  randomRuns: isLongForm ? 10 : 3,
  cases: isLongForm ? 'all' : 'selection',
  capabilities: { reopen: true, shared: true, processes: true, transactions: true, damage: true },
  async createDatabase() {
    const { url: connectionString, name, pool, empty } = must(schema);
    return {
      beginTransaction: async () => beginTransaction(connectionString),
      connect() {
        // To open connections, and one that listens, costs more than most cases do.
        const storage = isLongForm
          ? postgresStorage({ connectionString, schema: name, maxConnections: 4 })
          : postgresStorage({ pool, schema: name, notifications: false });
        return isRandomCase() ? storage : operations.watch(storage);
      },
      startHolding: () => startHolding(HOLDING, connectionString, name),
      async deleteEvent(id) {
        await pool.query(`DELETE FROM "${name}".events WHERE id = $1`, [uuidOf('evt', id)]);
      },
      dispose: empty,
    };
  },
});

// If it fails for a new operation, a case that calls it is to be registered with `itAlways`.
it('the contract, or a selection of it, calls every operation of the PostgreSQL storage but one that has a test of its own', () => {
  expect(operations.missing()).toEqual(['serverTime']);
});

/** Random steps call some operations in some runs only. */
function isRandomCase(): boolean {
  return expect.getState().currentTestName?.includes('random steps') ?? false;
}

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
