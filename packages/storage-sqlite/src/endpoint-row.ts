import { healthAfter } from '@trunkline/core/spi/storage';
import type { Attempt, Delivery } from '@trunkline/core/spi/storage';
import type { Database } from './database.ts';
import { entities } from './row.ts';

export function isEnabled(database: Database, workspaceId: string, webhookId: string): boolean {
  const sql = "SELECT 1 FROM endpoints WHERE id = ? AND workspace_id = ? AND status = 'enabled'";
  return database.get(sql, webhookId, workspaceId) !== undefined;
}

/** Keeps the health of an attempt's endpoint, where that is still there. */
export function keepHealth(
  database: Database,
  outcome: { readonly delivery: Delivery; readonly attempt: Attempt; readonly written: Delivery },
): void {
  const { webhookId } = outcome.delivery;
  const row = database.get(
    'SELECT last_delivery, last_success_at, failing_since, exhausted, warned_at FROM endpoints WHERE id = ?',
    webhookId,
  );
  if (!row) return;
  const health = healthAfter(entities.endpointHealth.read(row), outcome);
  database.update('endpoints', webhookId, entities.endpointHealth.columns(health));
}
