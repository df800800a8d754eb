import { TRAFFIC_KINDS } from '@trunkline/core/spi/storage';
import type { TrafficKind, TrafficStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { integer, json, text } from '../rows/row.ts';

export function trafficStore(connected: Connected): TrafficStore {
  return {
    add: async (rows) => {
      const { database, write } = connected();
      await write(() => {
        for (const kind of TRAFFIC_KINDS) {
          const added = rows.filter((row) => row.kind === kind);
          if (added.length > 0) database.run(add(kind), JSON.stringify(added));
        }
      });
    },
    read: async (workspaceId, { kind, ids, from, to }) =>
      connected()
        .database.all(read(kind), workspaceId, JSON.stringify(ids), from, to)
        .map((row) => ({
          kind,
          id: text(row, 'id'),
          quarter: integer(row, 'quarter'),
          counts: json(row, 'counts'),
        })),
    deleteBefore: async (before, limit) => {
      const { database, write } = connected();
      return write(() => {
        let deleted = 0;
        for (const kind of TRAFFIC_KINDS)
          if (deleted < limit) deleted += database.run(deleteBefore(kind), before, limit - deleted);
        return deleted;
      });
    },
  };
}

/** Deletes all counts of an instance or a webhook. */
export function deleteTraffic(database: Database, kind: 'instance' | 'webhook', id: string): void {
  database.run(`DELETE FROM ${kind}_traffic WHERE ${kind}_id = ?`, id);
}

// The statements rely on the primary keys of the tables of counts, and on their indexes by quarter.

const OBJECTS = { instance: 'instances', webhook: 'endpoints', workspace: 'workspaces' } as const;

function add(kind: TrafficKind): string {
  return `INSERT INTO ${kind}_traffic (${kind}_id, quarter, counts)
    SELECT value ->> 'id', value ->> 'quarter', value -> 'counts' FROM json_each(?)
    WHERE EXISTS (SELECT 1 FROM ${OBJECTS[kind]} WHERE id = value ->> 'id')
    ON CONFLICT (${kind}_id, quarter) DO UPDATE SET counts = (
      SELECT json_group_object(name, count) FROM (
        SELECT name, sum(count) AS count FROM (
          SELECT key AS name, value AS count FROM json_each(${kind}_traffic.counts)
          UNION ALL SELECT key, value FROM json_each(excluded.counts)
        ) GROUP BY name
      )
    )`;
}

function read(kind: TrafficKind): string {
  const workspace = kind === 'workspace' ? 'id' : 'workspace_id';
  return `
    SELECT ${kind}_id AS id, quarter, counts FROM ${kind}_traffic
    WHERE ${kind}_id IN (
        SELECT id FROM ${OBJECTS[kind]} WHERE ${workspace} = ? AND id IN (SELECT value FROM json_each(?))
      )
      AND quarter >= ? AND quarter < ?
    ORDER BY ${kind}_id, quarter`;
}

function deleteBefore(kind: TrafficKind): string {
  return `
    DELETE FROM ${kind}_traffic WHERE (${kind}_id, quarter) IN (
      SELECT ${kind}_id, quarter FROM ${kind}_traffic WHERE quarter < ? ORDER BY quarter LIMIT ?
    )`;
}
