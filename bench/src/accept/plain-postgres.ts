import { idToUuid } from '@trunkline/core/spi/storage';
import { Pool } from 'pg';
import { postgresUrl, schemaOf } from '../postgres.ts';
import type { PlainMessage } from './plain-app.ts';
import type { PlainStore } from './plain-stores.ts';

/** Executes a prepared statement for each message, on a pool, as careful hand-written code does. */
export async function insertingEach(
  directory: string,
): Promise<{ readonly store: PlainStore; stop(): Promise<void> }> {
  const schema = schemaOf(directory);
  const pool = new Pool({ connectionString: postgresUrl(), max: 20 });
  await pool.query(`
    CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.messages (
      id uuid PRIMARY KEY, instance_id uuid NOT NULL, recipient text NOT NULL, text text NOT NULL,
      status text NOT NULL, created_at bigint NOT NULL
    );
    CREATE INDEX ON ${schema}.messages (instance_id, id) WHERE status = 'queued';
    CREATE TABLE ${schema}.idempotency (
      key text PRIMARY KEY, fingerprint text NOT NULL, message_id uuid NOT NULL, created_at bigint NOT NULL
    );`);
  const insert = `
    WITH remembered AS (
      INSERT INTO ${schema}.idempotency VALUES ($1, $2, $3, $4)
    )
    INSERT INTO ${schema}.messages VALUES ($3, $5, $6, $7, 'queued', $4)`;
  return {
    store: async (message) => {
      await pool.query({ name: 'insert', text: insert, values: valuesOf(message) });
    },
    stop: () => pool.end(),
  };
}

function valuesOf({ id, instanceId, to, text, createdAt, idempotencyKey, fingerprint }: PlainMessage) {
  return [idempotencyKey, fingerprint, idToUuid('msg', id), createdAt, idToUuid('ins', instanceId), to, text];
}
