import type { Attempt, Delivery, DeliveryStatus } from '../../domain/delivery/delivery.ts';
import type { LaneLimits } from '../../domain/delivery/lane.ts';
import type { LanePosition } from '../../domain/delivery/waiting.ts';
import type { Event } from '../../domain/event/event.ts';
import type { Page, PageRequest } from './page.ts';
import type { WaitsStep } from './waits-step.ts';

/** A delivery that this process is to attempt now. It holds one of its endpoint's slots until it is completed or its lease ends. */
export interface ClaimedDelivery {
  readonly delivery: Delivery;
  /** Proof of the claim: a completion with another token changes nothing. */
  readonly token: number;
  /** Claims in a row that ended without a completion, as when the process dies. */
  readonly lostClaims: number;
  readonly payload: string;
  /** The endpoint's settings at the time of the claim. */
  readonly endpoint: { readonly url: string; readonly sealedSecret: string };
}

/** Above the limits of an endpoint its deliveries wait, and nothing is counted. */
export interface DeliveryClaim extends LaneLimits {
  readonly now: number;
  /** Most deliveries to take. */
  readonly limit: number;
  /** How long a claim holds without a completion. */
  readonly leaseMs: number;
  /**
   * The clock has been set back since the last claim, or may have been. Starts and ends of leases ahead of it were written
   * by a clock that was wrong: they count as of now, so that they hold up nothing until the clock is there again.
   */
  readonly mayBeSetBack?: boolean;
}

export interface DeliveryClaimResult {
  readonly claimed: readonly ClaimedDelivery[];
  /**
   * Deliveries that were due and whose event is not stored, as in a damaged database: they cannot be sent, and have
   * been ended as `failed`. Absent where there is none.
   */
  readonly withoutEvent?: readonly string[];
  /**
   * When the next delivery can be claimed if nothing else happens, `now` at the earliest; the end of a claim counts,
   * for its delivery is due again then. Never too late; it may be too early, but not `now` for nothing. Null when none
   * is waiting or claimed.
   */
  readonly nextAt: number | null;
}

/** The outcome of an attempt. */
export interface Completion {
  readonly token: number;
  /**
   * The delivery as it is to be, unless a cancellation has ended it meanwhile: then it is `failed` with the reason of
   * that, `nextRetryAt` and `deliveredAt` null, and the attempt still counts. One that stays open is due at its
   * `nextRetryAt`, or immediately where that is null.
   */
  readonly delivery: Delivery;
  readonly attempt: Attempt;
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
  /** Null where the event is not stored, as in a damaged database. */
  readonly payload: string | null;
  /** The endpoint's present URL; null when it is deleted. */
  readonly endpointUrl: string | null;
  /** Where it stands in its endpoint's lane; null once it has ended. */
  readonly lane: LanePosition | null;
}

/**
 * Deliveries are made by the methods that store events, one for each enabled endpoint of the event's workspace that
 * subscribes, in the same transaction: event by event, endpoints in id order. Each is `pending`, made and due at the
 * event's millisecond. An event without deliveries is stored only where a subscription wants it. Claims go endpoint by endpoint through their lanes, longest due first, and never scan a backlog.
 * Rows older than retention (`since`, an id floor in time) are not found even where they are not yet deleted.
 * What a cancellation has ended reads as `failed` with the reason and `nextRetryAt` null everywhere, in filters too.
 */
export interface DeliveryStore {
  /** A delivery of `event` to this one endpoint, whatever it subscribes to. Null when the endpoint is gone, disabled or of another workspace. */
  enqueue(endpointId: string, event: Event): Promise<Delivery | null>;

  /**
   * Puts back what expired claims held, due at `now` and with its attempts unchanged, then claims. One transaction.
   * Lanes are served by the time since which they could be, so that none waits for ever behind a backlog; within one
   * lane deliveries go by when they are due, then by id. Claims from before a cancellation still hold their slots. A
   * start counts until it is `windowMs` old, whatever its outcome.
   */
  claim(claim: DeliveryClaim): Promise<DeliveryClaimResult>;
  /**
   * Writes attempts and outcomes, frees the slots, and keeps the endpoints' health. Returns how many were written:
   * one whose claim was lost changes nothing; a claim past its lease holds until it is taken back. Health goes by the
   * outcome as reported, also where a cancellation overrode it; only `lastDelivery.status` is the one that was written.
   * Calls that come together may share one commit.
   */
  complete(completions: readonly Completion[], now: number): Promise<number>;

  /**
   * What waits for longer than the retry schedule allows from `now` was queued before the clock was set back: it waits
   * for as long as that allows (`dueWithinSchedule`), its `nextRetryAt` too. Signals `deliveries` where it changed
   * something. Returns where the next step begins; null at the end.
   */
  shortenWaits(step: WaitsStep): Promise<string | null>;

  findDetail(workspaceId: string, id: string, since: number): Promise<DeliveryDetail | null>;
  /** Newest first. Finds those of deleted endpoints too: the caller decides. */
  list(
    workspaceId: string,
    endpointId: string,
    filter: DeliveryFilter,
    page: PageRequest,
    since: number,
  ): Promise<Page<Delivery>>;

  /**
   * Queues one more attempt of a failed or exhausted delivery of an enabled endpoint, due at `now`; `not_allowed`
   * otherwise, and while a claim from before a cancellation still holds. What is known of the last attempt stays.
   */
  retry(workspaceId: string, id: string, now: number, since: number): Promise<RetryResult>;
  /**
   * The same for up to `limit` deliveries of one endpoint: those that were never attempted first, then those attempted
   * longest ago, each by id where that is the same. `remaining` is how many more wait for their attempt in the round that
   * the call belongs to (`takeRetryBatch`), counted up to `countUpTo`; with none left the round is over. Sweeps first
   * what a cancellation has ended at this endpoint, up to `limit + countUpTo` deliveries; what is beyond that is left
   * to the next call. Null when the endpoint is gone or disabled.
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
   * Writes down what a cancellation has ended, at most `limit` deliveries. Returns how many: less than `limit` means
   * that none is left. One under a claim is left to its completion, or to the pass after its claim is taken back.
   */
  sweepClosed(limit: number): Promise<number>;
}
