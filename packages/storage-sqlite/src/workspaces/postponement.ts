import { NO_FAILURES } from '@trunkline/core/spi/storage';
import type { Signal } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { entities, text } from '../rows/row.ts';

/** Makes claims skip the lanes of a workspace that is suspended, or whose subscription has ended. */
export function pauseLanes(database: Database, workspaceId: string): void {
  database.run(`UPDATE lanes SET is_paused = 1 WHERE ${OF_WORKSPACE}`, workspaceId);
}

/**
 * Resumes the lanes of a workspace, clears the failures of its endpoints, and announces its deliveries and queued
 * messages.
 */
export function resumeWork(
  database: Database,
  workspaceId: string,
  announce: (signal: Signal) => void,
): void {
  database.run(`UPDATE lanes SET is_paused = 0 WHERE ${OF_WORKSPACE}`, workspaceId);
  const failing = database.all(
    'SELECT id FROM endpoints WHERE workspace_id = ? AND failing_since IS NOT NULL',
    workspaceId,
  );
  for (const row of failing)
    database.update('endpoints', text(row, 'id'), entities.endpointFailures.columns(NO_FAILURES));
  for (const row of database.all(WITH_QUEUE, workspaceId)) {
    announce({ topic: 'queue', instanceId: text(row, 'id') });
  }
  announce({ topic: 'deliveries' });
}

// Relies on endpoints_by_workspace, so that it reads one row per endpoint, however many deliveries wait.
const OF_WORKSPACE = 'endpoint_id IN (SELECT id FROM endpoints WHERE workspace_id = ?)';

// Relies on instances_by_workspace, the primary key of `queue` and held_messages_by_position.
const WITH_QUEUE = `
  SELECT id FROM instances
  WHERE workspace_id = ? AND (
    EXISTS (SELECT 1 FROM queue WHERE queue.instance_id = instances.id)
    OR EXISTS (SELECT 1 FROM held_messages WHERE held_messages.instance_id = instances.id)
  )`;
