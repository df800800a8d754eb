import { decideLookup, LOOKUP_KEPT_MS } from '@trunkline/core/spi/storage';
import type { CountedLookup, LookupStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import { flag, integer, text, textOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

export function lookupStore(connected: Connected): LookupStore {
  return {
    begin: async ({ workspaceId, instanceId }, request) => {
      const { database, write } = connected();
      return write(() => {
        const since = request.now - LOOKUP_KEPT_MS;
        const decision = decideLookup(database.all(COUNTED, instanceId, since).map(readCounted), request);
        if (decision.kind === 'begun')
          for (const number of decision.asked)
            database.run(COUNT, workspaceId, instanceId, number, request.now, since);
        return decision;
      });
    },
    finish: async (instanceId, results) => {
      const { database, write } = connected();
      const copy = [...results];
      await write(() => {
        for (const { number, isOnNetwork, registeredNumber } of copy)
          database.run(FINISH, Number(isOnNetwork), registeredNumber, instanceId, number);
      });
    },
    erase: async (workspaceId, numbers) => {
      const { database, write } = connected();
      const list = JSON.stringify(numbers);
      await write(() => database.run(ERASE, workspaceId, list, list));
    },
    deleteExpired: async (before, limit) => {
      const { database, write } = connected();
      return write(() => database.run(DELETE_EXPIRED, before, limit));
    },
  };
}

function readCounted(row: Row): CountedLookup {
  const number = text(row, 'number');
  const result = {
    number,
    isOnNetwork: row['is_on_network'] !== null && flag(row, 'is_on_network'),
    registeredNumber: textOrNull(row, 'registered_number'),
  };
  return {
    number,
    times: integer(row, 'times'),
    askedAt: integer(row, 'asked_at'),
    result: row['is_on_network'] === null ? null : result,
  };
}

// The statements rely on the primary key, number_lookups_by_workspace and number_lookups_by_time.

const COUNTED = 'SELECT * FROM number_lookups WHERE instance_id = ? AND asked_at > ?';

const COUNT = `
  INSERT INTO number_lookups (workspace_id, instance_id, number, asked_at, times) VALUES (?, ?, ?, ?, 1)
  ON CONFLICT (instance_id, number) DO UPDATE
  SET times = CASE WHEN asked_at > ? THEN times + 1 ELSE 1 END, asked_at = excluded.asked_at,
    is_on_network = NULL, registered_number = NULL`;

const FINISH = `
  UPDATE number_lookups SET is_on_network = ?, registered_number = ? WHERE instance_id = ? AND number = ?`;

const ERASE = `
  DELETE FROM number_lookups
  WHERE workspace_id = ?
    AND (number IN (SELECT value FROM json_each(?)) OR registered_number IN (SELECT value FROM json_each(?)))`;

const DELETE_EXPIRED = `
  DELETE FROM number_lookups WHERE (instance_id, number) IN (
    SELECT instance_id, number FROM number_lookups WHERE asked_at < ? ORDER BY asked_at LIMIT ?
  )`;
