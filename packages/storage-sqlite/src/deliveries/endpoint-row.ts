import { healthAfter } from '@trunkline/core/spi/storage';
import type { Attempt, Delivery } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';
import { entities } from '../rows/row.ts';

export function isEnabled(database: Database, workspaceId: string, endpointId: string): boolean {
  const sql = "SELECT 1 FROM endpoints WHERE id = ? AND workspace_id = ? AND status = 'enabled'";
  return database.get(sql, endpointId, workspaceId) !== undefined;
}

/** Updates the health of an attempt's endpoint, if the endpoint still exists. */
export function keepHealth(
  database: Database,
  outcome: { readonly delivery: Delivery; readonly attempt: Attempt; readonly written: Delivery },
): void {
  const { endpointId } = outcome.delivery;
  const row = database.get(
    'SELECT last_delivery, last_success_at, failing_since, exhausted, warned_at FROM endpoints WHERE id = ?',
    endpointId,
  );
  if (!row) return;
  const health = healthAfter(entities.endpointHealth.read(row), outcome);
  database.update('endpoints', endpointId, entities.endpointHealth.columns(health));
}
