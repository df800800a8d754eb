import { isOpen } from '../delivery/delivery.ts';
import type { Attempt, Delivery } from '../delivery/delivery.ts';
import { NO_FAILURES } from './endpoint.ts';
import type { DisabledReason, Endpoint, EndpointHealth } from './endpoint.ts';

/** The disabled endpoint, for a write that cancels its open deliveries. */
export function disable(endpoint: Endpoint, reason: DisabledReason, now: number): Endpoint {
  return {
    ...endpoint,
    status: 'disabled',
    disabledAt: now,
    disabledReason: reason,
    health: healthWhenClosed(endpoint.health),
    updatedAt: now,
  };
}

/**
 * The health after the endpoint's open deliveries were cancelled: if `lastDelivery` was open, it
 * has failed too.
 */
export function healthWhenClosed(health: EndpointHealth): EndpointHealth {
  const { lastDelivery } = health;
  if (lastDelivery === null || !isOpen(lastDelivery.status)) return health;
  return { ...health, lastDelivery: { ...lastDelivery, status: 'failed' } };
}

/** The enabled endpoint. Enabling clears the failure record, and keeps `lastDelivery` and `lastSuccessAt`. */
export function enable(endpoint: Endpoint, now: number): Endpoint {
  return {
    ...endpoint,
    status: 'enabled',
    disabledAt: null,
    disabledReason: null,
    health: { ...endpoint.health, ...NO_FAILURES },
    updatedAt: now,
  };
}

/** Whether an endpoint is enabled and has delivered successfully, for `meta.configured` of the list of webhooks. */
export function isConfigured(endpoint: Endpoint): boolean {
  return endpoint.status === 'enabled' && endpoint.health.lastSuccessAt !== null;
}

interface Outcome {
  /** The delivery as the attempt left it, without regard to a cancellation during the attempt. */
  readonly delivery: Delivery;
  readonly attempt: Attempt;
  /** The delivery as stored, which a cancellation may have ended. */
  readonly written: Delivery;
}

/** An endpoint's health after an attempt: one success clears the failure record, even if the delivery was cancelled. */
export function healthAfter(health: EndpointHealth, { delivery, attempt, written }: Outcome): EndpointHealth {
  const { at, responseStatus } = attempt;
  const lastDelivery = { id: written.id, status: written.status, responseStatus, at };
  if (attempt.errorCode === null) {
    return { lastDelivery, lastSuccessAt: at, ...NO_FAILURES };
  }
  return {
    ...health,
    lastDelivery,
    failingSince: health.failingSince ?? at,
    // An unsafe URL ends each delivery at its first attempt, so no delivery would ever be exhausted.
    exhausted: health.exhausted || delivery.status === 'exhausted' || attempt.errorCode === 'UNSAFE_URL',
  };
}
