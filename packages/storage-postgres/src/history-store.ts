import type { HistoryEntry, HistoryStore, Lease } from '@trunkline/core/spi/storage';
import { createBatcher } from './batcher.ts';
import type { Batcher } from './batcher.ts';
import type { Connected } from './database.ts';
import { readPage } from './page.ts';
import { floorUuid } from './partitions.ts';
import { entities } from './row.ts';
import type { Statements } from './statements.ts';
import { encodeText } from './text-encoding.ts';
import { uuidOf, uuidToFind } from './uuid.ts';

export function historyStore(connected: Connected): HistoryStore {
  return {
    list: async (workspaceId, instanceId, page, since) => {
      // Relies on instance_history_by_instance.
      const list = {
        prefix: 'hst',
        floor: floorUuid(since),
        table: 'trunkline.instance_history',
        columns: 'item.*',
        parts: 'unnest($1::uuid[], $2::uuid[]) AS part (workspace_id, instance_id)',
        keys: { workspace_id: 'part.workspace_id', instance_id: 'part.instance_id' },
        values: [[uuidToFind('ten', workspaceId)], [uuidToFind('ins', instanceId)]],
      } as const;
      return readPage(connected(), list, page, entities.historyEntry.read);
    },
  };
}

/** Entries as `INSERT_ENTRIES` takes them. */
export function entriesJson(entries: readonly HistoryEntry[]): string {
  return JSON.stringify(entries.map(entities.historyEntry.columns));
}

/**
 * Writes those of the `entries` in JSON whose instance is in `rows`, which have its `id`. One whose id there is already
 * takes its place: it has happened once more.
 */
export function insertEntries(entries: string, rows: string): string {
  return `
    INSERT INTO trunkline.instance_history
    SELECT entry.* FROM json_populate_recordset(NULL::trunkline.instance_history, ${entries}::text::json) AS entry
    JOIN ${rows} ON ${rows}.id = entry.instance_id
    ON CONFLICT (id) DO UPDATE
    SET next_step = excluded.next_step, times = excluded.times, last_at = excluded.last_at`;
}

export async function writeEntry(
  statements: Statements,
  entry: HistoryEntry | null | undefined,
): Promise<void> {
  if (entry) await statements.run(WRITE, uuidOf('ins', entry.instanceId), entriesJson([entry]));
}

const WRITE = `
  WITH instance AS (SELECT $1::uuid AS id)
  ${insertEntries('$2', 'instance')}`;

/** Notes of many instances that arrive together are one statement. */
export function historyNotes(
  connected: Connected,
): Batcher<{ readonly lease: Lease; readonly entry: HistoryEntry }, void> {
  return createBatcher({
    max: 500,
    inFlight: 1,
    keyOf: ({ entry }) => entry.instanceId,
    async run(notes) {
      // Of several of one entry, the last counts.
      const last = [...new Map(notes.map((note) => [note.entry.id, note])).values()];
      await connected().run(
        NOTE,
        last.map(({ lease }) => uuidToFind('ins', lease.instanceId)),
        last.map(({ lease }) => encodeText(lease.owner)),
        last.map(({ lease }) => lease.epoch),
        entriesJson(last.map(({ entry }) => entry)),
      );
      return notes.map(() => ({ status: 'fulfilled', value: undefined }));
    },
  });
}

const NOTE = `
  WITH held AS MATERIALIZED (
    SELECT DISTINCT instances.id FROM trunkline.instances
    JOIN unnest($1::uuid[], $2::text[], $3::bigint[]) AS given (id, owner, epoch)
      ON instances.id = given.id AND lease_owner = given.owner AND lease_epoch = given.epoch
    WHERE instances.id = ANY ($1::uuid[])
  )
  ${insertEntries('$4', 'held')}`;
