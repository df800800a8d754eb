import { DELIVERY_STATUSES, EVENT_TYPES } from '@trunkline/core/spi/storage';
import type { DeliveryStatus } from '@trunkline/core/spi/storage';
import { endedDeliveryKinds, openDeliveryKinds } from '@trunkline/storage-kit';
import type { DeliveryKind } from '@trunkline/storage-kit';
import { closedGenerations } from './cancellation.ts';
import type { Database } from '../database/database.ts';
import { laneGeneration } from './lane.ts';
import type { List } from '../database/page.ts';

interface DeliveryQuery {
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  readonly eventType?: string | undefined;
  /** Rows with smaller ids are not found. */
  readonly floor: string;
}

/**
 * Lists one endpoint's deliveries. Without a filter, reads along deliveries_by_webhook. With a filter, reads along
 * deliveries_by_kind once for each kind that passes the filter, so that a page costs the same however rare its
 * deliveries are.
 */
export function deliveryList(database: Database, query: DeliveryQuery): List {
  const { endpointId, statuses, eventType, floor } = query;
  if (workspaceOfEndpoint(database, endpointId) !== query.workspaceId) {
    return { table: 'deliveries', where: 'webhook_id = ?', parts: [] };
  }
  if (statuses === undefined && eventType === undefined) {
    return { table: 'deliveries', where: 'webhook_id = ?', parts: [[endpointId]], floor };
  }
  const types: readonly string[] = eventType === undefined ? EVENT_TYPES : [eventType];
  const kinds = kindsThatRead(database, endpointId, statuses ?? DELIVERY_STATUSES);
  return {
    table: 'deliveries',
    where: 'webhook_id = ? AND status = ? AND generation = ? AND event_type = ?',
    parts: kinds.flatMap(({ status, generation }) =>
      types.map((type) => [endpointId, status, generation, type]),
    ),
    floor,
  };
}

/**
 * Reads one delivery rather than the endpoint, because all deliveries of an endpoint belong to one workspace and
 * outlive the endpoint.
 */
function workspaceOfEndpoint(database: Database, endpointId: string): unknown {
  const sql = 'SELECT workspace_id FROM deliveries WHERE webhook_id = ? LIMIT 1';
  return database.get(sql, endpointId)?.['workspace_id'];
}

/** The kinds of stored deliveries that read as one of these statuses. */
function kindsThatRead(
  database: Database,
  endpointId: string,
  statuses: readonly DeliveryStatus[],
): readonly DeliveryKind[] {
  const current = laneGeneration(database, endpointId);
  const closed = closedGenerations(database, endpointId);
  return [...endedDeliveryKinds(statuses), ...openDeliveryKinds(statuses, { current, closed })];
}
