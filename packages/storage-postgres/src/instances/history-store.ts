import { ENTRIES_PER_HOUR, floorOfHour } from '@trunkline/core/spi/storage';
import type { HistoryEntry, HistoryStore, Lease } from '@trunkline/core/spi/storage';
import { AGAIN, createBatcher } from '../database/batcher.ts';
import type { Batcher } from '../database/batcher.ts';
import type { Connected } from '../database/database.ts';
import { readPage } from '../database/page.ts';
import { floorUuid } from '../database/partitions.ts';
import { entities } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidOf, uuidToFind } from '../rows/uuid.ts';

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

/**
 * Entries in the form that `insertEntries` takes. Pass at most one entry of each instance, because a statement that
 * writes the same row twice fails.
 */
export function entriesJson(entries: readonly HistoryEntry[]): string {
  return JSON.stringify(
    entries.map((entry) => ({
      ...entities.historyEntry.columns(entry),
      floor_of_hour: uuidOf('hst', floorOfHour(entry)),
    })),
  );
}

/**
 * Writes the `entries` (JSON) whose instances are in `rows`, by `id`. An entry whose id is already stored updates the
 * stored entry. If an hour has too many entries, a new entry is counted in that hour's latest entry with the same
 * reason, if there is one; see `HistoryStore`. Such an entry is inserted with `times` 0, which no stored entry has.
 */
export function insertEntries(entries: string, rows: string): string {
  // Relies on instance_history_by_instance.
  const ofHour = `
      FROM trunkline.instance_history AS earlier
      WHERE earlier.workspace_id = entry.workspace_id AND earlier.instance_id = entry.instance_id
        AND earlier.id >= (item ->> 'floor_of_hour')::uuid AND earlier.id < entry.id`;
  return `
    INSERT INTO trunkline.instance_history AS stored
    SELECT noted.* FROM json_array_elements(${entries}::text::json) AS entries (item)
    CROSS JOIN LATERAL json_populate_record(NULL::trunkline.instance_history, item) AS entry
    JOIN ${rows} ON ${rows}.id = entry.instance_id
    LEFT JOIN trunkline.instance_history AS own ON own.id = entry.id
    LEFT JOIN LATERAL (
      SELECT 1 AS found ${ofHour} AND own.id IS NULL
      LIMIT 1 OFFSET ${ENTRIES_PER_HOUR - 1}
    ) AS last_of_hour ON true
    LEFT JOIN LATERAL (
      SELECT earlier.id ${ofHour} AND last_of_hour.found IS NOT NULL AND earlier.reason = entry.reason
      ORDER BY earlier.id DESC
      LIMIT 1
    ) AS counted ON true
    CROSS JOIN LATERAL json_populate_record(
      entry,
      CASE WHEN counted.id IS NULL THEN '{}' ELSE json_build_object('id', counted.id, 'times', 0) END
    ) AS noted
    ON CONFLICT (id) DO UPDATE
    SET next_step = excluded.next_step, last_at = excluded.last_at,
      times = CASE WHEN excluded.times = 0 THEN stored.times + 1 ELSE excluded.times END`;
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

/** Notes of many instances that arrive together share one statement. */
export function historyNotes(
  connected: Connected,
): Batcher<{ readonly lease: Lease; readonly entry: HistoryEntry }, void> {
  return createBatcher({
    max: 500,
    inFlight: 1,
    keyOf: ({ entry }) => entry.instanceId,
    async run(notes) {
      // Writes only the first note of each instance. The next batch writes the second, which then sees the first.
      const first = new Map(notes.toReversed().map((note) => [note.lease.instanceId, note]));
      const written = [...first.values()];
      await connected().run(
        NOTE,
        written.map(({ lease }) => uuidToFind('ins', lease.instanceId)),
        written.map(({ lease }) => encodeText(lease.owner)),
        written.map(({ lease }) => lease.epoch),
        entriesJson(written.map(({ entry }) => entry)),
      );
      return notes.map((note) =>
        first.get(note.lease.instanceId) === note ? { status: 'fulfilled', value: undefined } : AGAIN,
      );
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
