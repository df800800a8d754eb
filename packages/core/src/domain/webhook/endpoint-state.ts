import { NO_FAILURES } from './endpoint.ts';
import type { DisabledReason, WebhookEndpoint } from './endpoint.ts';

export function disable(endpoint: WebhookEndpoint, reason: DisabledReason, now: number): WebhookEndpoint {
  return { ...endpoint, status: 'disabled', disabledAt: now, disabledReason: reason, updatedAt: now };
}

/** Enabling clears the failure record; what was delivered stays known. */
export function enable(endpoint: WebhookEndpoint, now: number): WebhookEndpoint {
  return {
    ...endpoint,
    status: 'enabled',
    disabledAt: null,
    disabledReason: null,
    health: { ...endpoint.health, ...NO_FAILURES },
    updatedAt: now,
  };
}

/** `meta.configured` of the list: an endpoint is enabled and has delivered successfully. */
export function isConfigured(endpoint: WebhookEndpoint): boolean {
  return endpoint.status === 'enabled' && endpoint.health.lastSuccessAt !== null;
}
