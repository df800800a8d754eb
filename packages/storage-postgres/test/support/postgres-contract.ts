import { pathToFileURL } from 'node:url';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { describeStorageContract, startHolding } from '@trunkline/storage-contract';
import type { ContractSubject, TestTransaction } from '@trunkline/storage-contract';
import { builtProgram } from '@trunkline/test-support/built-program';
import { must } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import type { Storage } from '@trunkline/core/spi/storage';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { postgresStorage } from '../../src/index.ts';
import type { PostgresTransaction } from '../../src/index.ts';
import { uuidOf } from '../../src/rows/uuid.ts';
import { storageContext } from './storage-context.ts';
import { nameSchema } from './test-schema.ts';
import type { TestSchema } from './test-schema.ts';

export interface PostgresContract {
  readonly name: string;
  /** Creates the role that connects; by default, the schema's superuser connects. */
  readonly role?: (schema: TestSchema) => Promise<{ readonly url: string; drop(): Promise<void> }>;
  /** The statement that begins a caller's transactions. */
  readonly begin?: string;
  /** The cases to run in the short form. */
  readonly short?: ContractSubject['cases'];
  readonly watch?: (storage: Storage<PostgresTransaction>) => Storage<PostgresTransaction>;
}

const HOLDING = pathToFileURL(await builtProgram(new URL('programs/hold-everything.ts', import.meta.url)));

export function describePostgresContract({
  name,
  role: makeRole = async ({ url }) => ({ url, drop: async () => {} }),
  begin = 'BEGIN',
  short = 'selection',
  watch = (storage) => storage,
}: PostgresContract): void {
  let shared: { schema: TestSchema; pool: Pool; url: string; end(): Promise<void> } | undefined;

  // The schema is created once, and emptied after each test.
  beforeAll(async () => {
    const schema = await nameSchema();
    const { url, drop } = await makeRole(schema);
    const pool = new Pool({ connectionString: url, max: 20, idleTimeoutMillis: 0 });
    pool.on('error', () => undefined); // a test may end its connections
    const end = async (): Promise<void> => {
      await pool.end();
      await schema.pool.query(`DROP SCHEMA IF EXISTS "${schema.name}" CASCADE`);
      await drop();
      await schema.drop();
    };
    shared = { schema, pool, url, end };
    const storage = postgresStorage({ pool, schema: schema.name });
    await storage.open(storageContext);
    await storage.close();
  });
  afterAll(() => shared?.end());

  describeStorageContract({
    name,
    randomRuns: isLongForm ? 10 : 2,
    reference: () => sqliteStorage({ path: ':memory:' }),
    cases: isLongForm ? 'all' : short,
    capabilities: { reopen: true, shared: true, processes: true, transactions: true, damage: true },
    async createDatabase() {
      const { schema, pool, url } = must(shared);
      return {
        beginTransaction: async () => beginTransaction(url, begin),
        connect() {
          // Opening connections, one of which listens, costs more than most cases do.
          const storage = isLongForm
            ? postgresStorage({ connectionString: url, schema: schema.name, maxConnections: 4 })
            : postgresStorage({ pool, schema: schema.name, notifications: false });
          return watch(storage);
        },
        startHolding: () => startHolding(HOLDING, url, schema.name),
        async deleteEvent(id) {
          await schema.pool.query(`DELETE FROM "${schema.name}".events WHERE id = $1`, [uuidOf('evt', id)]);
        },
        async deleteEndpoint(id) {
          await schema.pool.query(`DELETE FROM "${schema.name}".endpoints WHERE id = $1`, [uuidOf('wh', id)]);
        },
        dispose: () => schema.empty(),
      };
    },
  });
}

async function beginTransaction(connectionString: string, begin: string): Promise<TestTransaction> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(begin);
  let hasEnded = false;
  const end = async (how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
    if (hasEnded) return;
    hasEnded = true;
    await client.query(how);
    await client.end();
  };
  return { handle: client, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') };
}
