import { cancelledBy, isOpen } from '@trunkline/core/spi/storage';
import type { Attempt, Delivery } from '@trunkline/core/spi/storage';
import { ENDED_GENERATION } from '@trunkline/storage-kit';
import { cancellationOf } from './cancellation.ts';
import type { Columns, Database } from '../database/database.ts';
import { entities, integer } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';

/** `generation` is that of the lane, and is stored only if the delivery is open. */
export function deliveryColumns(delivery: Delivery, generation: number): Columns {
  return { ...entities.delivery.columns(delivery), generation: generationOf(delivery, generation) };
}

/** The columns of a delivery that change after its creation. */
export function outcomeColumns(delivery: Delivery, generation: number): Columns {
  return { ...entities.deliveryOutcome.columns(delivery), generation: generationOf(delivery, generation) };
}

function generationOf({ status }: Delivery, open: number): number {
  return isOpen(status) ? open : ENDED_GENERATION;
}

/** Reads a delivery. A cancelled delivery reads as failed even if its outcome is not stored yet. */
export function readDelivery(database: Database, row: Row): Delivery {
  const delivery = entities.delivery.read(row);
  if (!isOpen(delivery.status)) return delivery;
  const reason = cancellationOf(database, delivery.endpointId, integer(row, 'generation'));
  return reason ? cancelledBy(reason, delivery) : delivery;
}

export function attemptColumns(deliveryId: string, attempt: Attempt): Columns {
  return { delivery_id: deliveryId, ...entities.attempt.columns(attempt) };
}
