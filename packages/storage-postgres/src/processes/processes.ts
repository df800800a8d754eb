import { stateOf, thisProcess } from '@trunkline/core/node';
import type { Database, Transaction } from '../database/database.ts';
import { lockLanes, refreshLanes } from '../deliveries/lane.ts';
import { takingBack } from '../deliveries/lane-claims.ts';
import { entities, id, integer } from '../rows/row.ts';

/** Knows the number of this process, and which other processes have ended. */
export interface Processes {
  /**
   * The number under which leases and claims are written; 0 before the first `releaseEnded`, after `close`, or if this
   * process cannot be identified.
   */
  readonly own: () => number;
  releaseEnded(database: Database, now: number): Promise<number>;
  /** Removes this process, unless it still holds work, which is released once the process has ended. */
  close(database: Database): Promise<void>;
}

/**
 * Asks only the operating system whether a process has ended, and so only about processes on the same machine. A lock
 * held by a process's session would prove nothing, because its connection may break, or be closed by a pooler or an
 * administrator, while the process lives on.
 */
export function knownProcesses(): Processes {
  const { machine, namespace, pid, startedAt } = thisProcess();
  let own = 0;

  return {
    own: () => own,
    async releaseEnded(database, now) {
      if (machine === '') return 0;
      if (own === 0) {
        const row = await database.get(ADD, machine, namespace, pid, startedAt);
        own = row ? integer(row, 'id') : 0;
      }
      const others = await database.all(OTHERS, machine, own);
      const ended = others
        .filter((row) => stateOf(entities.process.read(row)) === 'ended')
        .map((row) => integer(row, 'id'));
      for (const one of ended) await release(database, one, now);
      return ended.length;
    },
    async close(database) {
      if (own !== 0) await database.run(REMOVE, own);
      own = 0;
    },
  };
}

// Also deletes old rows of other machines, which nothing else removes. If such a process still runs, its end can no
// longer be proved.
const ADD = `
  WITH old AS (
    DELETE FROM trunkline.processes WHERE added_at < now() - interval '30 days' AND machine <> $1
  )
  INSERT INTO trunkline.processes (machine, namespace, pid, started_at) VALUES ($1, $2, $3, $4) RETURNING id`;

const OTHERS = 'SELECT * FROM trunkline.processes WHERE machine = $1 AND id <> $2';

/** Several processes may release what the same process held, and any of them may die, so the row is deleted last. */
async function release(database: Database, process: number, now: number): Promise<void> {
  await database.transaction((transaction) => releaseLeases(transaction, process));
  await database.transaction((transaction) => releaseClaims(transaction, process, now));
  await database.transaction(async (transaction) => {
    if ((await transaction.run(EVENTS, process, now)) > 0) transaction.announce({ topic: 'subscriptions' });
  });
  await database.run('DELETE FROM trunkline.processes WHERE id = $1', process);
}

async function releaseLeases(transaction: Transaction, process: number): Promise<void> {
  for (const row of await transaction.all(LEASES, process))
    transaction.announce({ topic: 'instance', instanceId: id(row, 'id', 'ins') });
}

// Locks in id order, so that concurrent statements cannot deadlock.
const LEASES = `
  WITH held AS MATERIALIZED (
    SELECT id, lease_owner FROM trunkline.instances
    WHERE lease_process = $1 AND lease_owner <> ''
    ORDER BY id
    FOR UPDATE
  ), owners AS (
    DELETE FROM trunkline.lease_owners USING held WHERE owner = held.lease_owner
  )
  UPDATE trunkline.instances SET lease_owner = '', lease_expires_at = 0, lease_lost_by = held.lease_owner
  FROM held
  WHERE instances.id = held.id
  RETURNING instances.id`;

async function releaseClaims(transaction: Transaction, process: number, now: number): Promise<void> {
  const rows = await transaction.all(CLAIMED, process);
  if (rows.length === 0) return;
  const endpoints = rows.map((row) => String(row['endpoint_id']));
  await lockLanes(transaction, endpoints);
  await transaction.run(TAKE_BACK, endpoints, now, process);
  await refreshLanes(transaction, endpoints);
  transaction.announce({ topic: 'deliveries' });
}

/** Reads all lanes, which happens once for each process that ends. */
const CLAIMED = `
  SELECT endpoint_id FROM trunkline.lanes WHERE EXISTS (SELECT 1 FROM unnest(claims) WHERE process = $1)`;

const TAKE_BACK = takingBack('claim.process = $3');

// Relies on queued_events_claimed. The token stays, so that the next claim counts this claim as lost.
const EVENTS = `
  WITH held AS MATERIALIZED (
    SELECT event_id, subscription_id FROM trunkline.queued_events
    WHERE process = $1 AND process <> 0
    ORDER BY event_id, subscription_id
    FOR UPDATE
  )
  UPDATE trunkline.queued_events SET due_at = $2, process = 0
  FROM held
  WHERE queued_events.event_id = held.event_id AND queued_events.subscription_id = held.subscription_id`;

const REMOVE = `
  DELETE FROM trunkline.processes
  WHERE id = $1
    AND NOT EXISTS (SELECT 1 FROM trunkline.instances WHERE lease_process = $1 AND lease_owner <> '')
    AND NOT EXISTS (SELECT 1 FROM trunkline.lanes CROSS JOIN LATERAL unnest(lanes.claims) WHERE process = $1)
    AND NOT EXISTS (SELECT 1 FROM trunkline.queued_events WHERE process = $1 AND process <> 0)`;
