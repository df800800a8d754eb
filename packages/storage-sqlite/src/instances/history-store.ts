import { ENTRIES_PER_HOUR, floorId, floorOfHour } from '@trunkline/core/spi/storage';
import type { HistoryEntry, HistoryStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { readPage } from '../database/page.ts';
import { entities, text } from '../rows/row.ts';

export function historyStore(connected: Connected): HistoryStore {
  return {
    list: async (workspaceId, instanceId, page, since) => {
      // Relies on instance_history_by_instance.
      const list = {
        table: 'instance_history',
        where: 'workspace_id = ? AND instance_id = ?',
        parts: [[workspaceId, instanceId]],
        floor: floorId('hst', since),
      };
      return readPage(connected().database, list, page, entities.historyEntry.read);
    },
  };
}

/** Inserts an entry, replaces the entry with its id, or counts it in an earlier entry; see `HistoryStore`. */
export function writeEntry(database: Database, entry: HistoryEntry | null | undefined): void {
  if (!entry) return;
  const columns = entities.historyEntry.columns(entry);
  const counted = countedIn(database, entry);
  if (counted !== null) {
    database.run(ONCE_MORE, columns['next_step'] ?? null, entry.lastAt, counted);
    return;
  }
  const names = Object.keys(columns);
  database.run(
    `INSERT OR REPLACE INTO instance_history (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ...Object.values(columns),
  );
}

/**
 * The id of the earlier entry that counts this one, because the hour already has `ENTRIES_PER_HOUR`; null if this entry
 * is to be stored.
 */
function countedIn(database: Database, entry: HistoryEntry): string | null {
  const { id, workspaceId, instanceId, reason } = entry;
  if (database.get('SELECT 1 FROM instance_history WHERE id = ?', id)) return null;
  const ofHour = [workspaceId, instanceId, floorOfHour(entry), id];
  const counted = database.get(COUNTED_IN, ...ofHour, reason, ...ofHour);
  return counted ? text(counted, 'id') : null;
}

// Relies on instance_history_by_instance.
const OF_HOUR = 'FROM instance_history WHERE workspace_id = ? AND instance_id = ? AND id >= ? AND id < ?';
const COUNTED_IN = `
  SELECT id ${OF_HOUR} AND reason = ?
    AND EXISTS (SELECT 1 ${OF_HOUR} LIMIT 1 OFFSET ${ENTRIES_PER_HOUR - 1})
  ORDER BY id DESC LIMIT 1`;

const ONCE_MORE = 'UPDATE instance_history SET next_step = ?, times = times + 1, last_at = ? WHERE id = ?';
