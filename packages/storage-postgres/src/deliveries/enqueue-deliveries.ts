import type { Delivery, DeliveryStore } from '@trunkline/core/spi/storage';
import { createBatcher } from '../database/batcher.ts';
import type { Connected } from '../database/database.ts';
import { storeEventsFor } from './event-fan-out.ts';
import type { DirectEvent } from './event-fan-out.ts';
import { runBatch } from '../database/batch-transaction.ts';

/** Calls that arrive together share a transaction; calls for one endpoint keep their order. */
export function enqueueDeliveries(connected: Connected): DeliveryStore['enqueue'] {
  const batcher = createBatcher<DirectEvent, Delivery | null>({
    max: 500,
    inFlight: 2,
    keyOf: ({ endpointId }) => endpointId,
    run: (direct) => runBatch(connected(), direct, storeEventsFor),
  });
  return async (endpointId, event) => connected().track(batcher.run({ endpointId, event }));
}
