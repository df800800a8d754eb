import { endedBy } from '../../domain/delivery/delivery-state.ts';
import { isOpen } from '../../domain/delivery/delivery.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { DeliveryRecord, State } from './state.ts';

/** The delivery as it reads: what a closing has ended is failed from then on, written down or not. */
export function readDelivery(state: State, record: DeliveryRecord): Delivery {
  const { delivery, generation } = record;
  const reason = isOpen(delivery.status) && state.lanes.get(delivery.webhookId)?.closingOf(generation);
  return structuredClone(reason ? endedBy(reason, delivery) : delivery);
}
