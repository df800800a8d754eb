import type { WebhookEvent } from './event.ts';
import type { BodyFailureReason } from './read-body.ts';
import type { VerifyFailureReason } from './verify.ts';

/** The outcome of a request, and the status to respond with. The sender treats only a 2xx as a success. */
export type ReceiveResult = ReceivedEvent | FailedEvent | RefusedRequest;

/** A request with a valid signature and an event. */
export interface ReceivedEvent {
  /**
   * - `handled`: a handler has run.
   * - `ignored`: no handler takes this type.
   * - `duplicate`: the event was handled before.
   * - `in_progress`: another request is handling the event now. The response is a 409, so that the sender tries again
   *   later, and the event is not lost if the other request fails.
   */
  readonly outcome: 'handled' | 'ignored' | 'duplicate' | 'in_progress';
  /** The HTTP status to respond with. */
  readonly status: number;
  /** The event in the request. */
  readonly event: WebhookEvent;
}

/** The handler or the store has thrown. The sender tries again. */
export interface FailedEvent {
  /** Distinguishes this result from other results. */
  readonly outcome: 'failed';
  /** The HTTP status to respond with. */
  readonly status: number;
  /** The event that was not handled. */
  readonly event: WebhookEvent;
  /** The error that was thrown. */
  readonly error: unknown;
}

/** A request that is not a valid webhook, or that the receiver could not check. */
export interface RefusedRequest {
  /** Distinguishes this result from other results. */
  readonly outcome: 'refused';
  /** The HTTP status to respond with. */
  readonly status: number;
  /** Why the request was refused, as a code. */
  readonly reason: RefusalReason;
  /** The reason in words, for a log. It contains no secret and nothing of the request. */
  readonly message: string;
}

/** Why a request was refused, as a code. */
export type RefusalReason = VerifyFailureReason | BodyFailureReason | 'method_not_allowed' | 'no_secret';

/** The HTTP status of each outcome but `refused`. */
export const OUTCOME_STATUS: Readonly<Record<Exclude<ReceiveResult['outcome'], 'refused'>, number>> = {
  handled: 204,
  ignored: 204,
  duplicate: 204,
  // With 503, proxies would treat the server as down.
  in_progress: 409,
  failed: 500,
};

export function refusalStatus(reason: RefusalReason): number {
  switch (reason) {
    case 'method_not_allowed':
      return 405;
    case 'body_timeout':
      return 408;
    case 'body_too_large':
      return 413;
    case 'body_not_bytes':
    case 'no_secret':
      return 500; // a mistake in the receiver's setup
    case 'body_interrupted':
    case 'invalid_json':
    case 'invalid_event':
      return 400;
    default:
      return 401;
  }
}
