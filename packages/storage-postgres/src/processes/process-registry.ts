import { latestRegistration } from '@trunkline/core/spi/storage';
import type { ProcessRegistry } from '@trunkline/core/spi/storage';
import { columnsOf } from '../rows/column-arrays.ts';
import type { Connected } from '../database/database.ts';
import { NEEDS_GATEWAY } from './lease.ts';
import { entities, integer, shapeOf } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';

export function processRegistry(
  connected: Connected,
  releaseEnded: (now: number) => Promise<number>,
): ProcessRegistry {
  return {
    register: async (owner, { network, now, since, asksUntil = 0 }) =>
      connected().transaction(async (transaction) => {
        await transaction.run(DEREGISTER_SILENT, since, latestRegistration(now));
        await transaction.run(REGISTER, encodeText(owner), encodeText(network), now, asksUntil);
        const rows = await transaction.all(SHARE, now, encodeText(network));
        return {
          owners: rows.map(entities.ownerShare.read),
          instances: rows[0] ? integer(rows[0], 'instances') : 0,
        };
      }),
    deregister: async (owner) => {
      await connected().run('DELETE FROM trunkline.lease_owners WHERE owner = $1', encodeText(owner));
    },
    report: async (report, { now, since }) => {
      await connected().transaction(async (transaction) => {
        await transaction.run(FORGET, since, latestRegistration(now));
        await transaction.run(REPORT, ...Object.values(entities.processReport.columns(report)));
      });
    },
    withdraw: async (name) => {
      await connected().run('DELETE FROM trunkline.process_reports WHERE name = $1', encodeText(name));
    },
    list: async ({ now, limit }) =>
      (await connected().all(LIST, now, limit)).map(entities.reportedProcess.read),
    releaseEnded,
  };
}

// Also deletes registrations with a time in the future, from before the clock was set back.
const DEREGISTER_SILENT =
  'DELETE FROM trunkline.lease_owners WHERE checked_in_at <= $1 OR checked_in_at > $2';

const REGISTER = `
  INSERT INTO trunkline.lease_owners (owner, network, checked_in_at, asks_until) VALUES ($1, $2, $3, $4)
  ON CONFLICT (network, owner) DO UPDATE SET checked_in_at = excluded.checked_in_at, asks_until = excluded.asks_until`;

// Also deletes reports with a time in the future, from before the clock was set back.
const FORGET = 'DELETE FROM trunkline.process_reports WHERE reported_at <= $1 OR reported_at > $2';

const SHAPE = shapeOf(entities.processReport);
const COLUMNS = columnsOf(SHAPE);

const REPORT = `
  INSERT INTO trunkline.process_reports (${COLUMNS.join(', ')})
  VALUES (${COLUMNS.map((column, index) => `$${index + 1}::${SHAPE[column]}`).join(', ')})
  ON CONFLICT (name) DO UPDATE SET ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`;

// Relies on instances_by_owner.
const LIST = `
  SELECT ${COLUMNS.join(', ')},
    (SELECT count(*) FROM trunkline.instances
     WHERE lease_owner = process_reports.name AND lease_owner <> '' AND lease_expires_at > $1) AS held
  FROM trunkline.process_reports
  ORDER BY name COLLATE "C"
  LIMIT $2`;

// Reads the instances of the network once, for all owners and the total.
const SHARE = `
  WITH held AS MATERIALIZED (
    SELECT CASE WHEN lease_expires_at > $1 THEN coalesce(nullif(lease_owner, ''), lease_reserved_for) ELSE '' END AS holder,
      count(*) AS held
    FROM trunkline.instances
    WHERE network = $2 AND ${NEEDS_GATEWAY}
    GROUP BY holder
  )
  SELECT owner, checked_in_at, asks_until, coalesce(held.held, 0) AS held,
    (SELECT coalesce(sum(held), 0)::bigint FROM held) AS instances
  FROM trunkline.lease_owners
  LEFT JOIN held ON holder = owner AND holder <> ''
  WHERE network = $2
  ORDER BY owner COLLATE "C"`;
