import type { WebhookResource } from '@trunkline/http/client';
import type { Tone } from '../components/status-badge.tsx';
import { nameText } from './name-text.ts';

export type WebhookState = 'delivering' | 'failing' | 'disabled' | 'stopped' | 'new';

/** The states that need attention come first. */
export const WEBHOOK_STATES: readonly WebhookState[] = [
  'disabled',
  'failing',
  'stopped',
  'new',
  'delivering',
];

type Shown = Pick<WebhookResource, 'status' | 'disabled_reason' | 'failing_since' | 'last_delivery'>;

/** The state of a webhook. `stopped` means disabled by a user, and `disabled` by the service. */
export function webhookState({ status, disabled_reason, failing_since, last_delivery }: Shown): WebhookState {
  if (status === 'disabled') return disabled_reason === 'manual' ? 'stopped' : 'disabled';
  if (failing_since !== null) return 'failing';
  // Without `failing_since`, a failed last delivery is from before the webhook was enabled again.
  return last_delivery?.status === 'success' ? 'delivering' : 'new';
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

/** Webhooks that need attention come first. Within a state, the API's order remains. */
export function byWebhookUrgency(a: Shown, b: Shown): number {
  const rank = (webhook: Shown): number => WEBHOOK_STATES.indexOf(webhookState(webhook));
  return rank(a) - rank(b);
}

/** The name of a webhook: its description, or its address without the scheme. */
export function webhookName({ description, url }: Pick<WebhookResource, 'description' | 'url'>): string {
  return nameText(description) ?? nameText(url.replace(/^https?:\/\//, '')) ?? url;
}

/** The text to type to confirm an action: `hooks.example.com`. */
export function webhookHost({ url }: Pick<WebhookResource, 'url'>): string {
  return URL.parse(url)?.host ?? url;
}
