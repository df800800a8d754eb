import { TRAFFIC_KINDS } from '@trunkline/core/spi/storage';
import type { TrafficKind, TrafficStore } from '@trunkline/core/spi/storage';
import type { Connected, Transaction } from '../database/database.ts';
import { id, integer, json } from '../rows/row.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

export function trafficStore(connected: Connected): TrafficStore {
  return {
    add: (rows) =>
      connected().transaction(async (transaction) => {
        for (const kind of TRAFFIC_KINDS) {
          const added = rows.filter((row) => row.kind === kind);
          if (added.length === 0) continue;
          await transaction.run(
            add(kind),
            added.map((row) => uuidOf(OBJECTS[kind].prefix, row.id)),
            added.map(({ quarter }) => quarter),
            added.map(({ counts }) => JSON.stringify(counts)),
          );
        }
      }),
    read: async (workspaceId, { kind, ids, from, to }) => {
      const { prefix } = OBJECTS[kind];
      const uuids = ids.map((one) => uuidToFind(prefix, one)).filter((uuid) => uuid !== null);
      const rows = await connected().all(read(kind), uuidToFind('ten', workspaceId), uuids, from, to);
      return rows.map((row) => ({
        kind,
        id: id(row, 'id', prefix),
        quarter: integer(row, 'quarter'),
        counts: json(row, 'counts'),
      }));
    },
    deleteBefore: async (before, limit) => {
      let deleted = 0;
      for (const kind of TRAFFIC_KINDS)
        if (deleted < limit) deleted += await connected().run(deleteBefore(kind), before, limit - deleted);
      return deleted;
    },
  };
}

/** Deletes all counts of an instance or a webhook. */
export async function deleteTraffic(
  transaction: Transaction,
  kind: 'instance' | 'webhook',
  uuid: string,
): Promise<void> {
  await transaction.run(`DELETE FROM trunkline.${kind}_traffic WHERE ${kind}_id = $1`, uuid);
}

// The statements rely on the primary keys of the tables of counts, and on their indexes by quarter.

const OBJECTS = {
  instance: { table: 'trunkline.instances', prefix: 'ins' },
  webhook: { table: 'trunkline.endpoints', prefix: 'wh' },
  workspace: { table: 'trunkline.workspaces', prefix: 'ten' },
} as const;

/** Locks rows in the order of their key, so that processes that add to the same rows cannot deadlock. */
function add(kind: TrafficKind): string {
  return `
    INSERT INTO trunkline.${kind}_traffic AS stored (${kind}_id, quarter, counts)
    SELECT id, quarter, counts FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS added (id, quarter, counts)
    WHERE EXISTS (SELECT 1 FROM ${OBJECTS[kind].table} AS object WHERE object.id = added.id)
    ORDER BY id, quarter
    ON CONFLICT (${kind}_id, quarter) DO UPDATE SET counts = (
      SELECT json_object_agg(name, count)::text FROM (
        SELECT name, sum(count::bigint) AS count FROM (
          SELECT key AS name, value AS count FROM json_each_text(stored.counts::json)
          UNION ALL SELECT key, value FROM json_each_text(excluded.counts::json)
        ) AS counted GROUP BY name
      ) AS summed
    )`;
}

function read(kind: TrafficKind): string {
  const workspace = kind === 'workspace' ? 'id' : 'workspace_id';
  return `
    SELECT traffic.${kind}_id AS id, quarter, counts
    FROM ${OBJECTS[kind].table} AS object
    JOIN trunkline.${kind}_traffic AS traffic ON traffic.${kind}_id = object.id
    WHERE object.${workspace} = $1 AND object.id = ANY ($2::uuid[]) AND quarter >= $3 AND quarter < $4
    ORDER BY traffic.${kind}_id, quarter`;
}

function deleteBefore(kind: TrafficKind): string {
  return `
    DELETE FROM trunkline.${kind}_traffic WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM trunkline.${kind}_traffic WHERE quarter < $1 ORDER BY quarter LIMIT $2
    ))`;
}
