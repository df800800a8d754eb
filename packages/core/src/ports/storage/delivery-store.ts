import type { Attempt, Delivery, DeliveryStatus } from '../../domain/delivery/delivery.ts';
import type { RequestedAttempt } from '../../domain/delivery/delivery-state.ts';
import type { LaneLimits } from '../../domain/delivery/lane.ts';
import type { LanePosition } from '../../domain/delivery/waiting.ts';
import type { EndpointSecrets } from '../../domain/endpoint/endpoint-secret.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { Event } from '../../domain/event/event.ts';
import type { Page, PageRequest } from './page.ts';

/**
 * A delivery that this process has to attempt now. The delivery holds a slot of its endpoint until it is completed or
 * its lease ends.
 */
export interface ClaimedDelivery {
  readonly delivery: Delivery;
  /** Proof of the claim: a completion with another token changes nothing. */
  readonly token: number;
  /** How many claims in a row ended without a completion, for example because the process died. */
  readonly lostClaims: number;
  readonly payload: string;
  /** The `traceparent` of the event, as stored. */
  readonly traceparent: string | null;
  /** The endpoint's settings at the time of the claim. */
  readonly endpoint: Pick<Endpoint, 'url' | 'traceContext'> & EndpointSecrets;
}

/** The maximum number of deliveries that `listOfEvent` returns, far more than a workspace has endpoints. */
export const EVENT_DELIVERIES_MAX = 1_000;

/** The deliveries to claim. Deliveries above the limits of their endpoint wait, and no attempt is counted. */
export interface DeliveryClaim extends LaneLimits {
  readonly now: number;
  /** The maximum number of deliveries to take. */
  readonly limit: number;
  /** How long a claim is valid without a completion. */
  readonly leaseMs: number;
  /**
   * Whether the clock may have been set back since the times were stored: at the first claim of a process, whose own
   * time never goes back. Starts in the future, and claims that end later than a claim made now would, were written by a
   * wrong clock. They are treated as made now, so that nothing waits until the clock shows their times again.
   */
  readonly mayBeSetBack?: boolean;
}

export interface DeliveryClaimResult {
  readonly claimed: readonly ClaimedDelivery[];
  /**
   * Deliveries that were due, but have ended as `failed` because the database is damaged and their event is not stored.
   * Absent if there are no such deliveries.
   */
  readonly withoutEvent?: readonly string[];
  /** The same for deliveries whose event is stored, but whose endpoint is not. */
  readonly withoutEndpoint?: readonly string[];
  /**
   * When the next delivery can be claimed if nothing else happens, `now` at the earliest. The end of a claim counts,
   * since its delivery is due again then. This time is never too late, but may be too early; it is `now` only if a
   * delivery can be claimed. Null if no delivery is waiting or claimed. Leaves out postponed workspaces.
   */
  readonly nextAt: number | null;
}

/** The outcome of an attempt. */
export interface Completion {
  readonly token: number;
  /**
   * The new state of the delivery. If a cancellation has ended the delivery during the attempt, it is `failed` with the
   * reason of the cancellation instead, `nextRetryAt` and `deliveredAt` are null, and the attempt still counts. A
   * delivery that stays open is due at its `nextRetryAt`, or immediately if `nextRetryAt` is null.
   */
  readonly delivery: Delivery;
  readonly attempt: Attempt;
}

/**
 * How `completeAndClaim` treated a completion. `busy` means that nothing was written, because another transaction is
 * working in the endpoint's lane: `complete` waits for it.
 */
export type CompletionResult = 'written' | 'claim_lost' | 'busy';

export interface CompletedAndClaimed extends DeliveryClaimResult {
  /** The results of the completions, in their order. */
  readonly completed: readonly CompletionResult[];
}

export type RetryResult =
  { readonly kind: 'requeued'; readonly delivery: Delivery } | { readonly kind: 'not_found' | 'not_allowed' };

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
  readonly eventType?: string;
}

export interface DeliveryDetail {
  readonly delivery: Delivery;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** Null if the event is not stored because the database is damaged. */
  readonly payload: string | null;
  /**
   * The endpoint's URL, or its last URL if the endpoint is deleted. Null if an earlier version of Trunkline deleted the
   * endpoint.
   */
  readonly endpointUrl: string | null;
  /** The delivery's position in its endpoint's lane; null once it has ended. */
  readonly lane: LanePosition | null;
}

/**
 * The methods that store events create deliveries in the same transaction, one for each enabled endpoint of the event's
 * workspace that subscribes: event by event, endpoints in id order. Each is `pending`, created and due at the event's
 * millisecond. An event is stored whether or not it has subscribers (`EventStore`). Claims go from lane to lane (the
 * queue of one endpoint is a lane), the longest due first, and never scan a backlog. Rows older than retention
 * (`since`, the earliest time in an id) are not found, even if they are not deleted yet. Everywhere, including in
 * filters, deliveries that a cancellation has ended read as `failed` with its reason and a null `nextRetryAt`.
 */
export interface DeliveryStore {
  /**
   * Queues a delivery of `event` to this one endpoint, whatever it subscribes to. Null if the endpoint is deleted,
   * disabled or of another workspace.
   */
  enqueue(endpointId: string, event: Event): Promise<Delivery | null>;

  /**
   * In one transaction, releases the deliveries of expired claims, due at `now` and with their attempts unchanged, then
   * claims. The lane that could have been served for longest is served first, so that no lane waits forever behind a
   * backlog. Within a lane, deliveries are ordered by when they are due, then by id. Claims from before a cancellation
   * still hold their slots. A start counts until it is `windowMs` old, whatever its outcome.
   */
  claim(claim: DeliveryClaim): Promise<DeliveryClaimResult>;
  /**
   * Writes attempts and outcomes, releases the slots, and updates the endpoints' health. Returns how many completions
   * were written. A completion whose claim was lost changes nothing. A claim past its lease is valid until it is
   * released. Health depends on the reported outcome, even if a cancellation overrode it; only `lastDelivery.status` is
   * the status that was written. Calls that arrive together may share one commit.
   */
  complete(completions: readonly Completion[], now: number): Promise<number>;
  /**
   * Does what `complete` and then `claim` do, so that a claim can take the slots that the completions release. Uses one
   * transaction, unless the clock may have been set back or the limits have changed. Never waits for the lane of an
   * endpoint.
   */
  completeAndClaim(completions: readonly Completion[], claim: DeliveryClaim): Promise<CompletedAndClaimed>;

  findDetail(workspaceId: string, id: string, since: number): Promise<DeliveryDetail | null>;
  /** Newest first. Also finds deliveries of deleted endpoints: the caller decides. */
  list(
    workspaceId: string,
    endpointId: string,
    filter: DeliveryFilter,
    page: PageRequest,
    since: number,
  ): Promise<Page<Delivery>>;

  /**
   * The deliveries of an event, in id order, at most `EVENT_DELIVERIES_MAX`. Also finds deliveries to deleted
   * endpoints. Their ids have the order of the event's id (`newDelivery`), so that deliveries of other events need not
   * be read.
   */
  listOfEvent(workspaceId: string, event: Pick<Event, 'id'>, since: number): Promise<readonly Delivery[]>;

  /**
   * Queues an attempt of a delivery of an enabled endpoint, due at `now`: an extra one (the default) if the delivery is
   * failed or exhausted, or the next one if it is retrying. Returns `not_allowed` for any other delivery, and while a
   * claim is valid. The facts about the last attempt are kept.
   */
  retry(
    workspaceId: string,
    id: string,
    now: number,
    since: number,
    attempt?: RequestedAttempt,
  ): Promise<RetryResult>;
  /**
   * Does the same as `retry` for up to `limit` deliveries of one endpoint: first those that were never attempted, then
   * those attempted longest ago, by id among equals. `remaining` is how many more wait for their attempt in the round
   * of this call (`takeRetryBatch`), counted up to `countUpTo`; at 0, the round is over. First updates the cancelled
   * deliveries of this endpoint, up to `limit + countUpTo` deliveries; the next call updates the others. Null if the
   * endpoint is deleted or disabled.
   */
  retryFailedDeliveries(
    workspaceId: string,
    endpointId: string,
    batch: {
      readonly limit: number;
      readonly countUpTo: number;
      readonly now: number;
      readonly since: number;
    },
  ): Promise<{ readonly requeued: number; readonly remaining: number } | null>;

  /**
   * Updates the rows of deliveries that a cancellation has ended, at most `limit`. Returns how many rows; fewer than
   * `limit` means that no more are left. A claimed delivery is left to its completion, or to the sweep after its claim
   * is released.
   */
  sweepClosed(limit: number): Promise<number>;
}
