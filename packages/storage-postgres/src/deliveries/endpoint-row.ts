import type { EndpointHealth } from '@trunkline/core/spi/storage';
import type { RowOf } from '../rows/column-arrays.ts';
import { entities } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';

/** The id of an endpoint and the columns that `healthColumns` returns, with their types. */
export const HEALTH = {
  id: 'uuid',
  last_delivery: 'text',
  last_success_at: 'bigint',
  failing_since: 'bigint',
  exhausted: 'boolean',
  warned_at: 'bigint',
} as const;

export function healthColumns(health: EndpointHealth): Omit<RowOf<typeof HEALTH>, 'id'> {
  return entities.endpointHealth.columns(health) as Omit<RowOf<typeof HEALTH>, 'id'>; // `HEALTH` has the same columns
}

/**
 * Whether deliveries can be queued at this endpoint. If so, the endpoint cannot be closed or deleted before this
 * transaction ends.
 */
export async function keepEnabled(
  { get }: Statements,
  workspace: string | null,
  endpoint: string | null,
): Promise<boolean> {
  const sql = `
    SELECT 1 FROM trunkline.endpoints WHERE id = $1 AND workspace_id = $2 AND status = 'enabled' FOR KEY SHARE`;
  return (await get(sql, endpoint, workspace)) !== undefined;
}
