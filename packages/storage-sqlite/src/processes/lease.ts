import type { Lease } from '@trunkline/core/spi/storage';
import type { Database } from '../database/database.ts';

/** Whether the lease still permits writes, because it was neither taken nor released since. */
export function isHeld(database: Database, { instanceId, owner, epoch }: Lease): boolean {
  return (
    database.get(
      'SELECT 1 FROM instances WHERE id = ? AND lease_owner = ? AND lease_epoch = ?',
      instanceId,
      owner,
      epoch,
    ) !== undefined
  );
}

// The same condition as in the index instances_to_hold.
export const NEEDS_GATEWAY: string = "(desired = 'running' OR operation IS NOT NULL)";

// Relies on instances_to_hold. Walks from one network to the next.
/** The networks of the instances that need a gateway. */
export const NEEDED_NETWORKS: string = `
  WITH RECURSIVE needed (network) AS (
    SELECT min(network) FROM instances WHERE ${NEEDS_GATEWAY}
    UNION ALL
    SELECT (SELECT min(instances.network) FROM instances
            WHERE instances.network > needed.network AND (${NEEDS_GATEWAY}))
    FROM needed
    WHERE needed.network IS NOT NULL
  )
  SELECT network FROM needed WHERE network IS NOT NULL`;
