import { latestCheckIn, latestLeaseEnd } from '@trunkline/core/spi/storage';
import type {
  Instance,
  InstanceStore,
  InstanceWriteResult,
  Lease,
  OwnerShare,
} from '@trunkline/core/spi/storage';
import type { Connected } from './connection.ts';
import type { Database } from './database.ts';
import { storeEvents } from './event-fan-out.ts';
import { groupMethods, leaveGroups } from './group-store.ts';
import { isHeld } from './lease.ts';
import { orphanContent } from './media-index.ts';
import { settleQueue } from './message-change.ts';
import { BYTES, bytes, entities, integer, text } from './row.ts';
import type { Row } from './row.ts';

export function instanceStore(connected: Connected): InstanceStore {
  return {
    insert: async (instance, limit) => {
      const { database, write } = connected();
      return write((announce) => {
        if (limit !== null && hasInstances(database, instance.workspaceId, limit)) return 'limit_reached';
        database.insert('instances', entities.instance.columns(instance));
        announce({ topic: 'instance', instanceId: instance.id });
        return 'inserted';
      });
    },
    find: async (workspaceId, id) => findInstance(connected().database, workspaceId, id),
    list: async (workspaceId) => {
      const { database } = connected();
      return database
        .all('SELECT * FROM instances WHERE workspace_id = ? ORDER BY id', workspaceId)
        .map(entities.instance.read);
    },

    write: async ({ instance, event, lease, settleQueued, forgetNumber }) => {
      const { database, newId, write } = connected();
      return write((announce): InstanceWriteResult => {
        if (lease && !isHeld(database, lease)) return { kind: 'fenced' };
        const stored = findInstance(database, instance.workspaceId, instance.id);
        if (stored?.version !== instance.version) return { kind: 'stale' };
        const written = {
          ...instance,
          lastSeenAt: later(instance.lastSeenAt, stored.lastSeenAt),
          version: instance.version + 1,
        };
        database.update('instances', instance.id, entities.instanceState.columns(written));
        if (event) storeEvents({ database, newId, announce }, [event]);
        if (settleQueued) settleQueue({ database, newId, announce }, instance.id, settleQueued);
        if (forgetNumber) {
          forgetSession(database, instance.id);
          leaveGroups(database, instance.id);
        }
        announce({ topic: 'instance', instanceId: instance.id, ...(lease && { byHolder: true }) });
        return { kind: 'written', instance: written };
      });
    },
    delete: async ({ instance, lease, settleQueued }) => {
      const { database, newId, write } = connected();
      return write((announce) => {
        if (!isHeld(database, lease)) return 'fenced';
        const stored = findInstance(database, instance.workspaceId, instance.id);
        if (stored?.version !== instance.version) return 'stale';
        settleQueue({ database, newId, announce }, instance.id, settleQueued);
        forgetSession(database, instance.id);
        database.run('DELETE FROM instance_groups WHERE instance_id = ?', instance.id);
        database.run('DELETE FROM instances WHERE id = ?', instance.id);
        orphanContent(database, instance.id);
        announce({ topic: 'instance', instanceId: instance.id });
        return 'deleted';
      });
    },
    seen: async (lease, now) => {
      const { database, write } = connected();
      await write(() => {
        if (!isHeld(database, lease)) return;
        database.run(
          'UPDATE instances SET last_seen_at = max(coalesce(last_seen_at, 0), ?) WHERE id = ?',
          now,
          lease.instanceId,
        );
      });
    },

    claimLeases: async ({ owner, now, ttlMs, limit, leaveAhead = false }) => {
      const { database, process, write } = connected();
      const latestEnd = leaveAhead ? Number.MAX_SAFE_INTEGER : latestLeaseEnd(now, ttlMs);
      // Looks first: a pass that finds nothing need not write.
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
          });
          return {
            instance: entities.instance.read(row),
            lease: { instanceId: text(row, 'id'), owner, epoch },
          };
        }),
      );
    },
    renewLeases: async ({ owner, now, ttlMs }) => {
      const { database, write } = connected();
      return write(() => {
        database.run(`UPDATE instances SET lease_expires_at = ? WHERE ${HELD_BY}`, now + ttlMs, owner, now);
        return database
          .all(`SELECT * FROM instances WHERE ${HELD_BY} ORDER BY id`, owner, now)
          .map(entities.leasedInstance);
      });
    },
    releaseLease: async (lease, reservation) => {
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
    checkIn: async (owner, { now, since, asksUntil = 0 }) => {
      const { database, write } = connected();
      return write(() => {
        // From before the clock was set back, too.
        database.run(
          'DELETE FROM lease_owners WHERE checked_in_at <= ? OR checked_in_at > ?',
          since,
          latestCheckIn(now),
        );
        database.run(
          'INSERT OR REPLACE INTO lease_owners (owner, checked_in_at, asks_until) VALUES (?, ?, ?)',
          owner,
          now,
          asksUntil,
        );
        return {
          owners: database.all(OWNERS, now).map(readOwnerShare),
          instances: countOf(database, `SELECT count(*) AS count FROM instances WHERE ${NEEDS_GATEWAY}`),
        };
      });
    },
    checkOut: async (owner) => {
      const { database, write } = connected();
      await write(() => database.run('DELETE FROM lease_owners WHERE owner = ?', owner));
    },
    findLease: async (instanceId, now) => {
      const row = connected().database.get(
        "SELECT * FROM instances WHERE id = ? AND lease_owner <> '' AND lease_expires_at > ?",
        instanceId,
        now,
      );
      return row ? entities.leasedInstance(row).lease : null;
    },

    loadSession: async (instanceId) => {
      const rows = connected().database.all(
        'SELECT name, value FROM session_values WHERE instance_id = ?',
        instanceId,
      );
      return new Map(rows.map((row) => [text(row, 'name'), bytes(row, 'value')]));
    },
    saveSession: async (lease, changes) => {
      const { database, write } = connected();
      const copy = new Map([...changes].map(([name, value]) => [name, value && value.slice()]));
      return write(() => {
        if (!isHeld(database, lease)) return 'fenced';
        for (const [name, value] of copy) saveSessionValue(database, lease, name, value);
        return 'saved';
      });
    },
    replaceSessionValues: async (instanceId, replacements) => {
      const { database, write } = connected();
      const copy = [...replacements].map(([name, { from, to }]) => [name, from.slice(), to.slice()] as const);
      return write(() => {
        for (const [name, from, to] of copy) {
          database.run(REPLACE_SESSION_VALUE, to, instanceId, name, from);
        }
      });
    },

    ...groupMethods(connected),
  };
}

// As the index instances_to_hold has it.
const NEEDS_GATEWAY = "(desired = 'running' OR operation IS NOT NULL)";

interface LeaseSearch {
  readonly owner: string;
  readonly now: number;
  /** What ends later is free. */
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

function readOwnerShare(row: Row): OwnerShare {
  return {
    owner: text(row, 'owner'),
    held: integer(row, 'held'),
    checkedInAt: integer(row, 'checked_in_at'),
    asksUntil: integer(row, 'asks_until'),
  };
}

// Relies on the index instances_by_owner, which has no rows without an owner.
const HELD_BY = "lease_owner = ? AND lease_owner <> '' AND lease_expires_at > ?";

function countOf(database: Database, sql: string): number {
  const row = database.get(sql);
  return row ? integer(row, 'count') : 0;
}

/** Whether the workspace has this many instances: looks at no more of them. */
function hasInstances(database: Database, workspaceId: string, count: number): boolean {
  if (count === 0) return true;
  return (
    database.get(
      'SELECT 1 FROM instances WHERE workspace_id = ? LIMIT 1 OFFSET ?',
      workspaceId,
      count - 1,
    ) !== undefined
  );
}

function findInstance(database: Database, workspaceId: string, id: string): Instance | null {
  const row = database.get('SELECT * FROM instances WHERE id = ? AND workspace_id = ?', id, workspaceId);
  return row ? entities.instance.read(row) : null;
}

function saveSessionValue(
  database: Database,
  { instanceId }: Lease,
  name: string,
  value: Uint8Array | null,
): void {
  if (value === null) {
    database.run('DELETE FROM session_values WHERE instance_id = ? AND name = ?', instanceId, name);
    return;
  }
  const sql = `INSERT OR REPLACE INTO session_values (instance_id, name, value) VALUES (?, ?, ${BYTES})`;
  database.run(sql, instanceId, name, value);
}

const REPLACE_SESSION_VALUE = `
  UPDATE session_values SET value = ${BYTES} WHERE instance_id = ? AND name = ? AND value = ${BYTES}`;

function later(a: number | null, b: number | null): number | null {
  return a === null || (b !== null && b > a) ? b : a;
}

function forgetSession(database: Database, instanceId: string): void {
  database.run('DELETE FROM session_values WHERE instance_id = ?', instanceId);
}
