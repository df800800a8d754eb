import { HEALTHY } from './endpoint.ts';
import type { DisabledReason, WebhookEndpoint } from './endpoint.ts';

export function disable(endpoint: WebhookEndpoint, reason: DisabledReason, now: number): WebhookEndpoint {
  return { ...endpoint, status: 'disabled', disabledAt: now, disabledReason: reason, updatedAt: now };
}

/** Enabling forgives: the failure record starts anew; what was delivered stays known. */
export function enable(endpoint: WebhookEndpoint, now: number): WebhookEndpoint {
  const { lastDelivery, lastSuccessAt } = endpoint.health;
  return {
    ...endpoint,
    status: 'enabled',
    disabledAt: null,
    disabledReason: null,
    health: { ...HEALTHY, lastDelivery, lastSuccessAt },
    updatedAt: now,
  };
}

/** `meta.configured` of the list: an endpoint is enabled and has delivered successfully. */
export function isConfigured(endpoint: WebhookEndpoint): boolean {
  return endpoint.status === 'enabled' && endpoint.health.lastSuccessAt !== null;
}
