import { latestLeaseEnd } from '@trunkline/core/spi/storage';
import type { Lease, LeaseStore } from '@trunkline/core/spi/storage';
import { createBatcher } from '../database/batcher.ts';
import type { Connected } from '../database/database.ts';
import { NEEDED_NETWORKS, NEEDS_GATEWAY } from './lease.ts';
import { entities, id, text, textOrNull } from '../rows/row.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidToFind } from '../rows/uuid.ts';

export function leaseStore(connected: Connected): LeaseStore {
  // A process that stops releases all its leases together, so releases are batched.
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
    claim: async ({ owner, networks, now, ttlMs, limit, leaveAhead = false }) => {
      const { all, process } = connected();
      const latestEnd = leaveAhead ? Number.MAX_SAFE_INTEGER : latestLeaseEnd(now, ttlMs);
      const rows = await all(
        CLAIM,
        encodeText(owner),
        now,
        now + ttlMs,
        limit,
        latestEnd,
        process(),
        networks.map(encodeText),
      );
      return rows.map((row) => ({
        ...entities.leasedInstance(row),
        takenFrom: textOrNull(row, 'taken_from'),
      }));
    },
    renew: async ({ owner, now, ttlMs }) => {
      const rows = await connected().all(RENEW, encodeText(owner), now, now + ttlMs);
      return rows.map(entities.leasedInstance);
    },
    release: async (lease, reservation) => connected().track(releases.run({ lease, reservation })),
    neededNetworks: async () => (await connected().all(NEEDED_NETWORKS)).map((row) => text(row, 'network')),
    find: async (instanceId, now) => {
      const row = await connected().get(FIND, uuidToFind('ins', instanceId), now);
      return row ? entities.leasedInstance(row).lease : null;
    },
  };
}

interface Release {
  readonly lease: Lease;
  readonly reservation: Parameters<LeaseStore['release']>[1];
}

// `taken_from` is the owner that lost the lease; null if the lease was released.
const FREE =
  "id, lease_expires_at, coalesce(nullif(lease_lost_by, ''), nullif(lease_owner, '')) AS taken_from";

/** The instances of each of the networks `$7` for which the condition is true, up to the limit for each network. */
const ofNetworks = (condition: string): string => `
    SELECT found.*
    FROM unnest($7::text[]) AS of (network)
    CROSS JOIN LATERAL (
      SELECT ${FREE} FROM trunkline.instances
      WHERE instances.network = of.network AND ${NEEDS_GATEWAY} AND ${condition}
      ORDER BY lease_expires_at, id
      LIMIT $4
      FOR UPDATE SKIP LOCKED
    ) AS found
    ORDER BY lease_expires_at, id
    LIMIT $4`;

// Relies on instances_to_hold and instances_reserved. Skips instances that another process is claiming.
const CLAIM = `
  WITH expired AS MATERIALIZED (${ofNetworks('lease_expires_at <= $2')}
  ), reserved AS MATERIALIZED (
    SELECT ${FREE} FROM trunkline.instances
    WHERE lease_reserved_for = $1 AND lease_reserved_for <> '' AND network = ANY ($7) AND ${NEEDS_GATEWAY}
      AND lease_expires_at > $2 AND lease_expires_at <= $5
    ORDER BY lease_expires_at, id
    LIMIT $4
    FOR UPDATE SKIP LOCKED
  ), ahead AS MATERIALIZED (${ofNetworks('lease_expires_at > $5')}
  ), free AS (
    SELECT * FROM expired UNION ALL SELECT * FROM reserved UNION ALL SELECT * FROM ahead
    ORDER BY lease_expires_at, id
    LIMIT $4
  ), taken AS (
    UPDATE trunkline.instances
    SET lease_owner = $1, lease_epoch = lease_epoch + 1, lease_expires_at = $3, lease_reserved_for = '',
      lease_process = $6, lease_lost_by = ''
    FROM free
    WHERE instances.id = free.id
    RETURNING instances.*, free.lease_expires_at AS free_since, free.taken_from
  )
  SELECT * FROM taken ORDER BY free_since, id`;

// Relies on instances_by_owner, which has no rows without an owner. Locks in id order.
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

// Locks in id order, so that concurrent statements cannot deadlock. A lease that is passed twice is released once.
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
