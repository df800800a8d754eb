import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileMediaStore } from '@trunkline/core/node';
import { s3MediaStore } from '@trunkline/media-s3';
import { postgresStorage } from '@trunkline/storage-postgres';
import { sharedPostgres } from '@trunkline/test-postgres';
import { startFakeS3 } from '@trunkline/test-support/fake-s3';
import { Client } from 'pg';
import { inMemory } from './surroundings.ts';
import type { Surround } from './surroundings.ts';

/** The storage is a schema that exists for one simulation, in the tests' PostgreSQL. */
export const onPostgres: Surround = async (clock) => {
  const connectionString = await sharedPostgres();
  const schema = `faults_${process.pid}`;
  const storage = postgresStorage({ connectionString, schema, notifications: false, maxConnections: 5 });
  return {
    ...(await inMemory(clock)),
    storage,
    async close() {
      await storage.close();
      const client = new Client({ connectionString });
      await client.connect();
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await client.end();
    },
  };
};

export const withFiles: Surround = async (clock) => {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-faults-'));
  return {
    ...(await inMemory(clock)),
    media: fileMediaStore({ directory }),
    close: async () => rmSync(directory, { recursive: true }),
  };
};

export const withS3: Surround = async (clock) => {
  const { endpoint, close } = await startFakeS3();
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
  return {
    ...(await inMemory(clock)),
    media: s3MediaStore({ endpoint, bucket: 'bucket', region: 'us-east-1', credentials }),
    close,
  };
};
