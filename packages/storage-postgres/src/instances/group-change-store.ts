import { GROUP_CHANGE_KEPT_MS, limitGroupChange } from '@trunkline/core/spi/storage';
import type { GroupChangeStore, RememberedGroupChange } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/database.ts';
import { integer, word, wordOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function groupChangeStore(connected: Connected): GroupChangeStore {
  return {
    begin: async ({ id, workspaceId, instanceId, now, newPeople, key }, limits) =>
      connected().transaction(async (transaction) => {
        const since = now - GROUP_CHANGE_KEPT_MS;
        const [workspace, instance] = [uuidOf('ten', workspaceId), uuidOf('ins', instanceId)];
        const find = async (): Promise<RememberedGroupChange | null> =>
          key && readChange(await transaction.get(FIND, key.key, workspace, since));
        await transaction.get(LOCK, instance);
        const known = await find();
        if (known) return { kind: 'known', change: known } as const;
        const counted = (await transaction.all(COUNTED, instance, since)).map((row) => ({
          begunAt: integer(row, 'begun_at'),
          newPeople: integer(row, 'new_people'),
        }));
        const limit = limitGroupChange(counted, { newPeople, now, limits });
        if (limit.kind === 'limited') return limit;
        if (key) await transaction.run(FORGET_KEY, key.key, workspace, since);
        const values = [uuidOf('opr', id), workspace, instance, now, newPeople] as const;
        const inserted = await transaction.run(INSERT, ...values, key?.key ?? null, key?.fingerprint ?? null);
        // Another instance may have begun a change with the same key concurrently.
        const other = inserted === 0 ? await find() : null;
        return other ? ({ kind: 'known', change: other } as const) : ({ kind: 'begun' } as const);
      }),
    finish: async (id, outcome) => {
      const change = uuidToFind('opr', id);
      await (outcome === null ? connected().run(FORGET, change) : connected().run(FINISH, change, outcome));
    },
    findByKey: async (workspaceId, key, since) =>
      readChange(await connected().get(FIND, key, uuidToFind('ten', workspaceId), since)),
    deleteExpired: async (before, limit) => connected().run(DELETE_EXPIRED, before, limit),
  };
}

function readChange(row: Row | undefined): RememberedGroupChange | null {
  return row
    ? {
        fingerprint: word(row, 'fingerprint'),
        begunAt: integer(row, 'begun_at'),
        outcome: wordOrNull(row, 'outcome'),
      }
    : null;
}

// The statements rely on the primary key and the three indexes of group_changes.

/** Changes of one instance are decided one after another. */
const LOCK = 'SELECT 1 FROM trunkline.instances WHERE id = $1 FOR NO KEY UPDATE';

const COUNTED = `
  SELECT begun_at, new_people FROM trunkline.group_changes WHERE instance_id = $1 AND begun_at > $2`;

const FIND = `
  SELECT * FROM trunkline.group_changes WHERE idempotency_key = $1 AND workspace_id = $2 AND begun_at > $3`;

const FORGET_KEY = `
  UPDATE trunkline.group_changes SET idempotency_key = NULL
  WHERE idempotency_key = $1 AND workspace_id = $2 AND begun_at <= $3`;

const INSERT = `
  INSERT INTO trunkline.group_changes
    (id, workspace_id, instance_id, begun_at, new_people, idempotency_key, fingerprint)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (idempotency_key, workspace_id) WHERE idempotency_key IS NOT NULL DO NOTHING`;

const FORGET = 'UPDATE trunkline.group_changes SET idempotency_key = NULL WHERE id = $1';

const FINISH = 'UPDATE trunkline.group_changes SET outcome = $2 WHERE id = $1';

const DELETE_EXPIRED = `
  DELETE FROM trunkline.group_changes
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM trunkline.group_changes WHERE begun_at < $1 ORDER BY begun_at LIMIT $2
  ))`;
