import type { Event, SubscribableEventType } from '../../domain/event/event.ts';
import type { EventSubscription } from '../../domain/subscription/event-subscription.ts';
import type { WaitsStep } from './waits-step.ts';

/** How much is open of a subscription, each counted up to the bound that was asked for. */
export interface SubscriptionCounts {
  readonly subscription: EventSubscription;
  /** Queued events: due, to be tried again later, or being handled. */
  readonly waiting: number;
  readonly exhausted: number;
}

/** An event that this process is to handle now, until it is completed or its lease ends. */
export interface ClaimedEvent {
  readonly subscriptionId: string;
  readonly event: Event;
  /** Proof of the claim: a renewal or completion with another token changes nothing. */
  readonly token: number;
  /** Attempts that failed. */
  readonly attempts: number;
  /** Claims in a row that ended without a completion, as when the process dies. */
  readonly lostClaims: number;
}

export interface EventClaim {
  readonly subscriptionId: string;
  /** What this process handles; events of other types stay where they are, for another process. */
  readonly eventTypes: readonly SubscribableEventType[];
  readonly now: number;
  /** Most events to take. */
  readonly limit: number;
  /** How long a claim holds without a renewal or completion. */
  readonly leaseMs: number;
}

export interface EventClaimResult {
  /** Those due first come first, then by event id. */
  readonly claimed: readonly ClaimedEvent[];
  /**
   * Ids of events that were due and are not stored, as in a damaged database: they cannot be handled, and have been
   * removed from the queue. Absent where there is none.
   */
  readonly missing?: readonly string[];
  /**
   * When the next event of these types can be claimed if nothing else happens, `now` at the earliest; the end of a claim
   * counts. Null when none is queued.
   */
  readonly nextAt: number | null;
}

/** Which claim is meant. */
export interface EventClaimKey {
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly token: number;
}

/** The outcome of handling a claimed event. */
export interface EventCompletion extends EventClaimKey {
  readonly outcome:
    /** It leaves the queue. */
    | { readonly kind: 'handled' }
    /** It can be claimed again from `dueAt` on. */
    | { readonly kind: 'queued'; readonly attempts: number; readonly dueAt: number }
    /** It is kept, and claimed no more unless `retryFailedEvents` queues it. `failedAt` is when its last attempt failed. */
    | { readonly kind: 'exhausted'; readonly attempts: number; readonly failedAt: number };
}

/**
 * Queues of events for handlers in process, one for each subscription. The methods that store events (not
 * `deliveries.enqueue`, which is for one endpoint) queue each event, in the same transaction, for every subscription
 * that lists its type, whatever its workspace; due at the event's millisecond, with no attempts. An event without
 * deliveries is stored where a subscription wants it. The cost of a claim does not grow with what is queued.
 */
export interface SubscriptionStore {
  /**
   * Inserts a subscription; where one of this name is there, writes its event types and leaves the rest. Returns it as
   * it is stored. What is queued stays, also of types that it lists no more.
   */
  register(subscription: EventSubscription): Promise<EventSubscription>;
  /** By name, in the order of code points. */
  list(countUpTo: number): Promise<readonly SubscriptionCounts[]>;
  /**
   * Removes the subscription of this name; false when there is none. It gets no more events, and what it had is never
   * claimed again: `sweepDeleted` removes it later.
   */
  delete(name: string): Promise<boolean>;

  /** Takes events that are due, those whose claim has expired too (`lostClaims` is then one more). Null when the subscription is gone. */
  claim(claim: EventClaim): Promise<EventClaimResult | null>;
  /**
   * Shortens the waits of these types' events like those of deliveries, and claims to `leaseMs` from `now`
   * (`claimEndWithin`). Signals `subscriptions` where it changed something. Returns where the next step begins; null at
   * the end.
   */
  shortenWaits(
    queue: Pick<EventClaim, 'subscriptionId' | 'eventTypes' | 'leaseMs'>,
    step: WaitsStep,
  ): Promise<string | null>;
  /** Makes claims hold until `until`. One that was lost or completed stays so. */
  renew(claims: readonly EventClaimKey[], until: number): Promise<void>;
  /**
   * Ends claims; returns how many: one whose token is not the present one changes nothing, nor does one whose
   * subscription is gone. A claim past its lease holds until it is taken again. Calls that come together may share one
   * commit.
   */
  complete(completions: readonly EventCompletion[]): Promise<number>;

  /**
   * Makes up to `limit` exhausted events due at `now`, with their attempts unchanged and no lost claims: those whose
   * last attempt failed longest ago first, then by event id; what an earlier version exhausted, without that time, comes
   * before them. `remaining` is how many more wait for their attempt in the round that the call belongs to (`takeRetryBatch`), counted up to `countUpTo`; with none left the round is over. Null when there is no such subscription.
   */
  retryFailedEvents(
    name: string,
    batch: { readonly limit: number; readonly countUpTo: number; readonly now: number },
  ): Promise<{ readonly requeued: number; readonly remaining: number } | null>;

  /**
   * Removes what deleted subscriptions had queued, at most `limit` events. Returns how many: less than `limit` means
   * that none is left.
   */
  sweepDeleted(limit: number): Promise<number>;
}
