import type { SessionStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { isHeld } from '../processes/lease.ts';
import { BYTES, bytes, text } from '../rows/row.ts';

export function sessionStore(connected: Connected): SessionStore {
  return {
    load: async (instanceId) => {
      const rows = connected().database.all(
        'SELECT name, value FROM session_values WHERE instance_id = ?',
        instanceId,
      );
      return new Map(rows.map((row) => [text(row, 'name'), bytes(row, 'value')]));
    },
    read: async (instanceId, names) => {
      const rows = connected().database.all(READ, instanceId, JSON.stringify(names));
      return new Map(rows.map((row) => [text(row, 'name'), bytes(row, 'value')]));
    },
    names: async (instanceId, { prefix, after, limit }) => {
      const rows = connected().database.all(NAMES, instanceId, prefix, prefix, after, limit);
      return rows.map((row) => text(row, 'name'));
    },
    save: async (lease, changes) => {
      const { database, write } = connected();
      const copy = new Map([...changes].map(([name, value]) => [name, value && value.slice()]));
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        for (const [name, value] of copy) saveValue(database, lease.instanceId, name, value);
        return 'saved';
      });
    },
    erase: async (instanceId, names) => {
      const { database, write } = connected();
      const copy = [...names];
      await write(() => {
        for (const name of copy) saveValue(database, instanceId, name, null);
      });
    },
    replace: async (instanceId, replacements) => {
      const { database, write } = connected();
      const copy = [...replacements].map(([name, { from, to }]) => [name, from.slice(), to.slice()] as const);
      return write(() => {
        for (const [name, from, to] of copy) {
          database.run(REPLACE, to, instanceId, name, from);
        }
      });
    },
  };
}

export function forgetSession(database: Database, instanceId: string): void {
  database.run('DELETE FROM session_values WHERE instance_id = ?', instanceId);
}

function saveValue(database: Database, instanceId: string, name: string, value: Uint8Array | null): void {
  if (value === null) {
    database.run('DELETE FROM session_values WHERE instance_id = ? AND name = ?', instanceId, name);
    return;
  }
  const sql = `INSERT OR REPLACE INTO session_values (instance_id, name, value) VALUES (?, ?, ${BYTES})`;
  database.run(sql, instanceId, name, value);
}

const READ = `
  SELECT name, value FROM session_values
  WHERE instance_id = ? AND name IN (SELECT value FROM json_each(?))`;

// Assumes that no name has the last code point of Unicode after the prefix.
const NAMES = `
  SELECT name FROM session_values
  WHERE instance_id = ? AND name >= ? AND name < ? || char(0x10FFFF) AND name > coalesce(?, '')
  ORDER BY name LIMIT ?`;

const REPLACE = `
  UPDATE session_values SET value = ${BYTES} WHERE instance_id = ? AND name = ? AND value = ${BYTES}`;
