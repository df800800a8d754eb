import { latestRegistration } from '@trunkline/core/spi/storage';
import type { ProcessRegistry } from '@trunkline/core/spi/storage';
import type { Connected } from './connection.ts';
import type { Database } from './database.ts';
import { NEEDS_GATEWAY } from './lease.ts';
import { entities, integer } from './row.ts';

export function processRegistry(
  connected: Connected,
  releaseEnded: (now: number) => Promise<number>,
): ProcessRegistry {
  return {
    register: async (owner, { now, since, asksUntil = 0 }) => {
      const { database, write } = connected();
      return write(() => {
        // From before the clock was set back, too.
        database.run(
          'DELETE FROM lease_owners WHERE checked_in_at <= ? OR checked_in_at > ?',
          since,
          latestRegistration(now),
        );
        database.run(
          'INSERT OR REPLACE INTO lease_owners (owner, checked_in_at, asks_until) VALUES (?, ?, ?)',
          owner,
          now,
          asksUntil,
        );
        return {
          owners: database.all(OWNERS, now).map(entities.ownerShare.read),
          instances: countOf(database, `SELECT count(*) AS count FROM instances WHERE ${NEEDS_GATEWAY}`),
        };
      });
    },
    deregister: async (owner) => {
      const { database, write } = connected();
      await write(() => database.run('DELETE FROM lease_owners WHERE owner = ?', owner));
    },
    releaseEnded,
  };
}

// Relies on instances_by_owner and instances_reserved.
const OWNERS = `
  SELECT owner, checked_in_at, asks_until,
    (SELECT count(*) FROM instances
     WHERE lease_owner = lease_owners.owner AND lease_owner <> '' AND lease_expires_at > ?1 AND ${NEEDS_GATEWAY})
    + (SELECT count(*) FROM instances
       WHERE lease_reserved_for = lease_owners.owner AND lease_reserved_for <> '' AND lease_expires_at > ?1
         AND ${NEEDS_GATEWAY}) AS held
  FROM lease_owners
  ORDER BY owner`;

function countOf(database: Database, sql: string): number {
  const row = database.get(sql);
  return row ? integer(row, 'count') : 0;
}
