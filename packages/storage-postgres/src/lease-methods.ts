import type { InstanceStore } from '@trunkline/core';
import type { Connected } from './database.ts';
import { readLeasedInstance } from './instance-row.ts';
import { encodeText } from './text-encoding.ts';
import { uuidToFind } from './uuid.ts';

type LeaseMethods = Pick<
  InstanceStore,
  'claimLeases' | 'renewLeases' | 'releaseLease' | 'findLease' | 'seen'
>;

export function leaseMethods(connected: Connected): LeaseMethods {
  return {
    claimLeases: async ({ owner, now, ttlMs, limit }) => {
      const rows = await connected().all(CLAIM, encodeText(owner), now, now + ttlMs, limit);
      return rows.map(readLeasedInstance);
    },
    renewLeases: async ({ owner, now, ttlMs }) => {
      const rows = await connected().all(RENEW, encodeText(owner), now, now + ttlMs);
      return rows.map(readLeasedInstance);
    },
    releaseLease: async ({ instanceId, owner, epoch }) => {
      await connected().run(RELEASE, uuidToFind('ins', instanceId), encodeText(owner), epoch);
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

// Relies on instances_to_hold. What another process is claiming is passed over.
const CLAIM = `
  WITH free AS MATERIALIZED (
    SELECT id, lease_expires_at FROM trunkline.instances
    WHERE (desired = 'running' OR operation IS NOT NULL) AND lease_expires_at <= $2
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

const OF_LEASE = 'id = $1 AND lease_owner = $2 AND lease_epoch = $3';

const RELEASE = `
  UPDATE trunkline.instances SET lease_owner = '', lease_expires_at = 0 WHERE ${OF_LEASE}`;

const FIND = `
  SELECT * FROM trunkline.instances WHERE id = $1 AND lease_owner <> '' AND lease_expires_at > $2`;

const SEEN = `
  UPDATE trunkline.instances SET last_seen_at = $4
  WHERE ${OF_LEASE} AND (last_seen_at IS NULL OR last_seen_at < $4)`;
