import { latestRegistration } from '@trunkline/core/spi/storage';
import type { ProcessRegistry } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { NEEDS_GATEWAY } from './lease.ts';
import { entities, integer } from '../rows/row.ts';

export function processRegistry(
  connected: Connected,
  releaseEnded: (now: number) => Promise<number>,
): ProcessRegistry {
  return {
    register: async (owner, { network, now, since, asksUntil = 0 }) => {
      const { database, write } = connected();
      return write(() => {
        // Also deletes registrations with a time in the future, from before the clock was set back.
        database.run(
          'DELETE FROM lease_owners WHERE checked_in_at <= ? OR checked_in_at > ?',
          since,
          latestRegistration(now),
        );
        database.run(
          'INSERT OR REPLACE INTO lease_owners (owner, network, checked_in_at, asks_until) VALUES (?, ?, ?, ?)',
          owner,
          network,
          now,
          asksUntil,
        );
        return {
          owners: database.all(OWNERS, now, now, network).map(entities.ownerShare.read),
          instances: countOf(database, NEEDING, network),
        };
      });
    },
    deregister: async (owner) => {
      const { database, write } = connected();
      await write(() => database.run('DELETE FROM lease_owners WHERE owner = ?', owner));
    },
    report: async (report, { now, since }) => {
      const { database, write } = connected();
      await write(() => {
        database.run(FORGET, since, latestRegistration(now));
        database.run(REPORT, ...Object.values(entities.processReport.columns(report)));
      });
    },
    withdraw: async (name) => {
      const { database, write } = connected();
      await write(() => database.run('DELETE FROM process_reports WHERE name = ?', name));
    },
    list: async ({ now, limit }) => {
      const { database } = connected();
      return database.all(LIST, now, limit).map(entities.reportedProcess.read);
    },
    releaseEnded,
  };
}

// Relies on instances_by_owner and instances_reserved.
const OWNERS = `
  SELECT owner, checked_in_at, asks_until,
    (SELECT count(*) FROM instances
     WHERE lease_owner = lease_owners.owner AND lease_owner <> '' AND network = lease_owners.network
       AND lease_expires_at > ? AND ${NEEDS_GATEWAY})
    + (SELECT count(*) FROM instances
       WHERE lease_reserved_for = lease_owners.owner AND lease_reserved_for <> '' AND network = lease_owners.network
         AND lease_expires_at > ?
         AND ${NEEDS_GATEWAY}) AS held
  FROM lease_owners
  WHERE network = ?
  ORDER BY owner`;

// Relies on instances_to_hold.
const NEEDING = `SELECT count(*) AS count FROM instances WHERE network = ? AND (${NEEDS_GATEWAY})`;

// Also deletes reports with a time in the future, from before the clock was set back.
const FORGET = 'DELETE FROM process_reports WHERE reported_at <= ? OR reported_at > ?';

const COLUMNS = Object.keys(entities.processReport.kinds);

const REPORT = `
  INSERT OR REPLACE INTO process_reports (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`;

// Relies on instances_by_owner.
const LIST = `
  SELECT ${COLUMNS.join(', ')},
    (SELECT count(*) FROM instances
     WHERE lease_owner = process_reports.name AND lease_owner <> '' AND lease_expires_at > ?) AS held
  FROM process_reports
  ORDER BY name
  LIMIT ?`;

function countOf(database: Database, sql: string, ...values: readonly string[]): number {
  const row = database.get(sql, ...values);
  return row ? integer(row, 'count') : 0;
}
