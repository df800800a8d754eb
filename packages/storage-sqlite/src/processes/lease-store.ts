import { latestLeaseEnd } from '@trunkline/core/spi/storage';
import type { LeaseStore } from '@trunkline/core/spi/storage';
import type { Connected } from '../database/connection.ts';
import type { Database } from '../database/database.ts';
import { isHeld, NEEDED_NETWORKS, NEEDS_GATEWAY } from './lease.ts';
import { entities, integer, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

export function leaseStore(connected: Connected): LeaseStore {
  return {
    claim: async ({ owner, networks, now, ttlMs, limit, leaveAhead = false }) => {
      const { database, process, write } = connected();
      const latestEnd = leaveAhead ? Number.MAX_SAFE_INTEGER : latestLeaseEnd(now, ttlMs);
      // Checks first, because a pass that finds nothing need not write.
      if (toHold(database, { owner, networks, now, latestEnd, limit: 1 }).length === 0) return [];
      return write(() =>
        toHold(database, { owner, networks, now, latestEnd, limit }).map((row) => {
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
    neededNetworks: async () =>
      connected()
        .database.all(NEEDED_NETWORKS)
        .map((row) => text(row, 'network')),
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
  readonly networks: readonly string[];
  readonly now: number;
  /** Leases that end later count as free, because the clock must have been set back. */
  readonly latestEnd: number;
  readonly limit: number;
}

function toHold(database: Database, search: LeaseSearch): readonly Row[] {
  const { owner, networks, now, latestEnd, limit } = search;
  const kinds = [
    (network: string) => database.all(EXPIRED, network, now, limit),
    (network: string) => database.all(RESERVED, owner, network, now, latestEnd, limit),
    (network: string) => database.all(AHEAD, network, latestEnd, limit),
  ];
  return kinds.flatMap((find) => networks.flatMap(find).toSorted(longestFreeFirst)).slice(0, limit);
}

function longestFreeFirst(a: Row, b: Row): number {
  const [first, second] = [text(a, 'id'), text(b, 'id')];
  return integer(a, 'lease_expires_at') - integer(b, 'lease_expires_at') || (first < second ? -1 : 1);
}

// Relies on instances_to_hold.
const EXPIRED = `
  SELECT * FROM instances
  WHERE network = ? AND ${NEEDS_GATEWAY} AND lease_expires_at <= ?
  ORDER BY lease_expires_at, id
  LIMIT ?`;

// Relies on instances_to_hold.
const AHEAD = `
  SELECT * FROM instances
  WHERE network = ? AND ${NEEDS_GATEWAY} AND lease_expires_at > ?
  ORDER BY lease_expires_at, id
  LIMIT ?`;

// Relies on instances_reserved.
const RESERVED = `
  SELECT * FROM instances
  WHERE lease_reserved_for = ? AND lease_reserved_for <> '' AND network = ?
    AND lease_expires_at > ? AND lease_expires_at <= ?
    AND ${NEEDS_GATEWAY}
  ORDER BY lease_expires_at, id
  LIMIT ?`;

// Relies on the index instances_by_owner, which has no rows without an owner.
const HELD_BY = "lease_owner = ? AND lease_owner <> '' AND lease_expires_at > ?";
