import { latestCheckIn, latestLeaseEnd } from '@trunkline/core/spi/storage';
import type { InstanceStore, Lease } from '@trunkline/core/spi/storage';
import { createBatcher } from './batcher.ts';
import type { Connected } from './database.ts';
import { entities, id, integer, text } from './row.ts';
import { encodeText } from './text-encoding.ts';
import { uuidToFind } from './uuid.ts';

type LeaseMethods = Pick<
  InstanceStore,
  'claimLeases' | 'renewLeases' | 'releaseLease' | 'findLease' | 'seen' | 'checkIn' | 'checkOut'
>;

export function leaseMethods(connected: Connected): LeaseMethods {
  const signsOfLife = createBatcher<SignOfLife, void>({
    max: 5_000,
    inFlight: 1,
    async run(signs) {
      await connected().run(
        SEEN,
        signs.map(({ lease }) => uuidToFind('ins', lease.instanceId)),
        signs.map(({ lease }) => encodeText(lease.owner)),
        signs.map(({ lease }) => lease.epoch),
        signs.map(({ now }) => now),
      );
      return signs.map(() => ({ status: 'fulfilled', value: undefined }));
    },
  });
  // A process that stops releases all that it holds together.
  const releases = createBatcher<Release, void>({
    max: 5_000,
    inFlight: 1,
    async run(batch) {
      const database = connected();
      const released = await database.all(
        RELEASE,
        batch.map(({ lease }) => uuidToFind('ins', lease.instanceId)),
        batch.map(({ lease }) => encodeText(lease.owner)),
        batch.map(({ lease }) => lease.epoch),
        batch.map(({ reservation }) => encodeText(reservation?.owner ?? '')),
        batch.map(({ reservation }) => reservation?.until ?? 0),
      );
      database.publish(released.map((row) => ({ topic: 'instance', instanceId: id(row, 'id', 'ins') })));
      return batch.map(() => ({ status: 'fulfilled', value: undefined }));
    },
  });
  return {
    claimLeases: async ({ owner, now, ttlMs, limit, leaveAhead = false }) => {
      const { all, process } = connected();
      const latestEnd = leaveAhead ? Number.MAX_SAFE_INTEGER : latestLeaseEnd(now, ttlMs);
      const rows = await all(CLAIM, encodeText(owner), now, now + ttlMs, limit, latestEnd, process());
      return rows.map(entities.leasedInstance);
    },
    renewLeases: async ({ owner, now, ttlMs }) => {
      const rows = await connected().all(RENEW, encodeText(owner), now, now + ttlMs);
      return rows.map(entities.leasedInstance);
    },
    releaseLease: async (lease, reservation) => connected().track(releases.run({ lease, reservation })),
    checkIn: async (owner, { now, since, asksUntil = 0 }) =>
      connected().transaction(async (transaction) => {
        await transaction.run(CHECK_OUT_SILENT, since, latestCheckIn(now));
        await transaction.run(CHECK_IN, encodeText(owner), now, asksUntil);
        const rows = await transaction.all(SHARE, now);
        return {
          owners: rows.map((row) => ({
            owner: text(row, 'owner'),
            held: integer(row, 'held'),
            checkedInAt: integer(row, 'checked_in_at'),
            asksUntil: integer(row, 'asks_until'),
          })),
          instances: rows[0] ? integer(rows[0], 'instances') : 0,
        };
      }),
    checkOut: async (owner) => {
      await connected().run('DELETE FROM trunkline.lease_owners WHERE owner = $1', encodeText(owner));
    },
    findLease: async (instanceId, now) => {
      const row = await connected().get(FIND, uuidToFind('ins', instanceId), now);
      return row ? entities.leasedInstance(row).lease : null;
    },
    seen: async (lease, now) => connected().track(signsOfLife.run({ lease, now })),
  };
}

interface Release {
  readonly lease: Lease;
  readonly reservation: Parameters<InstanceStore['releaseLease']>[1];
}

interface SignOfLife {
  readonly lease: Lease;
  readonly now: number;
}

// As the index instances_to_hold has it.
const NEEDS_GATEWAY = "(desired = 'running' OR operation IS NOT NULL)";

// Relies on instances_to_hold and instances_reserved. What another process is claiming is passed over.
const CLAIM = `
  WITH expired AS MATERIALIZED (
    SELECT id, lease_expires_at FROM trunkline.instances
    WHERE ${NEEDS_GATEWAY} AND lease_expires_at <= $2
    ORDER BY lease_expires_at, id
    LIMIT $4
    FOR UPDATE SKIP LOCKED
  ), reserved AS MATERIALIZED (
    SELECT id, lease_expires_at FROM trunkline.instances
    WHERE lease_reserved_for = $1 AND lease_reserved_for <> '' AND ${NEEDS_GATEWAY}
      AND lease_expires_at > $2 AND lease_expires_at <= $5
    ORDER BY lease_expires_at, id
    LIMIT $4
    FOR UPDATE SKIP LOCKED
  ), ahead AS MATERIALIZED (
    SELECT id, lease_expires_at FROM trunkline.instances
    WHERE ${NEEDS_GATEWAY} AND lease_expires_at > $5
    ORDER BY lease_expires_at, id
    LIMIT $4
    FOR UPDATE SKIP LOCKED
  ), free AS (
    SELECT * FROM expired UNION ALL SELECT * FROM reserved UNION ALL SELECT * FROM ahead
    ORDER BY lease_expires_at, id
    LIMIT $4
  ), taken AS (
    UPDATE trunkline.instances
    SET lease_owner = $1, lease_epoch = lease_epoch + 1, lease_expires_at = $3, lease_reserved_for = '',
      lease_process = $6
    FROM free
    WHERE instances.id = free.id
    RETURNING instances.*, free.lease_expires_at AS free_since
  )
  SELECT * FROM taken ORDER BY free_since, id`;

// Relies on instances_by_owner, which has no rows without an owner. In id order, as all who lock several do.
const RENEW = `
  WITH held AS MATERIALIZED (
    SELECT id FROM trunkline.instances
    WHERE lease_owner = $1 AND lease_owner <> '' AND lease_expires_at > $2
    ORDER BY id
    FOR UPDATE
  ), renewed AS (
    UPDATE trunkline.instances SET lease_expires_at = $3
    FROM held
    WHERE instances.id = held.id
    RETURNING instances.*
  )
  SELECT * FROM renewed ORDER BY id`;

// Those from before the clock was set back, too.
const CHECK_OUT_SILENT = 'DELETE FROM trunkline.lease_owners WHERE checked_in_at <= $1 OR checked_in_at > $2';

const CHECK_IN = `
  INSERT INTO trunkline.lease_owners (owner, checked_in_at, asks_until) VALUES ($1, $2, $3)
  ON CONFLICT (owner) DO UPDATE SET checked_in_at = excluded.checked_in_at, asks_until = excluded.asks_until`;

// Once over the instances, for all owners and the total.
const SHARE = `
  WITH held AS MATERIALIZED (
    SELECT CASE WHEN lease_expires_at > $1 THEN coalesce(nullif(lease_owner, ''), lease_reserved_for) ELSE '' END AS holder,
      count(*) AS held
    FROM trunkline.instances
    WHERE ${NEEDS_GATEWAY}
    GROUP BY holder
  )
  SELECT owner, checked_in_at, asks_until, coalesce(held.held, 0) AS held,
    (SELECT coalesce(sum(held), 0)::bigint FROM held) AS instances
  FROM trunkline.lease_owners
  LEFT JOIN held ON holder = owner AND holder <> ''
  ORDER BY owner COLLATE "C"`;

// In id order, as all who lock several do. One that is given twice is released once.
const RELEASE = `
  WITH given AS (
    SELECT DISTINCT ON (id, owner, epoch) *
    FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::bigint[])
      AS given (id, owner, epoch, reserved_for, reserved_until)
  ), held AS MATERIALIZED (
    SELECT instances.id, reserved_for, reserved_until FROM trunkline.instances
    JOIN given ON instances.id = given.id AND lease_owner = given.owner AND lease_epoch = given.epoch
    WHERE instances.id = ANY ($1::uuid[])
    ORDER BY instances.id
    FOR UPDATE OF instances
  )
  UPDATE trunkline.instances
  SET lease_owner = '', lease_reserved_for = reserved_for, lease_expires_at = reserved_until
  FROM held
  WHERE instances.id = held.id
  RETURNING instances.id`;

const FIND = `
  SELECT * FROM trunkline.instances WHERE id = $1 AND lease_owner <> '' AND lease_expires_at > $2`;

// One statement for all that come together. In id order, as all who lock several do.
const SEEN = `
  WITH seen AS (
    SELECT id, owner, epoch, max(seen_at) AS seen_at
    FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS sign (id, owner, epoch, seen_at)
    GROUP BY id, owner, epoch
  ), held AS MATERIALIZED (
    SELECT instances.id, seen.seen_at FROM trunkline.instances
    JOIN seen ON instances.id = seen.id AND lease_owner = seen.owner AND lease_epoch = seen.epoch
    WHERE instances.id = ANY ($1::uuid[]) AND (last_seen_at IS NULL OR last_seen_at < seen.seen_at)
    ORDER BY instances.id
    FOR UPDATE OF instances
  )
  UPDATE trunkline.instances SET last_seen_at = held.seen_at
  FROM held
  WHERE instances.id = held.id`;
