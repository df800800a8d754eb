import type { Endpoint } from './endpoint.ts';

const HOUR = 60 * 60 * 1000;
/**
 * How long an endpoint fails before a warning and before disabling, and the least time between the two (specification,
 * "Webhook endpoint").
 */
export const WARN_AFTER_MS: number = 48 * HOUR;
const DISABLE_AFTER_MS = 72 * HOUR;
const DISABLE_AFTER_WARNING_MS = 24 * HOUR;

export function evaluateFailing(endpoint: Endpoint, now: number): 'nothing' | 'warn' | 'disable' {
  const { failingSince, exhausted, warnedAt } = endpoint.health;
  if (endpoint.status !== 'enabled' || failingSince === null) return 'nothing';
  if (warnedAt === null) return exhausted && now - failingSince >= WARN_AFTER_MS ? 'warn' : 'nothing';
  const longEnough = now - failingSince >= DISABLE_AFTER_MS && now - warnedAt >= DISABLE_AFTER_WARNING_MS;
  return longEnough ? 'disable' : 'nothing';
}

/**
 * The earliest time at which an endpoint is disabled if nothing is delivered until then, in epoch milliseconds; null if
 * the endpoint is not failing, or is already disabled.
 */
export function disablingTime({ status, health }: Endpoint, now: number): number | null {
  const { failingSince, warnedAt } = health;
  if (status !== 'enabled' || failingSince === null) return null;
  // A late warning, or one that waits for an exhausted delivery, delays the disabling.
  const warning = warnedAt ?? Math.max(failingSince + WARN_AFTER_MS, now);
  return Math.max(failingSince + DISABLE_AFTER_MS, warning + DISABLE_AFTER_WARNING_MS);
}
