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

/** The networks of the instances that meet a condition. Walks an index from one network to the next. */
export const networksOf = (condition: string): string => `
  WITH RECURSIVE networks (network) AS (
    SELECT min(network) FROM instances WHERE ${condition}
    UNION ALL
    SELECT (SELECT min(instances.network) FROM instances
            WHERE instances.network > networks.network AND (${condition}))
    FROM networks
    WHERE networks.network IS NOT NULL
  )
  SELECT network FROM networks WHERE network IS NOT NULL`;

// Relies on instances_to_hold.
/** The networks of the instances that need a gateway. */
export const NEEDED_NETWORKS: string = networksOf(NEEDS_GATEWAY);
