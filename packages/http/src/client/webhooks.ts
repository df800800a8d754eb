import type { DeliveryQuery, DeliveryResource, PageResult } from '@trunkline/core';
import type { CallResult } from './call-result.ts';
import { iterate } from './iterate.ts';
import type { CallOptions, RemoteApi } from './remote-api.ts';

/** The calls about webhook endpoints that the client adds to those of `RemoteApi`, or declares more precisely. */
export interface WebhookCalls {
  /** One page of deliveries, newest first. `nextCursor` leads to the next page. */
  deliveries(id: string, query?: DeliveryQuery, options?: CallOptions): Promise<CallResult<DeliveryPage>>;
  /** Every delivery. Requests each page when it is needed. Throws a ClientError on failure. */
  iterateDeliveries(
    id: string,
    query?: DeliveryQuery,
    options?: CallOptions,
  ): AsyncIterable<DeliveryResource>;
}

/** A page of deliveries. The REST API has no cursor towards newer deliveries. */
export type DeliveryPage = Omit<PageResult<DeliveryResource>, 'prevCursor'>;

export function webhookCalls({ deliveries }: RemoteApi['webhooks']): WebhookCalls {
  return {
    deliveries,
    iterateDeliveries: (id, query, options) =>
      iterate((cursor) => deliveries(id, { ...query, cursor }, options), query?.cursor),
  };
}
