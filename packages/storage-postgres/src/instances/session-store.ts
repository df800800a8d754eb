import type { SessionStore } from '@trunkline/core/spi/storage';
import { createBatcher } from '../database/batcher.ts';
import { TransactionConflict } from '../database/database.ts';
import type { Connected, Transaction } from '../database/database.ts';
import { IN_TRANSACTION } from '../database/session.ts';
import { bytes, flag, text } from '../rows/row.ts';
import { encodeText, encodeTextOrNull } from '../rows/text-encoding.ts';
import { uuidToFind } from '../rows/uuid.ts';

export function sessionStore(connected: Connected): SessionStore {
  // A session may have hundreds of values, so batches are small.
  const loads = createBatcher<string, ReadonlyMap<string, Uint8Array>>({
    max: 20,
    inFlight: 2,
    async run(uuids) {
      const rows = await connected().all(LOAD, [...new Set(uuids)]);
      const sessions = Map.groupBy(rows, (row) => row['instance_id']);
      return uuids.map((uuid) => ({
        status: 'fulfilled',
        value: new Map(sessions.get(uuid)?.map((row) => [text(row, 'name'), bytes(row, 'value')])),
      }));
    },
  });
  return {
    load: async (instanceId) => {
      const database = connected();
      const uuid = uuidToFind('ins', instanceId);
      return uuid === null ? new Map() : database.track(loads.run(uuid));
    },
    read: async (instanceId, names) => {
      const database = connected();
      const uuid = uuidToFind('ins', instanceId);
      const rows = uuid === null ? [] : await database.all(READ, uuid, names.map(encodeText));
      return new Map(rows.map((row) => [text(row, 'name'), bytes(row, 'value')]));
    },
    names: async (instanceId, { prefix, after, limit }) => {
      const database = connected();
      const uuid = uuidToFind('ins', instanceId);
      if (uuid === null) return [];
      const rows = await database.all(NAMES, uuid, encodeText(prefix), encodeTextOrNull(after), limit);
      return rows.map((row) => text(row, 'name'));
    },
    save: async (lease, changes) => {
      // Sorted by name, so that concurrent saves cannot deadlock. Copied before the first await, because the caller may
      // change the values later.
      const saved = [...changes]
        .map(([name, value]) => ({ name: encodeText(name), value: value && Buffer.from(value) }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const { instanceId, owner, epoch } = lease;
      // COMMIT waits for the result. If it were sent with the statement, a slow network could deliver both after the
      // caller has given up, and they would undo the saves of the next connection.
      return connected().transactionAtOnce(async ({ get }) => {
        const row = await get(
          SAVE,
          uuidToFind('ins', instanceId),
          saved.map(({ name }) => name),
          saved.map(({ value }) => value),
          encodeText(owner),
          epoch,
        );
        if (!row || !flag(row, 'is_begun')) throw new TransactionConflict();
        return flag(row, 'is_held') ? 'saved' : 'fenced';
      });
    },
    erase: async (instanceId, names) => {
      // Sorted by name, like saves.
      const erased = names.map(encodeText).toSorted();
      const values = erased.map(() => null);
      await connected().run(ERASE, uuidToFind('ins', instanceId), erased, values);
    },
    replace: async (instanceId, replacements) => {
      // Sorted by name, like saves.
      const replaced = [...replacements]
        .map(([name, { from, to }]) => ({
          name: encodeText(name),
          from: Buffer.from(from),
          to: Buffer.from(to),
        }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return connected().transaction(async (transaction) => {
        for (const { name, from, to } of replaced) {
          await transaction.run(REPLACE, uuidToFind('ins', instanceId), name, from, to);
        }
      });
    },
  };
}

export async function forgetSession(transaction: Transaction, instance: string): Promise<void> {
  await transaction.run('DELETE FROM trunkline.session_values WHERE instance_id = $1', instance);
}

const LOAD = `
  SELECT instance_id, name, value FROM trunkline.session_values WHERE instance_id = ANY ($1::uuid[])`;

const READ = `
  SELECT name, value FROM trunkline.session_values WHERE instance_id = $1 AND name = ANY ($2::text[])`;

// Reads in the order of the primary key, which depends on the collation of the database. Names with the same prefix
// need not be neighbours in it, so all names after the given one are checked, in the index only.
const NAMES = `
  SELECT name FROM trunkline.session_values
  WHERE instance_id = $1 AND ($3::text IS NULL OR name > $3) AND starts_with(name, $2)
  ORDER BY name LIMIT $4`;

// The lease is checked as by `isHeld`.
const SAVE = `
  WITH held AS MATERIALIZED (
    SELECT 1 FROM trunkline.instances
    WHERE id = $1 AND lease_owner = $4 AND lease_epoch = $5 AND ${IN_TRANSACTION}
    FOR SHARE
  ), change AS MATERIALIZED (
    SELECT name, value FROM unnest($2::text[], $3::bytea[]) AS change (name, value)
    WHERE EXISTS (SELECT FROM held)
  ), saved AS (
    INSERT INTO trunkline.session_values (instance_id, name, value)
    SELECT $1, name, value FROM change WHERE value IS NOT NULL
    ON CONFLICT (instance_id, name) DO UPDATE SET value = excluded.value
  ), erased AS (
    DELETE FROM trunkline.session_values
    USING change
    WHERE instance_id = $1 AND session_values.name = change.name AND change.value IS NULL
  )
  SELECT EXISTS (SELECT FROM held) AS is_held, ${IN_TRANSACTION} AS is_begun`;

const REPLACE = `
  UPDATE trunkline.session_values SET value = $4 WHERE instance_id = $1 AND name = $2 AND value = $3`;

const ERASE = `
  DELETE FROM trunkline.session_values
  USING unnest($2::text[], $3::bytea[]) AS saved (name, value)
  WHERE instance_id = $1 AND session_values.name = saved.name AND saved.value IS NULL`;
