import { DELIVERY_HEADER, EVENT_HEADER, STANDARD_ID_HEADER } from '@trunkline/receiver';
import type { Delivery } from '../domain/delivery/delivery.ts';

/**
 * The headers of a delivery's request that are the same on every attempt and tell no secret (specification, "Request
 * the receiver gets"). Timestamps and signatures are added when an attempt is signed. The id of Standard Webhooks is the
 * event's.
 */
export function requestHeaders(
  delivery: Pick<Delivery, 'id' | 'eventType' | 'eventId'>,
  { standardWebhooks }: { readonly standardWebhooks: boolean },
): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    [EVENT_HEADER]: delivery.eventType,
    [DELIVERY_HEADER]: delivery.id,
    ...(standardWebhooks ? { [STANDARD_ID_HEADER]: delivery.eventId } : {}),
  };
}
