import {
  SIGNATURE_HEADER,
  signStandardWebhook,
  signWebhook,
  STANDARD_SIGNATURE_HEADER,
  STANDARD_TIMESTAMP_HEADER,
  TIMESTAMP_HEADER,
} from '@trunkline/receiver';
import type { Delivery } from '../domain/delivery/delivery.ts';
import { requestHeaders } from '../resources/webhook.ts';

/** The headers of a webhook request, signed for this attempt. */
export async function signedHeaders(request: {
  readonly delivery: Pick<Delivery, 'id' | 'eventType' | 'eventId'>;
  readonly secret: string;
  /** The exact body. */
  readonly payload: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly standardWebhooks: boolean;
}): Promise<Readonly<Record<string, string>>> {
  const { delivery, secret, payload, standardWebhooks } = request;
  const timestamp = String(Math.floor(request.at / 1000));
  return {
    ...requestHeaders(delivery, { standardWebhooks }),
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: await signWebhook({ secret, timestamp, body: payload }),
    ...(standardWebhooks && {
      [STANDARD_TIMESTAMP_HEADER]: timestamp,
      [STANDARD_SIGNATURE_HEADER]: await signStandardWebhook({
        secret,
        id: delivery.eventId,
        timestamp,
        body: payload,
      }),
    }),
  };
}
