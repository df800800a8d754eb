import type { Delivery } from '../domain/delivery/delivery.ts';
import type { Logger } from '../ports/logger.ts';
import type { WebhookResponse } from '../ports/webhook-sender.ts';

/** Endpoints whose failures are remembered: beyond it one may be logged again. */
const REMEMBERED = 10_000;

export interface FailureLog {
  /** Takes the outcome of an attempt. */
  note(outcome: {
    readonly delivery: Delivery;
    readonly url: string;
    readonly response: WebhookResponse;
    /** What a failure came from; undefined if nothing is known beyond the response. */
    readonly cause: unknown;
  }): void;
}

/**
 * Logs the first failure of an endpoint with its cause, and its first success after it: not a line for each attempt.
 * The customer's own log of the delivery has the error code alone.
 */
export function failureLog(logger: Logger): FailureLog {
  const failing = new Set<string>();
  return {
    note({ delivery, url, response, cause }) {
      const { endpointId, workspaceId, id: deliveryId, attempts, nextRetryAt } = delivery;
      const { errorCode, responseStatus } = response;
      // The host alone: paths and queries often hold tokens.
      const facts = { webhookId: endpointId, workspaceId, host: hostOf(url) };
      if (errorCode === null) {
        if (failing.delete(endpointId))
          logger.info(facts, 'a failing webhook endpoint accepts deliveries again');
        return;
      }
      const failure = {
        ...facts,
        deliveryId,
        errorCode,
        responseStatus,
        attempts,
        nextRetryAt: nextRetryAt === null ? null : new Date(nextRetryAt).toISOString(),
        ...(cause === undefined ? {} : { err: cause }),
      };
      if (failing.has(endpointId)) return logger.debug(failure, 'a webhook attempt failed');
      if (failing.size >= REMEMBERED) failing.clear();
      failing.add(endpointId);
      logger.warn(
        failure,
        'a webhook attempt failed: look at its receiver; attempts go on by the schedule, and the endpoint is named again when it accepts deliveries',
      );
    },
  };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}
