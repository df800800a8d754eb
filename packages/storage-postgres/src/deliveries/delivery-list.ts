import { DELIVERY_STATUSES, EVENT_TYPES } from '@trunkline/core/spi/storage';
import type { DeliveryStatus } from '@trunkline/core/spi/storage';
import { endedDeliveryKinds, openDeliveryKinds } from '@trunkline/storage-kit';
import type { LaneGenerations, DeliveryKind } from '@trunkline/storage-kit';
import { endedDelivery, openDelivery } from './delivery-row.ts';
import type { List } from '../database/page.ts';
import { integerOrNull, integers } from '../rows/row.ts';
import type { Statements } from '../database/statements.ts';
import { encodeText } from '../rows/text-encoding.ts';
import { uuidToFind } from '../rows/uuid.ts';

interface DeliveryQuery {
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  readonly eventType?: string | undefined;
  /** Rows with smaller uuids are not found. */
  readonly floor: string;
}

/**
 * Lists one endpoint's deliveries. Ended deliveries are read along deliveries_by_webhook or, with a filter, along
 * deliveries_by_kind once for each kind that passes the filter, so that a page costs the same however rare its
 * deliveries are. Open deliveries are always read along open_deliveries_by_kind.
 */
export async function deliveryList(statements: Statements, query: DeliveryQuery): Promise<List> {
  const { workspaceId, endpointId, statuses, eventType, floor } = query;
  const endpoint = uuidToFind('wh', endpointId);
  const standing = await readStanding(statements, endpoint, uuidToFind('ten', workspaceId));
  const types = eventType === undefined ? EVENT_TYPES : [encodeText(eventType)];
  const open = kindsOf(standing ? openDeliveryKinds(statuses ?? DELIVERY_STATUSES, standing) : [], types);
  const isWhole = statuses === undefined && eventType === undefined;
  const ended = kindsOf(standing ? endedDeliveryKinds(statuses ?? DELIVERY_STATUSES) : [], types);
  return {
    prefix: 'whd',
    floor,
    table: 'trunkline.open_deliveries',
    columns: openDelivery('item'),
    parts: partsFrom(2),
    keys: KEYS,
    and: {
      table: 'trunkline.deliveries',
      columns: endedDelivery('item'),
      parts: isWhole ? 'unnest($5::uuid[]) AS part (webhook_id)' : partsFrom(5),
      keys: isWhole ? { webhook_id: 'part.webhook_id' } : KEYS,
    },
    values: [endpoint, ...arraysOf(open), ...(isWhole ? [standing ? [endpoint] : []] : arraysOf(ended))],
  };
}

/** One part for each kind in the three arrays that start with `$first`. */
function partsFrom(first: number): string {
  return `unnest($${first}::text[], $${first + 1}::integer[], $${first + 2}::text[]) AS part (status, generation, event_type)`;
}

const KEYS = {
  status: 'part.status',
  generation: 'part.generation',
  event_type: 'part.event_type',
  webhook_id: '$1::uuid',
};

interface KindOfType extends DeliveryKind {
  readonly type: string;
}

function kindsOf(kinds: readonly DeliveryKind[], types: readonly string[]): readonly KindOfType[] {
  return kinds.flatMap((kind) => types.map((type) => ({ ...kind, type })));
}

function arraysOf(kinds: readonly KindOfType[]): readonly (readonly (string | number)[])[] {
  return [
    kinds.map(({ status }) => status),
    kinds.map(({ generation }) => generation),
    kinds.map(({ type }) => type),
  ];
}

/** Returns null if the endpoint has no deliveries, or belongs to another workspace. */
async function readStanding(
  statements: Statements,
  endpoint: string | null,
  workspace: string | null,
): Promise<LaneGenerations | null> {
  const row = await statements.get(STANDING, endpoint, workspace);
  if (row?.['is_theirs'] !== true) return null;
  return { current: integerOrNull(row, 'generation'), closed: integers(row, 'closed') };
}

/**
 * The lane names the workspace of its endpoint, and exists while any delivery is open, even if the endpoint was
 * deleted. All ended deliveries of an endpoint belong to one workspace, so one delivery is enough. The ORDER BY makes
 * PostgreSQL find that delivery along deliveries_by_webhook, however few deliveries the endpoint has.
 */
const STANDING = `
  SELECT
    coalesce(
      (SELECT workspace_id FROM trunkline.lanes WHERE endpoint_id = $1),
      (SELECT workspace_id FROM trunkline.deliveries WHERE webhook_id BETWEEN $1 AND $1 ORDER BY webhook_id LIMIT 1)
    ) = $2::uuid AS is_theirs,
    (SELECT generation FROM trunkline.lanes WHERE endpoint_id = $1) AS generation,
    ARRAY(SELECT generation::bigint FROM trunkline.closings WHERE endpoint_id = $1) AS closed`;
