import type { CallStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/database.ts';
import { id as idOf, integer, word, wordOrNull } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function callStore(connected: Connected): CallStore {
  return {
    add: async ({ id, instanceId, request, expiresAt }, { now, limit }) => {
      const database = connected();
      const [uuid, instance] = [uuidOf('opr', id), uuidOf('ins', instanceId)];
      const added = await database.run(ADD, uuid, instance, request, expiresAt, now, limit);
      if (added === 0) return false;
      database.publish([{ topic: 'call', instanceId }]);
      return true;
    },
    list: async (instanceIds, now, limit) => {
      const uuids = instanceIds.flatMap((id) => uuidToFind('ins', id) ?? []);
      return (await connected().all(LIST, uuids, now, limit)).map((row) => ({
        id: idOf(row, 'id', 'opr'),
        instanceId: idOf(row, 'instance_id', 'ins'),
        request: word(row, 'request'),
        expiresAt: integer(row, 'expires_at'),
      }));
    },
    take: async (id) => (await connected().run(TAKE, uuidToFind('opr', id))) === 1,
    respond: async (id, response) => {
      const database = connected();
      const row = await database.get(RESPOND, response, uuidToFind('opr', id));
      if (row) database.publish([{ topic: 'call', instanceId: idOf(row, 'instance_id', 'ins') }]);
    },
    findResponse: async (id) => {
      const row = await connected().get(FIND_RESPONSE, uuidToFind('opr', id));
      return row ? wordOrNull(row, 'response') : null;
    },
    remove: async (id) => {
      await connected().run(REMOVE, uuidToFind('opr', id));
    },
    deleteExpired: (before, limit) => connected().run(DELETE_EXPIRED, before, limit),
  };
}

// The statements rely on calls_by_instance and calls_by_end.

const ADD = `
  INSERT INTO trunkline.calls (id, instance_id, request, expires_at)
  SELECT $1::uuid, $2::uuid, $3, $4::bigint
  WHERE (SELECT count(*) FROM trunkline.calls WHERE instance_id = $2::uuid AND expires_at > $5) < $6`;

const LIST = `
  SELECT id, instance_id, request, expires_at FROM trunkline.calls
  WHERE instance_id = ANY ($1::uuid[]) AND expires_at > $2 AND NOT is_taken
  LIMIT $3`;

const TAKE = 'UPDATE trunkline.calls SET is_taken = true WHERE id = $1 AND NOT is_taken';

const RESPOND = 'UPDATE trunkline.calls SET response = $1 WHERE id = $2 RETURNING instance_id';

const FIND_RESPONSE = 'SELECT response FROM trunkline.calls WHERE id = $1';

const REMOVE = 'DELETE FROM trunkline.calls WHERE id = $1';

const DELETE_EXPIRED = `
  DELETE FROM trunkline.calls
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM trunkline.calls WHERE expires_at < $1 ORDER BY expires_at LIMIT $2
  ))`;
