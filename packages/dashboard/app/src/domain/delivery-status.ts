import type { DeliveryDetailResource, DeliveryResource } from '@trunkline/http/client';
import type { Tone } from '../components/status-badge.tsx';

export type DeliveryStatus = DeliveryResource['status'];

/** One request of a delivery, and what came back. */
export type Attempt = DeliveryDetailResource['attempt_log'][number];

/** In the order in which a delivery has them. */
export const DELIVERY_STATUSES: readonly DeliveryStatus[] = [
  'pending',
  'retrying',
  'success',
  'failed',
  'exhausted',
];

/** One that is `failed` or `exhausted` has ended: nothing comes by itself any more. */
export const DELIVERY_TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'busy',
  retrying: 'act',
  success: 'good',
  failed: 'bad',
  exhausted: 'bad',
};
