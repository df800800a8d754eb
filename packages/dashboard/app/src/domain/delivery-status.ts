import type { DeliveryResource } from '@trunkline/http/client';
import type { Tone } from '../components/status-badge.tsx';

export type DeliveryStatus = DeliveryResource['status'];

/** One that is `failed` or `exhausted` has ended: nothing comes by itself any more. */
export const DELIVERY_TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'busy',
  retrying: 'act',
  success: 'good',
  failed: 'bad',
  exhausted: 'bad',
};
