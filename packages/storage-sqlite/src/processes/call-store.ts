import type { CallStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import { integer, text, textOrNull } from '../rows/row.ts';

export function callStore(connected: Connected): CallStore {
  return {
    add: async ({ id, instanceId, request, expiresAt }, { now, limit }) => {
      const { database, write } = connected();
      return write((announce) => {
        const isAdded = database.run(ADD, id, instanceId, request, expiresAt, instanceId, now, limit) === 1;
        if (isAdded) announce({ topic: 'call', instanceId });
        return isAdded;
      });
    },
    list: async (instanceIds, now, limit) =>
      connected()
        .database.all(LIST, JSON.stringify(instanceIds), now, limit)
        .map((row) => ({
          id: text(row, 'id'),
          instanceId: text(row, 'instance_id'),
          request: text(row, 'request'),
          expiresAt: integer(row, 'expires_at'),
        })),
    take: async (id) => {
      const { database, write } = connected();
      return write(() => database.run(TAKE, id) === 1);
    },
    respond: async (id, response) => {
      const { database, write } = connected();
      await write((announce) => {
        const row = database.get(RESPOND, response, id);
        if (row) announce({ topic: 'call', instanceId: text(row, 'instance_id') });
      });
    },
    findResponse: async (id) => {
      const row = connected().database.get('SELECT response FROM calls WHERE id = ?', id);
      return row ? textOrNull(row, 'response') : null;
    },
    remove: async (id) => {
      const { database, write } = connected();
      await write(() => database.run('DELETE FROM calls WHERE id = ?', id));
    },
    deleteExpired: async (before, limit) => {
      const { database, write } = connected();
      return write(() => database.run(DELETE_EXPIRED, before, limit));
    },
  };
}

// The statements rely on calls_by_instance and calls_by_end.

const ADD = `
  INSERT INTO calls (id, instance_id, request, expires_at)
  SELECT ?, ?, ?, ?
  WHERE (SELECT count(*) FROM calls WHERE instance_id = ? AND expires_at > ?) < ?`;

const LIST = `
  SELECT calls.* FROM json_each(?)
  CROSS JOIN calls ON calls.instance_id = json_each.value
  WHERE calls.expires_at > ? AND calls.is_taken = 0
  LIMIT ?`;

const TAKE = 'UPDATE calls SET is_taken = 1 WHERE id = ? AND is_taken = 0';

const RESPOND = 'UPDATE calls SET response = ? WHERE id = ? RETURNING instance_id';

const DELETE_EXPIRED = `
  DELETE FROM calls WHERE id IN (SELECT id FROM calls WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`;
