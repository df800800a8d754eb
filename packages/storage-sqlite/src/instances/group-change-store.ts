import { GROUP_CHANGE_KEPT_MS, limitGroupChange } from '@trunkline/core/spi/storage';
import type { GroupChangeStore, RememberedGroupChange } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { integer, text, textOrNull } from '../rows/row.ts';

export function groupChangeStore(connected: Connected): GroupChangeStore {
  return {
    begin: async ({ id, workspaceId, instanceId, now, newPeople, key }, limits) => {
      const { database, write } = connected();
      const { key: idempotencyKey = null, fingerprint = null } = key ?? {};
      return write(() => {
        const since = now - GROUP_CHANGE_KEPT_MS;
        const known =
          idempotencyKey === null ? null : findByKey(database, workspaceId, idempotencyKey, since);
        if (known) return { kind: 'known', change: known } as const;
        const counted = database
          .all(COUNTED, instanceId, since)
          .map((row) => ({ begunAt: integer(row, 'begun_at'), newPeople: integer(row, 'new_people') }));
        const limit = limitGroupChange(counted, { newPeople, now, limits });
        if (limit.kind === 'limited') return limit;
        if (idempotencyKey !== null) database.run(FORGET_KEY, idempotencyKey, workspaceId);
        database.insert('group_changes', {
          id,
          workspace_id: workspaceId,
          instance_id: instanceId,
          begun_at: now,
          new_people: newPeople,
          idempotency_key: idempotencyKey,
          fingerprint,
        });
        return { kind: 'begun' } as const;
      });
    },
    finish: async (id, outcome) => {
      const { database, write } = connected();
      await write(() => (outcome === null ? database.run(FORGET, id) : database.run(FINISH, outcome, id)));
    },
    findByKey: async (workspaceId, key, since) => findByKey(connected().database, workspaceId, key, since),
    deleteExpired: async (before, limit) => {
      const { database, write } = connected();
      return write(() => database.run(DELETE_EXPIRED, before, limit));
    },
  };
}

function findByKey(
  database: Database,
  workspaceId: string,
  key: string,
  since: number,
): RememberedGroupChange | null {
  const row = database.get(FIND, key, workspaceId, since);
  return row
    ? {
        fingerprint: text(row, 'fingerprint'),
        begunAt: integer(row, 'begun_at'),
        outcome: textOrNull(row, 'outcome'),
      }
    : null;
}

// The statements rely on the primary key and the three indexes of group_changes.

const COUNTED = 'SELECT begun_at, new_people FROM group_changes WHERE instance_id = ? AND begun_at > ?';

const FIND = 'SELECT * FROM group_changes WHERE idempotency_key = ? AND workspace_id = ? AND begun_at > ?';

const FORGET_KEY =
  'UPDATE group_changes SET idempotency_key = NULL WHERE idempotency_key = ? AND workspace_id = ?';

const FORGET = 'UPDATE group_changes SET idempotency_key = NULL WHERE id = ?';

const FINISH = 'UPDATE group_changes SET outcome = ? WHERE id = ?';

const DELETE_EXPIRED = `
  DELETE FROM group_changes WHERE id IN (
    SELECT id FROM group_changes WHERE begun_at < ? ORDER BY begun_at LIMIT ?
  )`;
