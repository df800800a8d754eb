import { latestLeaseEnd } from '@trunkline/core/spi/storage';
import type { LeaseStore } from '@trunkline/core/spi/storage';
import type { Connected } from './connection.ts';
import type { Database } from './database.ts';
import { isHeld, NEEDS_GATEWAY } from './lease.ts';
import { entities, integer, text } from './row.ts';
import type { Row } from './row.ts';

export function leaseStore(connected: Connected): LeaseStore {
  return {
    claim: async ({ owner, now, ttlMs, limit, leaveAhead = false }) => {
      const { database, process, write } = connected();
      const latestEnd = leaveAhead ? Number.MAX_SAFE_INTEGER : latestLeaseEnd(now, ttlMs);
      // Checks first, because a pass that finds nothing need not write.
      if (toHold(database, { owner, now, latestEnd, limit: 1 }).length === 0) return [];
      return write(() =>
        toHold(database, { owner, now, latestEnd, limit }).map((row) => {
          const epoch = integer(row, 'lease_epoch') + 1;
          database.update('instances', text(row, 'id'), {
            lease_owner: owner,
            lease_epoch: epoch,
            lease_expires_at: now + ttlMs,
            lease_reserved_for: '',
            lease_process: process(),
            lease_lost_by: '',
          });
          return {
            instance: entities.instance.read(row),
            lease: { instanceId: text(row, 'id'), owner, epoch },
            takenFrom: takenFrom(row),
          };
        }),
      );
    },
    renew: async ({ owner, now, ttlMs }) => {
      const { database, write } = connected();
      return write(() => {
        database.run(`UPDATE instances SET lease_expires_at = ? WHERE ${HELD_BY}`, now + ttlMs, owner, now);
        return database
          .all(`SELECT * FROM instances WHERE ${HELD_BY} ORDER BY id`, owner, now)
          .map(entities.leasedInstance);
      });
    },
    release: async (lease, reservation) => {
      const { database, write } = connected();
      await write((announce) => {
        if (!isHeld(database, lease)) return;
        database.update('instances', lease.instanceId, {
          lease_owner: '',
          lease_expires_at: reservation?.until ?? 0,
          lease_reserved_for: reservation?.owner ?? '',
        });
        announce({ topic: 'instance', instanceId: lease.instanceId });
      });
    },
    find: async (instanceId, now) => {
      const row = connected().database.get(
        "SELECT * FROM instances WHERE id = ? AND lease_owner <> '' AND lease_expires_at > ?",
        instanceId,
        now,
      );
      return row ? entities.leasedInstance(row).lease : null;
    },
  };
}

/** The owner that lost the lease; null if the lease was released. */
function takenFrom(row: Row): string | null {
  return [text(row, 'lease_lost_by'), text(row, 'lease_owner')].find((owner) => owner !== '') ?? null;
}

interface LeaseSearch {
  readonly owner: string;
  readonly now: number;
  /** Leases that end later count as free, because the clock must have been set back. */
  readonly latestEnd: number;
  readonly limit: number;
}

function toHold(database: Database, { owner, now, latestEnd, limit }: LeaseSearch): readonly Row[] {
  const expired = database.all(EXPIRED, now, limit);
  const reserved = database.all(RESERVED, owner, now, latestEnd, limit - expired.length);
  const ahead = database.all(AHEAD, latestEnd, limit - expired.length - reserved.length);
  return [...expired, ...reserved, ...ahead];
}

// Relies on instances_to_hold.
const EXPIRED = `
  SELECT * FROM instances
  WHERE ${NEEDS_GATEWAY} AND lease_expires_at <= ?
  ORDER BY lease_expires_at, id
  LIMIT ?`;

// Relies on instances_to_hold.
const AHEAD = `
  SELECT * FROM instances
  WHERE ${NEEDS_GATEWAY} AND lease_expires_at > ?
  ORDER BY lease_expires_at, id
  LIMIT ?`;

// Relies on instances_reserved.
const RESERVED = `
  SELECT * FROM instances
  WHERE lease_reserved_for = ? AND lease_reserved_for <> '' AND lease_expires_at > ? AND lease_expires_at <= ?
    AND ${NEEDS_GATEWAY}
  ORDER BY lease_expires_at, id
  LIMIT ?`;

// Relies on the index instances_by_owner, which has no rows without an owner.
const HELD_BY = "lease_owner = ? AND lease_owner <> '' AND lease_expires_at > ?";
