/**
 * How long counts over time take with DAYS of NUMBERS numbers: the reads that charts make, and a write of the counts of
 * all numbers, as every ten seconds. STORAGE is `sqlite` or `postgres`. REPEATS is how often each runs.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createTrunkline } from '@trunkline/core';
import type { TrafficQuery, Trunkline, WorkspaceApi } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { idToUuid } from '@trunkline/core/spi/storage';
import type { Storage, TrafficCounts } from '@trunkline/core/spi/storage';
import { Pool } from 'pg';
import { median, plain, printMachine, printTable, size, spread } from './figures.ts';
import { dropSchema, postgresUrl, providePostgres, schemaOf } from './postgres.ts';
import { STORAGES } from './storages.ts';
import { makeDirectory, removeDirectory } from './temporary-directory.ts';

const NUMBERS = size('NUMBERS', 1_000);
const DAYS = size('DAYS', 30);
const REPEATS = size('REPEATS', 20);
const STORAGE = process.env['STORAGE'] ?? 'sqlite';
if (STORAGE !== 'sqlite' && STORAGE !== 'postgres') throw new Error('STORAGE must be sqlite or postgres.');

const QUARTER_MS = 15 * 60_000;
const DAY_MS = 96 * QUARTER_MS;
const COUNTS: TrafficCounts = {
  received: 12,
  sent: 30,
  delivered: 29,
  read: 17,
  'failed:recipient_not_on_network': 1,
  'class:1': 8,
  'class:2': 20,
  'class:4': 2,
};

const postgres = STORAGE === 'postgres' ? await providePostgres() : null;
const directory = makeDirectory();
const storage: Storage = STORAGES[STORAGE](directory);
const trunkline: Trunkline = createTrunkline({
  ...nodeRuntime(),
  storage,
  gateways: [createSandbox().gateway],
  roles: { api: true, gateway: false, webhooks: false, maintenance: false },
  secretKey: 'a secret key of at least 32 characters',
});
await trunkline.start();
const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Bench' });
await trunkline.admin.workspaces.setPlan(workspaceId, { instanceLimit: null });
const api: WorkspaceApi = trunkline.workspace(workspaceId);
const ids: string[] = [];
for (let number = 0; number < NUMBERS; number += 1) ids.push((await api.instances.create()).id);

const now = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS;
const filled = performance.now();
await fill();
const fillSeconds = (performance.now() - filled) / 1000;

const rows: string[][] = [];
const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
const instances = (count: number): string => ids.slice(0, count).join(',');
const READS: Readonly<Record<string, TrafficQuery>> = {
  'the workspace, a day by quarters': {},
  'the workspace, 30 days by quarters': { from: ago(30) },
  'the workspace, 30 days by days': { from: ago(30), step: 'day' },
  'a number, 30 days by quarters': { from: ago(30), instance: instances(1) },
  'a hundred numbers, a day by quarters': { instance: instances(100) },
  'three numbers, 30 days by quarters': { from: ago(30), instance: instances(3) },
};
for (const [name, query] of Object.entries(READS)) {
  const { data } = await api.traffic.messages(query);
  const periods = data.reduce((sum, one) => sum + one.periods.length, 0);
  await measure(name, periods, () => api.traffic.messages(query));
}
const written = ids.map((id) => ({ kind: 'instance', id, quarter: now, counts: COUNTS }) as const);
await measure('a write of all numbers', written.length, () => storage.traffic.add(written));

await trunkline.stop();
if (postgres) await dropSchema(directory);
await postgres?.stop();
removeDirectory(directory);

printMachine();
printTable(
  `Counts of ${plain(DAYS)} days of ${plain(NUMBERS)} numbers, ${STORAGE} (filled in ${plain(fillSeconds)} s)`,
  ['', 'periods or rows', 'first, ms', 'ms'],
  rows,
);

async function measure(name: string, count: number, operation: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let repeat = 0; repeat <= REPEATS; repeat += 1) {
    const began = performance.now();
    await operation();
    times.push(performance.now() - began);
  }
  const [first = 0, ...others] = times;
  rows.push([name, plain(count), plain(first, 1), spread(others, 1)]);
  if (median(others) > 100) console.warn(`${name} takes more than 100 ms.`);
}

/** Fills every quarter of all numbers and of the workspace. */
async function fill(): Promise<void> {
  const quarters = (DAYS * DAY_MS) / QUARTER_MS;
  const counts = JSON.stringify(COUNTS);
  if (STORAGE === 'sqlite') {
    const database = new DatabaseSync(join(directory, 'trunkline.db'));
    for (const [kind, table] of [
      ['instance', 'instances'],
      ['workspace', 'workspaces'],
    ] as const)
      database
        .prepare(
          `WITH RECURSIVE quarters (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM quarters WHERE n < ? - 1)
           INSERT INTO ${kind}_traffic SELECT id, ? - n * ?, ? FROM ${table}, quarters ORDER BY id, n DESC`,
        )
        .run(quarters, now, QUARTER_MS, counts);
    database.close();
    return;
  }
  const pool = new Pool({ connectionString: postgresUrl(), max: 1 });
  const schema = schemaOf(directory);
  for (const [kind, uuids] of [
    ['instance', ids.map((id) => idToUuid('ins', id))],
    ['workspace', [idToUuid('ten', workspaceId)]],
  ] as const)
    await pool.query(
      `INSERT INTO ${schema}.${kind}_traffic
       SELECT id, $2::bigint - n * $3::bigint, $4 FROM unnest($1::uuid[]) AS id, generate_series(0, $5::int - 1) AS n`,
      [uuids, now, QUARTER_MS, counts, quarters],
    );
  await pool.query(`ANALYZE ${schema}.instance_traffic`);
  await pool.end();
}
