import type { DeliveryStatus } from '../delivery/delivery.ts';
import type { SubscribableEventType } from '../event/event.ts';

export type EndpointStatus = 'enabled' | 'disabled';
export type DisabledReason = 'manual' | 'auto_no_delivery_72h';

export interface LastDelivery {
  readonly id: string;
  readonly status: DeliveryStatus;
  readonly responseStatus: number | null;
  readonly at: number;
}

/** The outcome of recent deliveries. Updated as attempts complete; one success clears the failure record. */
export interface EndpointHealth {
  readonly lastDelivery: LastDelivery | null;
  readonly lastSuccessAt: number | null;
  /**
   * When the current run of failures began; null if no attempt has failed since the last success, or since the record
   * was cleared.
   */
  readonly failingSince: number | null;
  /** Whether a delivery was given up in this run of failures: exhausted, or failed for good because of an unsafe URL. */
  readonly exhausted: boolean;
  readonly warnedAt: number | null;
}

/** The part of an endpoint's health that decides about warning and disabling, and that enabling clears. */
export type FailureRecord = Pick<EndpointHealth, 'failingSince' | 'exhausted' | 'warnedAt'>;

export const NO_FAILURES: FailureRecord = { failingSince: null, exhausted: false, warnedAt: null };

export const HEALTHY: EndpointHealth = { lastDelivery: null, lastSuccessAt: null, ...NO_FAILURES };

export interface Endpoint {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly SubscribableEventType[];
  /** The instances whose events are sent; null for all. An instance that is deleted stays in the list. */
  readonly instances: readonly string[] | null;
  readonly status: EndpointStatus;
  /** Whether requests to the endpoint have the header `traceparent`, if their event has a trace. */
  readonly traceContext: boolean;
  readonly sealedSecret: string;
  readonly secretHint: string;
  /** The secret that signs before `secretBeginsAt`; null if `sealedSecret` was never to begin later. */
  readonly sealedPreviousSecret: string | null;
  /** When `sealedSecret` begins to sign; null if it always has. */
  readonly secretBeginsAt: number | null;
  readonly disabledAt: number | null;
  readonly disabledReason: DisabledReason | null;
  readonly health: EndpointHealth;
  readonly createdAt: number;
  readonly updatedAt: number;
  /**
   * Raised by one with every change of the settings (not of the health). A write names the version that it was based
   * on.
   */
  readonly version: number;
}

/** In Unicode code points. */
export const DESCRIPTION_MAX = 255;
/** The maximum number of names in `events` (specification, "Limits"). */
export const EVENTS_MAX = 20;
/** The maximum number of ids in `instances`. */
export const INSTANCES_MAX = 100;
/** The maximum time from a rotation until the new secret begins to sign: a week, in seconds. */
export const SECRET_AFTER_MAX_S: number = 7 * 24 * 60 * 60;

/**
 * Whether a stored endpoint still has the state that a change was based on: the version and, if `decidedOn` has one,
 * the failure record.
 */
export function isAsDecidedOn(
  { version, health }: Pick<Endpoint, 'version' | 'health'>,
  decidedOn: {
    readonly endpoint: Pick<Endpoint, 'version'>;
    readonly health?: Pick<FailureRecord, 'failingSince' | 'warnedAt'>;
  },
): boolean {
  if (version !== decidedOn.endpoint.version) return false;
  const { failingSince, warnedAt } = decidedOn.health ?? health;
  return health.failingSince === failingSince && health.warnedAt === warnedAt;
}
