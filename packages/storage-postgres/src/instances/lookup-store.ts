import { decideLookup, LOOKUP_KEPT_MS } from '@trunkline/core/spi/storage';
import type { CountedLookup, LookupStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/database.ts';
import { flag, integer, word, wordOrNull } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function lookupStore(connected: Connected): LookupStore {
  return {
    begin: async ({ workspaceId, instanceId }, request) =>
      connected().transaction(async (transaction) => {
        const since = request.now - LOOKUP_KEPT_MS;
        const instance = uuidOf('ins', instanceId);
        await transaction.get(LOCK, instance);
        const counted = (await transaction.all(COUNTED, instance, since)).map(readCounted);
        const decision = decideLookup(counted, request);
        if (decision.kind === 'begun' && decision.asked.length > 0)
          await transaction.run(
            COUNT,
            uuidOf('ten', workspaceId),
            instance,
            decision.asked,
            request.now,
            since,
          );
        return decision;
      }),
    finish: async (instanceId, results) => {
      const statement = [
        uuidToFind('ins', instanceId),
        results.map(({ number }) => number),
        results.map(({ isOnNetwork }) => isOnNetwork),
        results.map(({ registeredNumber }) => registeredNumber),
      ] as const;
      await connected().run(FINISH, ...statement);
    },
    erase: async (workspaceId, numbers) => {
      await connected().run(ERASE, uuidToFind('ten', workspaceId), numbers);
    },
    deleteExpired: async (before, limit) => connected().run(DELETE_EXPIRED, before, limit),
  };
}

function readCounted(row: Row): CountedLookup {
  const number = word(row, 'number');
  return {
    number,
    times: integer(row, 'times'),
    askedAt: integer(row, 'asked_at'),
    result:
      row['is_on_network'] === null
        ? null
        : {
            number,
            isOnNetwork: flag(row, 'is_on_network'),
            registeredNumber: wordOrNull(row, 'registered_number'),
          },
  };
}

// The statements rely on the primary key, number_lookups_by_workspace and number_lookups_by_time.

/** Lookups of one instance are decided one after another. */
const LOCK = 'SELECT 1 FROM trunkline.instances WHERE id = $1 FOR NO KEY UPDATE';

const COUNTED = 'SELECT * FROM trunkline.number_lookups WHERE instance_id = $1 AND asked_at > $2';

const COUNT = `
  INSERT INTO trunkline.number_lookups AS stored (workspace_id, instance_id, number, asked_at, times)
  SELECT $1, $2, number, $4, 1 FROM unnest($3::text[]) AS asked (number)
  ON CONFLICT (instance_id, number) DO UPDATE
  SET times = CASE WHEN stored.asked_at > $5 THEN stored.times + 1 ELSE 1 END, asked_at = excluded.asked_at,
    is_on_network = NULL, registered_number = NULL`;

const FINISH = `
  UPDATE trunkline.number_lookups SET is_on_network = found.is_on_network, registered_number = found.registered
  FROM unnest($2::text[], $3::boolean[], $4::text[]) AS found (number, is_on_network, registered)
  WHERE instance_id = $1 AND number_lookups.number = found.number`;

const ERASE = `
  DELETE FROM trunkline.number_lookups
  WHERE workspace_id = $1 AND (number = ANY ($2::text[]) OR registered_number = ANY ($2::text[]))`;

const DELETE_EXPIRED = `
  DELETE FROM trunkline.number_lookups
  WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM trunkline.number_lookups WHERE asked_at < $1 ORDER BY asked_at LIMIT $2
  ))`;
