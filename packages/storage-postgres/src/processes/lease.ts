import type { Lease } from '@trunkline/core/spi/storage';
import type { Transaction } from '../database/database.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidToFind } from '../rows/uuid.ts';

/**
 * Whether the lease still permits writes, because it was neither taken nor released since. The result holds until the
 * transaction ends. Pass `instance` if the transaction will also write the instance, because two transactions that both
 * hold the shared lock would deadlock when they write.
 */
export async function isHeld(
  transaction: Transaction,
  { instanceId, owner, epoch }: Lease,
  forWhat: 'instance' | 'its messages' = 'its messages',
): Promise<boolean> {
  const sql = forWhat === 'instance' ? HOLD_TO_WRITE : HOLD;
  return (await transaction.get(sql, uuidToFind('ins', instanceId), encodeText(owner), epoch)) !== undefined;
}

/** SQL that is true if the lease with these values is the current one, without a lock. */
export const isLease = (instance: string, owner: string, epoch: string): string =>
  `EXISTS (SELECT FROM trunkline.instances WHERE id = ${instance} AND lease_owner = ${owner} AND lease_epoch = ${epoch})`;

const OF_LEASE = 'SELECT 1 FROM trunkline.instances WHERE id = $1 AND lease_owner = $2 AND lease_epoch = $3';
const HOLD = `${OF_LEASE} FOR SHARE`;
const HOLD_TO_WRITE = `${OF_LEASE} FOR UPDATE`;

// The same condition as in the index instances_to_hold.
export const NEEDS_GATEWAY: string = "(desired = 'running' OR operation IS NOT NULL)";

/** The networks of the instances that meet a condition. Walks an index from one network to the next. */
export const networksOf = (condition: string): string => `
  WITH RECURSIVE networks (network) AS (
    (SELECT network FROM trunkline.instances WHERE ${condition} ORDER BY network LIMIT 1)
    UNION ALL
    SELECT next.network
    FROM networks CROSS JOIN LATERAL (
      SELECT instances.network FROM trunkline.instances
      WHERE instances.network > networks.network AND ${condition}
      ORDER BY instances.network
      LIMIT 1
    ) AS next
  )
  SELECT network FROM networks`;

// Relies on instances_to_hold.
/** The networks of the instances that need a gateway. */
export const NEEDED_NETWORKS: string = networksOf(NEEDS_GATEWAY);
