import { floorId } from '@trunkline/core/spi/storage';
import type { HistoryEntry, HistoryStore } from '@trunkline/core/spi/storage';
import type { Connected } from './connection.ts';
import type { Database } from './database.ts';
import { readPage } from './page.ts';
import { entities } from './row.ts';

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

/** A new entry, or what takes the place of the one with its id. */
export function writeEntry(database: Database, entry: HistoryEntry | null | undefined): void {
  if (!entry) return;
  const columns = entities.historyEntry.columns(entry);
  const names = Object.keys(columns);
  database.run(
    `INSERT OR REPLACE INTO instance_history (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ...Object.values(columns),
  );
}
