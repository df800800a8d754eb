import { DELIVERY_STATUSES, EVENT_TYPES } from '@trunkline/core/spi/storage';
import type { DeliveryStatus } from '@trunkline/core/spi/storage';
import { endedDeliveryStatuses, openDeliveryKinds } from '@trunkline/storage-kit';
import { closedGenerations } from './cancellation.ts';
import type { Database } from './database.ts';
import { ENDED } from './delivery-row.ts';
import { laneGeneration } from './lane.ts';
import type { List } from './page.ts';

interface DeliveryQuery {
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  readonly eventType?: string | undefined;
  /** Rows with smaller ids are not found. */
  readonly floor: string;
}

/**
 * One endpoint's deliveries. Without a filter they are one walk along deliveries_by_webhook; else there is a walk for
 * each kind that passes it, along deliveries_by_kind, so that a page costs the same however rare what it asks for is.
 */
export function deliveryList(database: Database, query: DeliveryQuery): List {
  const { webhookId, statuses, eventType, floor } = query;
  if (workspaceOfEndpoint(database, webhookId) !== query.workspaceId) {
    return { table: 'deliveries', where: 'webhook_id = ?', parts: [] };
  }
  if (statuses === undefined && eventType === undefined) {
    return { table: 'deliveries', where: 'webhook_id = ?', parts: [[webhookId]], floor };
  }
  const types: readonly string[] = eventType === undefined ? EVENT_TYPES : [eventType];
  const kinds = kindsThatRead(database, webhookId, statuses ?? DELIVERY_STATUSES);
  return {
    table: 'deliveries',
    where: 'webhook_id = ? AND status = ? AND generation = ? AND event_type = ?',
    parts: kinds.flatMap((kind) => types.map((type) => [webhookId, ...kind, type])),
    floor,
  };
}

/** The deliveries of an endpoint are all of one workspace, so that one of them is enough; they outlive the endpoint. */
function workspaceOfEndpoint(database: Database, webhookId: string): unknown {
  const sql = 'SELECT workspace_id FROM deliveries WHERE webhook_id = ? LIMIT 1';
  return database.get(sql, webhookId)?.['workspace_id'];
}

/** How what reads as one of these statuses is stored. */
function kindsThatRead(
  database: Database,
  webhookId: string,
  statuses: readonly DeliveryStatus[],
): readonly (readonly [status: DeliveryStatus, generation: number])[] {
  const current = laneGeneration(database, webhookId);
  const open = openDeliveryKinds(statuses, { current, closed: closedGenerations(database, webhookId) });
  return [
    ...endedDeliveryStatuses(statuses).map((status) => [status, ENDED] as const),
    ...open.map(({ status, generation }) => [status, generation] as const),
  ];
}
