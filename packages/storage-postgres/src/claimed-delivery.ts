import { endedWithoutEvent } from '@trunkline/core/spi/storage';
import type { ClaimedDelivery, DeliveryClaim } from '@trunkline/core/spi/storage';
import type { Transaction } from './database.ts';
import { outcomeColumns, readStoredDelivery, SETTLE, settleValues } from './delivery-row.ts';
import { openLanes } from './lane.ts';
import type { Claim } from './lane-claims.ts';
import { LOOK, lookAtLanes, readOutlook } from './lane-outlook.ts';
import type { Outlook } from './lane-outlook.ts';
import { id, text } from './row.ts';
import type { Row } from './row.ts';
import { boundsOf, uuidOf } from './uuid.ts';

interface Claimed {
  readonly claimed: readonly ClaimedDelivery[];
  readonly withoutEvent: readonly string[];
  /** What the lanes are left like. */
  readonly outlook: Outlook;
}

/**
 * What claims hold, in their order. Claims of what retention has deleted meanwhile are released. What has no event, in a
 * damaged database, ends here rather than be claimed again for ever.
 */
export async function readClaimed(
  transaction: Transaction,
  claims: readonly Claim[],
  claim: DeliveryClaim,
): Promise<Claimed> {
  const uuids = claims.map(({ delivery }) => delivery);
  const { first, last } = boundsOf(uuids);
  const rows = claims.length === 0 ? [] : await transaction.all(READ, uuids, first, last);
  // No closing has ended one of them: then it could not have been claimed.
  const found = new Map(rows.map((row) => [text(row, 'id'), row]));
  const isWhole = (row: Row | undefined): row is Row => row !== undefined && row['payload'] !== null;
  const claimed = claims.flatMap((one) => {
    const row = found.get(one.delivery);
    return isWhole(row) ? [claimedDelivery(one, row)] : [];
  });
  const damaged = rows.filter((row) => !isWhole(row));
  if (claimed.length < claims.length) {
    await release(
      transaction,
      claims.filter(({ delivery }) => !isWhole(found.get(delivery))),
    );
    await endWithoutEvent(transaction, damaged, claim.now);
  }
  const [row] = rows;
  return {
    claimed,
    withoutEvent: damaged.map((one) => id(one, 'id', 'whd')),
    outlook:
      row && claimed.length === claims.length
        ? readOutlook(row, claim)
        : await lookAtLanes(transaction, claim),
  };
}

/** With the outlook, which saves a look at the lanes. The bounds keep partitions of other days out. */
const READ = `
  SELECT outlook.*, deliveries.*, events.payload, endpoints.url, endpoints.sealed_secret
  FROM trunkline.deliveries
  LEFT JOIN trunkline.events ON events.id = deliveries.event_id
  JOIN trunkline.endpoints ON endpoints.id = deliveries.webhook_id
  CROSS JOIN (${LOOK}) AS outlook
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
