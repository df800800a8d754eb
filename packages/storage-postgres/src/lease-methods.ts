import type { InstanceStore } from '@trunkline/core';
import type { Connected } from './database.ts';
import { readLeasedInstance } from './instance-row.ts';
import { integer } from './row.ts';
import { encodeText } from './text-encoding.ts';
import { uuidToFind } from './uuid.ts';

type LeaseMethods = Pick<
  InstanceStore,
  'claimLeases' | 'renewLeases' | 'releaseLease' | 'findLease' | 'seen' | 'checkIn' | 'checkOut'
>;

export function leaseMethods(connected: Connected): LeaseMethods {
  return {
    claimLeases: async ({ owner, now, ttlMs, limit, except = [] }) => {
      const others = except
        .map((instanceId) => uuidToFind('ins', instanceId))
        .filter((uuid) => uuid !== null);
      const rows = await connected().all(CLAIM, encodeText(owner), now, now + ttlMs, limit, others);
      return rows.map(readLeasedInstance);
    },
    renewLeases: async ({ owner, now, ttlMs }) => {
      const rows = await connected().all(RENEW, encodeText(owner), now, now + ttlMs);
      return rows.map(readLeasedInstance);
    },
    releaseLease: async ({ instanceId, owner, epoch }) => {
      const database = connected();
      const released = await database.run(RELEASE, uuidToFind('ins', instanceId), encodeText(owner), epoch);
      if (released > 0) database.publish([{ topic: 'instance', instanceId }]);
    },
    checkIn: async (owner, { now, since }) =>
      connected().transaction(async (transaction) => {
        await transaction.run('DELETE FROM trunkline.lease_owners WHERE checked_in_at <= $1', since);
        await transaction.run(CHECK_IN, encodeText(owner), now);
        const row = await transaction.get(SHARE);
        return row
          ? { owners: integer(row, 'owners'), instances: integer(row, 'instances') }
          : { owners: 1, instances: 0 };
      }),
    checkOut: async (owner) => {
      await connected().run('DELETE FROM trunkline.lease_owners WHERE owner = $1', encodeText(owner));
    },
    findLease: async (instanceId, now) => {
      const row = await connected().get(FIND, uuidToFind('ins', instanceId), now);
      return row ? readLeasedInstance(row).lease : null;
    },
    seen: async ({ instanceId, owner, epoch }, now) => {
      await connected().run(SEEN, uuidToFind('ins', instanceId), encodeText(owner), epoch, now);
    },
  };
}

// As the index instances_to_hold has it.
const NEEDS_GATEWAY = "(desired = 'running' OR operation IS NOT NULL)";

// Relies on instances_to_hold. What another process is claiming is passed over.
const CLAIM = `
  WITH free AS MATERIALIZED (
    SELECT id, lease_expires_at FROM trunkline.instances
    WHERE ${NEEDS_GATEWAY} AND lease_expires_at <= $2 AND id <> ALL ($5::uuid[])
    ORDER BY lease_expires_at, id
    LIMIT $4
    FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE trunkline.instances
    SET lease_owner = $1, lease_epoch = lease_epoch + 1, lease_expires_at = $3
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

const CHECK_IN = `
  INSERT INTO trunkline.lease_owners (owner, checked_in_at) VALUES ($1, $2)
  ON CONFLICT (owner) DO UPDATE SET checked_in_at = excluded.checked_in_at`;

const SHARE = `
  SELECT (SELECT count(*) FROM trunkline.lease_owners) AS owners,
    (SELECT count(*) FROM trunkline.instances WHERE ${NEEDS_GATEWAY}) AS instances`;

const OF_LEASE = 'id = $1 AND lease_owner = $2 AND lease_epoch = $3';

const RELEASE = `
  UPDATE trunkline.instances SET lease_owner = '', lease_expires_at = 0 WHERE ${OF_LEASE}`;

const FIND = `
  SELECT * FROM trunkline.instances WHERE id = $1 AND lease_owner <> '' AND lease_expires_at > $2`;

const SEEN = `
  UPDATE trunkline.instances SET last_seen_at = $4
  WHERE ${OF_LEASE} AND (last_seen_at IS NULL OR last_seen_at < $4)`;
