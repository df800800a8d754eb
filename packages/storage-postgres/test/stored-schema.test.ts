import { silentLogger } from '@trunkline/core';
import { newDatabase } from '@trunkline/test-postgres';
import { expect, it } from 'vitest';
import { postgresSchema } from '@trunkline/storage-postgres';
import { LATEST_VERSION } from '../src/database/migrate.ts';
import { openStorage, temporarySchema } from './support/open-storage.ts';
import type { TestSchema } from './support/test-schema.ts';

const schemaOf = ({ url: connectionString, name: schema }: Pick<TestSchema, 'url' | 'name'>) =>
  postgresSchema({ connectionString, schema }, { logger: silentLogger });

it('is 0 in a database that has nothing of Trunkline, and stays so', async () => {
  const { url } = await newDatabase();
  const nothing = { version: 0, latest: LATEST_VERSION };
  expect(await schemaOf({ url, name: 'trunkline' })).toEqual(nothing);
  expect(await schemaOf({ url, name: 'trunkline' })).toEqual(nothing);
});

it('is that of the last migration', async () => {
  const schema = await temporarySchema();
  await openStorage(schema);
  expect(await schemaOf(schema)).toEqual({ version: LATEST_VERSION, latest: LATEST_VERSION });
});

it('a schema of a newer version or another program, or a server that does not respond, is a clear error', async () => {
  const schema = await temporarySchema();
  await schema.pool.query(`CREATE SCHEMA ${schema.name}; CREATE TABLE ${schema.name}.diary (day date)`);
  await expect(schemaOf(schema)).rejects.toThrow(
    `The PostgreSQL database cannot be used: the schema ${schema.name} holds something that is not Trunkline's.`,
  );
  const newer = await temporarySchema();
  await openStorage(newer);
  await newer.pool.query(`INSERT INTO ${newer.name}.schema_versions (version) VALUES (1000)`);
  await expect(schemaOf(newer)).rejects.toThrow('made by a newer version of Trunkline (schema 1000;');
  await expect(schemaOf({ ...newer, url: 'postgres://127.0.0.1:1/db' })).rejects.toThrow('ECONNREFUSED');
});
