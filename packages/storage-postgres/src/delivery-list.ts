import { DELIVERY_STATUSES, EVENT_TYPES, isOpen } from '@trunkline/core/spi/storage';
import type { DeliveryStatus } from '@trunkline/core/spi/storage';
import { deliveryOf, ENDED } from './delivery-row.ts';
import type { List } from './page.ts';
import { integerOrNull, integers } from './row.ts';
import type { Statements } from './statements.ts';
import { encodeText } from './text-encoding.ts';
import { uuidToFind } from './uuid.ts';

interface DeliveryQuery {
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  readonly eventType?: string | undefined;
  /** Rows with smaller uuids are not found. */
  readonly floor: string;
}

/**
 * One endpoint's deliveries. Without a filter they are one walk along deliveries_by_webhook; else there is a walk for
 * each kind that passes it, along deliveries_by_kind, so that a page costs the same however rare what it asks for is.
 */
export async function deliveryList(statements: Statements, query: DeliveryQuery): Promise<List> {
  const { workspaceId, webhookId, statuses, eventType, floor } = query;
  const endpoint = uuidToFind('wh', webhookId);
  const list = { table: 'trunkline.deliveries', prefix: 'whd', columns: deliveryOf('item'), floor } as const;
  const standing = await readStanding(statements, endpoint, uuidToFind('ten', workspaceId));
  if (!standing || (statuses === undefined && eventType === undefined)) {
    return {
      ...list,
      parts: 'unnest($1::uuid[]) AS part (webhook_id)',
      keys: { webhook_id: 'part.webhook_id' },
      values: [standing ? [endpoint] : []],
    };
  }
  const types = eventType === undefined ? EVENT_TYPES : [encodeText(eventType)];
  const kinds = kindsThatRead(standing, statuses ?? DELIVERY_STATUSES).flatMap((kind) =>
    types.map((type) => ({ ...kind, type })),
  );
  return {
    ...list,
    parts: `unnest($1::uuid[], $2::text[], $3::integer[], $4::text[])
      AS part (webhook_id, status, generation, event_type)`,
    keys: {
      status: 'part.status',
      generation: 'part.generation',
      event_type: 'part.event_type',
      webhook_id: 'part.webhook_id',
    },
    values: [
      kinds.map(() => endpoint),
      kinds.map(({ status }) => status),
      kinds.map(({ generation }) => generation),
      kinds.map(({ type }) => type),
    ],
  };
}

/** The generations of an endpoint's lane. */
interface Standing {
  readonly current: number;
  /** Those in which something may not be written down yet. */
  readonly closed: readonly number[];
}

/** Null where the endpoint has no deliveries, or another workspace's. */
async function readStanding(
  statements: Statements,
  endpoint: string | null,
  workspace: string | null,
): Promise<Standing | null> {
  const row = await statements.get(STANDING, endpoint, workspace);
  if (row?.['is_theirs'] !== true) return null;
  return { current: integerOrNull(row, 'generation') ?? ENDED, closed: integers(row, 'closed') };
}

/**
 * The deliveries of an endpoint are all of one workspace, so that one of them tells; they outlive the endpoint. In the
 * order of deliveries_by_webhook it is found by that, however few there are.
 */
const STANDING = `
  SELECT
    (
      SELECT workspace_id FROM trunkline.deliveries WHERE webhook_id BETWEEN $1 AND $1 ORDER BY webhook_id LIMIT 1
    ) = $2::uuid AS is_theirs,
    (SELECT generation FROM trunkline.lanes WHERE endpoint_id = $1) AS generation,
    ARRAY(SELECT generation::bigint FROM trunkline.closings WHERE endpoint_id = $1) AS closed`;

interface Kind {
  readonly status: DeliveryStatus;
  readonly generation: number;
}

/** How what reads as one of these statuses is stored: what a closing has ended stays as open in its generation until it is swept. */
function kindsThatRead({ current, closed }: Standing, statuses: readonly DeliveryStatus[]): readonly Kind[] {
  const asStored = statuses.map((status) => ({ status, generation: isOpen(status) ? current : ENDED }));
  if (!statuses.includes('failed')) return asStored;
  const open = DELIVERY_STATUSES.filter(isOpen);
  return [...asStored, ...open.flatMap((status) => closed.map((generation) => ({ status, generation })))];
}
