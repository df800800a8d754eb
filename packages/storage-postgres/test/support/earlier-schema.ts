import { MIGRATIONS } from '../../src/migrations/migrate.ts';
import { qualify } from '../../src/statements.ts';
import type { TestSchema } from './test-schema.ts';

export interface EarlierSchema {
  run(sql: string, ...values: readonly unknown[]): Promise<unknown>;
  insert(table: string, row: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Makes the tables as they were at this version, with no rows. */
export async function makeEarlierSchema(schema: TestSchema, version: number): Promise<EarlierSchema> {
  const run: EarlierSchema['run'] = (sql, ...values) =>
    schema.pool.query(qualify(sql, schema.name), [...values]);
  await run(`CREATE SCHEMA ${schema.name}`);
  await run(
    `CREATE TABLE trunkline.schema_versions (
       version    integer PRIMARY KEY,
       applied_at timestamptz NOT NULL DEFAULT now(),
       id         uuid NOT NULL DEFAULT gen_random_uuid()
     )`,
  );
  for (const [index, migration] of MIGRATIONS.slice(0, version).entries()) {
    if (typeof migration !== 'string') throw new Error(`Schema ${version} is made in steps.`);
    await schema.pool.query(qualify(migration, schema.name));
    await run('INSERT INTO trunkline.schema_versions (version) VALUES ($1)', index + 1);
  }
  return {
    run,
    async insert(table, row) {
      const names = Object.keys(row);
      const places = names.map((_, index) => `$${index + 1}`);
      await run(
        `INSERT INTO trunkline.${table} (${names.join()}) VALUES (${places.join()})`,
        ...Object.values(row),
      );
    },
  };
}
