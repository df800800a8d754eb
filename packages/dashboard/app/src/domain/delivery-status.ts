import type { DeliveryDetailResource, DeliveryResource } from '@trunkline/http/client';
import type { Tone } from '../components/status-badge.tsx';

export type DeliveryStatus = DeliveryResource['status'];

/** One request of a delivery, and its outcome. */
export type Attempt = DeliveryDetailResource['attempt_log'][number];

/** The statuses, in the order of a delivery's life. */
export const DELIVERY_STATUSES: readonly DeliveryStatus[] = [
  'pending',
  'retrying',
  'success',
  'failed',
  'exhausted',
];

/** `failed` and `exhausted` deliveries have ended: they get no further automatic attempt. */
export const DELIVERY_TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'busy',
  retrying: 'act',
  success: 'good',
  failed: 'bad',
  exhausted: 'bad',
};
