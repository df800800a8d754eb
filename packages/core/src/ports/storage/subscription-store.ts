import type { Event, SubscribableEventType } from '../../domain/event/event.ts';
import type { EventSubscription } from '../../domain/subscription/event-subscription.ts';

/** How many events of a subscription wait or are exhausted, each number counted up to the requested bound. */
export interface SubscriptionCounts {
  readonly subscription: EventSubscription;
  /** Queued events: due, to be tried again later, or being handled. */
  readonly waiting: number;
  readonly exhausted: number;
}

/** An event that this process has to handle now, until it is completed or its claim ends. */
export interface ClaimedEvent {
  readonly subscriptionId: string;
  readonly event: Event;
  /** The `traceparent` of the event, as stored. */
  readonly traceparent: string | null;
  /** Proof of the claim: a renewal or completion with another token changes nothing. */
  readonly token: number;
  /** How many attempts have failed. */
  readonly attempts: number;
  /** How many claims in a row ended without a completion, for example because the process died. */
  readonly lostClaims: number;
}

export interface EventClaim {
  readonly subscriptionId: string;
  /** The types that this process handles; events of other types stay queued for another process. */
  readonly eventTypes: readonly SubscribableEventType[];
  readonly now: number;
  /** The maximum number of events to take. */
  readonly limit: number;
  /** How long a claim is valid without a renewal or completion. */
  readonly leaseMs: number;
}

export interface EventClaimResult {
  /** In the order in which they are due, then by event id. */
  readonly claimed: readonly ClaimedEvent[];
  /**
   * Ids of events that were due, but are not stored because the database is damaged, and have been removed from the
   * queue. Absent if there are no such events.
   */
  readonly missing?: readonly string[];
  /**
   * When the next event of these types can be claimed if nothing else happens, `now` at the earliest; the end of a
   * claim counts. Null if no event is queued.
   */
  readonly nextAt: number | null;
}

export interface EventClaimKey {
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly token: number;
}

/** The outcome of handling a claimed event. */
export interface EventCompletion extends EventClaimKey {
  readonly outcome:
    /** The event leaves the queue. */
    | { readonly kind: 'handled' }
    /** The event can be claimed again at `dueAt`. */
    | { readonly kind: 'queued'; readonly attempts: number; readonly dueAt: number }
    /**
     * The event is kept, but not claimed again unless `retryFailedEvents` queues it. `failedAt` is when its last
     * attempt failed.
     */
    | { readonly kind: 'exhausted'; readonly attempts: number; readonly failedAt: number };
}

/**
 * Queues of events for handlers in process, one for each subscription. The methods that store events (not
 * `deliveries.enqueue`, which is for one endpoint) queue each event, in the same transaction, for every subscription
 * that lists its type, whatever its workspace; due at the event's millisecond, with no attempts. The cost of a claim
 * does not grow with the queue.
 */
export interface SubscriptionStore {
  /**
   * Inserts a subscription, or writes only the event types of the subscription that has this name. Returns the stored
   * subscription. Queued events stay, even those of types that the subscription no longer lists.
   */
  register(subscription: EventSubscription): Promise<EventSubscription>;
  /** Ordered by name, in code points. */
  list(countUpTo: number): Promise<readonly SubscriptionCounts[]>;
  /**
   * Removes the subscription of this name; returns false if it does not exist. It gets no more events. Its events are
   * never claimed again, and `retention.deleteHistory` removes them later.
   */
  delete(name: string): Promise<boolean>;

  /**
   * Claims events that are due, including those whose claim has expired, which adds 1 to their `lostClaims`. Null if
   * the subscription is deleted.
   */
  claim(claim: EventClaim): Promise<EventClaimResult | null>;
  /** Renews claims until `until`. A claim that was lost or completed stays so. */
  renew(claims: readonly EventClaimKey[], until: number): Promise<void>;
  /**
   * Completes claims, and returns how many. A claim with an old token, or of a deleted subscription, changes nothing. A
   * claim past its lease is valid until the event is claimed again. Calls that arrive together may share one commit.
   */
  complete(completions: readonly EventCompletion[]): Promise<number>;

  /**
   * Makes up to `limit` exhausted events due at `now`, with their attempts unchanged and no lost claims: those whose
   * last attempt failed longest ago first, then by event id. `remaining` is how many more wait for their attempt in the
   * round of this call (`takeRetryBatch`), counted up to `countUpTo`; at 0, the round is over. Null if there is no such
   * subscription.
   */
  retryFailedEvents(
    name: string,
    batch: { readonly limit: number; readonly countUpTo: number; readonly now: number },
  ): Promise<{ readonly requeued: number; readonly remaining: number } | null>;
}
