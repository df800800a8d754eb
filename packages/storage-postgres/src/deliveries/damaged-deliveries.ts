import { endedWithoutEvent } from '@trunkline/core/spi/storage';
import type { DeliveryClaimResult } from '@trunkline/core/spi/storage';
import { columnArrays, countOf, manySentRows } from '../rows/column-arrays.ts';
import type { Transaction } from '../database/database.ts';
import { insertEnded, OUTCOME, outcomeColumns } from './delivery-row.ts';
import { refreshLanes, releasing } from './lane.ts';
import { entities, id, integer, text } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/**
 * Ends claimed deliveries whose event or endpoint is missing in a damaged database, because they would be claimed again
 * indefinitely. Returns their ids by what is missing.
 */
export async function endDamaged(
  transaction: Transaction,
  rows: readonly Row[],
  now: number,
): Promise<Pick<DeliveryClaimResult, 'withoutEvent' | 'withoutEndpoint'>> {
  if (rows.length === 0) return {};
  const endpoints = [...new Set(rows.map((row) => text(row, 'webhook_id')))];
  const tokens = rows.map((row) => integer(row, 'token'));
  const outcomes = rows.map((row) => ({
    id: text(row, 'id'),
    ...outcomeColumns(endedWithoutEvent(entities.delivery.read(row), now)),
  }));
  await transaction.run(releasing('claim.token = ANY ($2::bigint[])'), endpoints, tokens);
  await transaction.run(
    END,
    ...columnArrays(OUTCOME, outcomes),
    outcomes.map((outcome) => outcome.id),
  );
  await refreshLanes(transaction, endpoints);
  const withoutEvent = idsOf(rows.filter((row) => row['payload'] === null));
  const withoutEndpoint = idsOf(rows.filter((row) => row['payload'] !== null));
  return {
    ...(withoutEvent.length > 0 ? { withoutEvent } : {}),
    ...(withoutEndpoint.length > 0 ? { withoutEndpoint } : {}),
  };
}

function idsOf(rows: readonly Row[]): readonly string[] {
  return rows.map((row) => id(row, 'id', 'whd'));
}

const END = `
  WITH open AS (
    DELETE FROM trunkline.open_deliveries WHERE id = ANY ($${countOf(OUTCOME) + 1}::uuid[]) RETURNING *
  )
  ${insertEnded('open.first_attempt')}
  FROM open JOIN ${manySentRows(OUTCOME, 'outcome')} ON outcome.id = open.id`;
