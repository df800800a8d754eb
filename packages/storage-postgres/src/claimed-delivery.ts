import { endedWithoutEvent } from '@trunkline/core/spi/storage';
import type { ClaimedDelivery } from '@trunkline/core/spi/storage';
import type { Transaction } from './database.ts';
import { outcomeColumns, readStoredDelivery, SETTLE, settleValues } from './delivery-row.ts';
import { openLanes } from './lane.ts';
import type { Claim } from './lane-claims.ts';
import { id, text } from './row.ts';
import type { Row } from './row.ts';
import { boundsOf, uuidOf } from './uuid.ts';

/**
 * What claims hold, in their order. Claims of what retention has deleted meanwhile are released. What has no event, in a
 * damaged database, ends here rather than be claimed again for ever.
 */
export async function readClaimed(
  transaction: Transaction,
  claims: readonly Claim[],
  now: number,
): Promise<{ readonly claimed: readonly ClaimedDelivery[]; readonly withoutEvent: readonly string[] }> {
  if (claims.length === 0) return { claimed: [], withoutEvent: [] };
  const uuids = claims.map(({ deliveryId }) => uuidOf('whd', deliveryId));
  const { first, last } = boundsOf(uuids);
  const rows = await transaction.all(READ, uuids, first, last);
  // No closing has ended one of them: then it could not have been claimed.
  const found = new Map(rows.map((row) => [id(row, 'id', 'whd'), row]));
  const isWhole = (row: Row | undefined): row is Row => row !== undefined && row['payload'] !== null;
  const claimed = claims.flatMap((claim) => {
    const row = found.get(claim.deliveryId);
    return isWhole(row) ? [claimedDelivery(claim, row)] : [];
  });
  if (claimed.length < claims.length) {
    await release(
      transaction,
      claims.filter(({ deliveryId }) => !isWhole(found.get(deliveryId))),
    );
  }
  const damaged = rows.filter((row) => !isWhole(row));
  await endWithoutEvent(transaction, damaged, now);
  return { claimed, withoutEvent: damaged.map((row) => id(row, 'id', 'whd')) };
}

/** The bounds keep partitions of other days out. */
const READ = `
  SELECT deliveries.*, events.payload, endpoints.url, endpoints.sealed_secret
  FROM trunkline.deliveries
  LEFT JOIN trunkline.events ON events.id = deliveries.event_id
  JOIN trunkline.endpoints ON endpoints.id = deliveries.webhook_id
  WHERE deliveries.id = ANY ($1::uuid[]) AND deliveries.id BETWEEN $2 AND $3`;

function claimedDelivery({ token, lostClaims }: Claim, row: Row): ClaimedDelivery {
  return {
    delivery: readStoredDelivery(row),
    token,
    lostClaims,
    payload: text(row, 'payload'),
    endpoint: { url: text(row, 'url'), sealedSecret: text(row, 'sealed_secret') },
  };
}

async function endWithoutEvent(transaction: Transaction, rows: readonly Row[], now: number): Promise<void> {
  if (rows.length === 0) return;
  const outcomes = rows.map((row) => {
    const delivery = endedWithoutEvent(readStoredDelivery(row), now);
    return { id: uuidOf('whd', delivery.id), ...outcomeColumns(delivery, 0) };
  });
  await transaction.run(SETTLE, ...settleValues(outcomes));
}

async function release(transaction: Transaction, claims: readonly Claim[]): Promise<void> {
  const rows = await transaction.all(
    'DELETE FROM trunkline.claims WHERE token = ANY ($1::bigint[]) RETURNING endpoint_id',
    claims.map(({ token }) => token),
  );
  await openLanes(
    transaction,
    rows.map((row) => String(row['endpoint_id'])),
  );
}
