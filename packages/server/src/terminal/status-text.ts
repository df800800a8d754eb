import type {
  DeliveryResource,
  InstanceResource,
  MessageResource,
  WebhookResource,
} from '@trunkline/http/client';
import type { Toned, Tone } from './styled-text.ts';

type Status = (InstanceResource | MessageResource | WebhookResource | DeliveryResource)['status'];

/** Null for a status without a colour. The dashboard has the same colours. */
const TONES: Readonly<Record<Status, Tone | null>> = {
  created: null,
  connecting: 'waiting',
  qr_required: 'waiting',
  connected: 'good',
  disconnected: 'bad',
  logged_out: 'bad',
  error: 'bad',
  queued: 'waiting',
  sent: 'waiting',
  delivered: 'good',
  read: 'good',
  received: 'good',
  failed: 'bad',
  enabled: 'good',
  disabled: 'bad',
  pending: 'waiting',
  retrying: 'waiting',
  success: 'good',
  exhausted: 'bad',
};

/** Colours a text, by default the status itself, by its status. A status unknown to this version gets no colour. */
export function statusText(status: string, text: string = status): string | Toned {
  const tone = Object.entries(TONES).find(([name]) => name === status)?.[1] ?? null;
  return tone === null ? text : { tone, text };
}

/** An instance disconnected on purpose is not coloured as a problem. */
export function instanceStatusText({
  status,
  last_error: lastError,
}: Pick<InstanceResource, 'status' | 'last_error'>): string | Toned {
  return status === 'disconnected' && lastError === null ? status : statusText(status);
}
