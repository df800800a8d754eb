import type { DeliveryStore } from '@trunkline/core/spi/storage';
import { createBatcher } from '../database/batcher.ts';
import type { Connected } from '../database/database.ts';
import { completeAll } from './delivery-completion.ts';
import type { Report } from './delivery-completion.ts';
import { runBatchOrEach } from '../database/batch-transaction.ts';

/**
 * Group commit: completions that arrive together share a few statements and one commit. Completions of one endpoint are
 * never in two concurrent transactions, which would wait for each other.
 */
export function completeDeliveries(connected: Connected): DeliveryStore['complete'] {
  const batcher = createBatcher<Report, boolean>({
    max: 500,
    inFlight: 2,
    keyOf: ({ completion }) => completion.delivery.endpointId,
    run: (reports) =>
      runBatchOrEach(reports, (some) =>
        connected().transactionAtOnce((transaction) => completeAll(transaction, some)),
      ),
  });
  return async (completions, now) => {
    const { track } = connected();
    const written = await track(
      Promise.all(completions.map((completion) => batcher.run({ completion, now }))),
    );
    return written.filter(Boolean).length;
  };
}
