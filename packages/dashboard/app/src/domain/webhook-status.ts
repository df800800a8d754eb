import type { WebhookResource } from '@trunkline/http/client';
import type { Tone } from '../components/status-badge.tsx';

export type WebhookState = 'delivering' | 'failing' | 'disabled' | 'stopped' | 'new';

type Shown = Pick<WebhookResource, 'status' | 'disabled_reason' | 'last_delivery'>;

/** How it goes with a webhook. `stopped` is disabled by somebody, `disabled` by the service. */
export function webhookState({ status, disabled_reason, last_delivery }: Shown): WebhookState {
  if (status === 'disabled') return disabled_reason === 'manual' ? 'stopped' : 'disabled';
  if (last_delivery === null) return 'new';
  return last_delivery.status === 'success' || last_delivery.status === 'pending' ? 'delivering' : 'failing';
}

export const WEBHOOK_TONES: Readonly<Record<WebhookState, Tone>> = {
  delivering: 'good',
  failing: 'act',
  disabled: 'bad',
  stopped: 'idle',
  new: 'idle',
};

export function isWebhookTrouble(webhook: Shown): boolean {
  const state = webhookState(webhook);
  return state === 'failing' || state === 'disabled';
}
