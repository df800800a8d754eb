import { NO_FAILURES } from '@trunkline/core/spi/storage';
import type { Transaction } from '../database/database.ts';
import { lockLanes } from '../deliveries/lane.ts';
import { entities, id } from '../rows/row.ts';

// The callers hold the lock of the workspace, so that no endpoint is added.

/** Makes claims skip the lanes of a workspace that is suspended, or whose subscription has ended. */
export async function pauseLanes(transaction: Transaction, workspace: string): Promise<void> {
  await setPaused(transaction, await endpointsOf(transaction, workspace), true);
}

/**
 * Resumes the lanes of a workspace, clears the failures of its endpoints, and announces its deliveries and queued
 * messages.
 */
export async function resumeWork(transaction: Transaction, workspace: string): Promise<void> {
  const { all, update, announce } = transaction;
  await setPaused(transaction, await endpointsOf(transaction, workspace), false);
  for (const row of await all(FAILING, workspace)) {
    await update('trunkline.endpoints', String(row['id']), entities.endpointFailures.columns(NO_FAILURES));
  }
  for (const row of await all(WITH_QUEUE, workspace)) {
    announce({ topic: 'queue', instanceId: id(row, 'id', 'ins') });
  }
  announce({ topic: 'deliveries' });
}

/** Relies on endpoints_by_workspace, so that it reads one row per endpoint, however many deliveries wait. */
async function endpointsOf({ all }: Transaction, workspace: string): Promise<readonly string[]> {
  const rows = await all('SELECT id FROM trunkline.endpoints WHERE workspace_id = $1', workspace);
  return rows.map((row) => String(row['id']));
}

async function setPaused(
  transaction: Transaction,
  endpoints: readonly string[],
  isPaused: boolean,
): Promise<void> {
  await lockLanes(transaction, endpoints);
  await transaction.run(SET_PAUSED, endpoints, isPaused);
}

/** Skips endpoints that were deleted during the wait for their lanes, because nothing would ever resume those lanes. */
const SET_PAUSED = `
  UPDATE trunkline.lanes SET is_paused = $2
  WHERE endpoint_id = ANY ($1::uuid[])
    AND EXISTS (SELECT 1 FROM trunkline.endpoints WHERE endpoints.id = lanes.endpoint_id)`;

const FAILING = `
  SELECT id FROM trunkline.endpoints WHERE workspace_id = $1 AND failing_since IS NOT NULL
  ORDER BY id
  FOR NO KEY UPDATE`;

/** Relies on instances_by_workspace and the primary key of `queues`. */
const WITH_QUEUE = `
  SELECT instances.id FROM trunkline.instances JOIN trunkline.queues ON queues.instance_id = instances.id
  WHERE instances.workspace_id = $1 AND queues.length > 0`;
