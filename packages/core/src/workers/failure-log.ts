import type { Delivery } from '../domain/delivery/delivery.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { WebhookResponse } from '../ports/webhook-sender.ts';

/** The maximum number of remembered endpoints. Beyond it, all are forgotten, so an endpoint may be logged again. */
const REMEMBERED = 10_000;
/**
 * The minimum time between two warnings about an endpoint. Without it, an endpoint that fails every other time would
 * fill the log.
 */
const NAMED_EVERY_MS = 5 * 60_000;

export interface FailureLog {
  note(outcome: {
    readonly delivery: Delivery;
    readonly url: string;
    readonly response: WebhookResponse;
    /** The cause of a failure; undefined if nothing is known beyond the response. */
    readonly cause: unknown;
  }): void;
}

/**
 * Warns of an endpoint's first failure, with its cause, and logs its next success. Failures in between are logged only
 * at level debug, and two warnings about an endpoint are at least five minutes apart. The cause is logged because the
 * delivery log that customers see has only the error code.
 */
export function failureLog(logger: Logger, clock: Pick<Clock, 'elapsed'>): FailureLog {
  /** Endpoints that were logged as failing: when, and whether they still fail. */
  const named = new Map<string, { readonly at: number; readonly isFailing: boolean }>();
  return {
    note({ delivery, url, response, cause }) {
      const { endpointId, workspaceId, id: deliveryId, attempts, nextRetryAt } = delivery;
      const { errorCode, responseStatus } = response;
      // Log only the host: paths and queries often hold tokens.
      const facts = { webhookId: endpointId, workspaceId, host: hostOf(url) };
      if (errorCode === null) {
        const known = named.get(endpointId);
        if (!known?.isFailing) return;
        named.set(endpointId, { ...known, isFailing: false });
        return logger.info(facts, 'a failing webhook endpoint accepts deliveries again');
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
      const known = named.get(endpointId);
      const now = clock.elapsed();
      if (known && (known.isFailing || now - known.at < NAMED_EVERY_MS))
        return logger.debug(failure, 'a webhook attempt failed');
      if (named.size >= REMEMBERED) named.clear();
      named.set(endpointId, { at: now, isFailing: true });
      logger.warn(
        failure,
        'a webhook attempt failed: look at its receiver; attempts continue on schedule, and a line reports when the endpoint accepts deliveries again',
      );
    },
  };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}
