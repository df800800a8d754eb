import { completeAttempt } from '../domain/delivery/delivery-state.ts';
import { signingSecret } from '../domain/endpoint/endpoint-secret.ts';
import {
  ENDPOINT_SLOTS,
  ENDPOINT_STARTS_PER_MINUTE,
  MAX_LOST_CLAIMS,
  THROTTLE_WINDOW_MS,
} from '../domain/delivery/delivery.ts';
import type { Delivery } from '../domain/delivery/delivery.ts';
import type { ClaimedDelivery, Completion } from '../ports/storage/delivery-store.ts';
import { isUnavailable } from '../ports/unavailable-error.ts';
import type { WebhookResponse, WebhookSender } from '../ports/webhook-sender.ts';
import { settledWithin } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { PassResult } from '../runtime/loop.ts';
import { createTokenBucket } from '../runtime/token-bucket.ts';
import type { ServiceContext } from '../services/context.ts';
import { signedHeaders } from '../services/signed-headers.ts';
import { openedSecrets } from '../services/sealer.ts';
import { deliveryAttributes } from '../services/span-attributes.ts';
import { attemptOutcomes } from './attempt-outcomes.ts';
import { attemptsInFlight } from './attempts-in-flight.ts';
import { failureLog } from './failure-log.ts';
import { outcomeQueue } from './outcome-queue.ts';
import type { WaitingOutcome } from './outcome-queue.ts';

const POLL_MS = 5_000;
const CLAIM_BATCH = 128;
/** Longer than an attempt can last, so that only a dead or suspended process loses a claim. */
const LEASE_MS = 60_000;
/** Deliveries whose claim took longer are not attempted: another process might attempt them, too. */
const BEGIN_WITHIN_MS = 45_000;

/** How long writing an outcome is retried. The claim ends soon after, and the next claim writes the outcome. */
const RECORD_FOR_MS = 55_000;

/**
 * How long the next claim waits for one that writes outcomes. A call about the outcomes of one endpoint that hangs must
 * not delay the others.
 */
const PATIENCE_MS = 1_000;

const NOT_ATTEMPTED =
  'The attempt was not made and counts as failed, because no process that claimed this delivery has recorded an outcome: look for what ends them, or for a database that does not take their writes.';
const NOT_RECORDED =
  'the outcome of a webhook attempt could not be recorded: this process tries again until it is, and does not send the webhook again meanwhile; check the database';
const CLAIM_LOST =
  'the claim of a webhook delivery was lost before its outcome was recorded, so another process may send it again, under the same id: look for a process that stood still or a slow database';

/**
 * How many fruitless claims a burst of signals may trigger; further claims are spaced. Each process gets signals
 * about deliveries that others store, and usually another process has claimed the deliveries by then. The
 * limit is so high that a burst of two hundred to one endpoint does not delay the deliveries of another.
 */
const FRUITLESS_CLAIMS = 250;
const FRUITLESS_PAUSE_MS = 100;

export interface WebhookDispatcher {
  start(): void;
  /** Claims soon: some deliveries have become claimable, for this process or another one. */
  wake(): void;
  /** Claims no more and waits for the attempts in flight to be recorded. */
  stop(): Promise<void>;
}

interface StartedAttempt {
  readonly startedAt: number;
  /** The trace that the request names; null if the endpoint does not ask for one, or no trace is recorded. */
  readonly traceparent: string | null;
}

/**
 * Sends due deliveries. The storage's lanes decide which endpoint is next, and the domain decides what an
 * outcome means.
 */
export function createWebhookDispatcher(context: ServiceContext, sender: WebhookSender): WebhookDispatcher {
  const { storage, clock, logger } = context;
  const inFlight = attemptsInFlight();
  const outcomes = attemptOutcomes<Completion>(clock, () => isStopping);
  const ended = outcomeQueue(storage.deliveries, clock);
  /** A claim that writes outcomes and takes longer than `PATIENCE_MS`. */
  let late: Promise<void> | null = null;
  let isStopping = false;
  /** The number of outcomes that a stop left unrecorded. */
  let unrecorded = 0;
  const openSecret = openedSecrets(context.sealer);
  const failures = failureLog(logger, clock);
  let isFirstClaim = true;
  /** Whether the last pass found no room for another attempt. */
  let isFull = false;
  const fruitless = createTokenBucket({ burst: FRUITLESS_CLAIMS, everyMs: FRUITLESS_PAUSE_MS });
  let isSignalled = false;
  /** Cancels the timer that delays a signal after too many fruitless claims; null if no signal waits. */
  let cancelSignal: (() => void) | null = null;

  const pass = async (): Promise<PassResult> => {
    // At most one is late, because each may begin attempts when it returns.
    if (late) ended.writeAll();
    const taken = ended.take();
    const room = inFlight.room(clock.now());
    // Attempts that have ended make room for as many, and for at least one, although slow ones may exceed the limit.
    const limit = Math.min(CLAIM_BATCH, Math.max(room.count + taken.length, Math.min(taken.length, 1)));
    isFull = limit <= 0;
    // Without room, wait. An attempt that ends wakes the loop.
    if (isFull) return { more: false, nextAt: room.moreAt };
    const claiming = claim(limit, taken);
    if (taken.length === 0 || (await settledWithin(clock, PATIENCE_MS, claiming))) return claiming;
    const end = (): void => {
      late = null;
    };
    // An error is reported by the writes of the outcomes.
    late = claiming.then(end, end);
    return { more: true, nextAt: null };
  };

  const claim = async (limit: number, taken: readonly WaitingOutcome[]): Promise<PassResult> => {
    const now = clock.now();
    const wasSignalled = isSignalled;
    isSignalled = false;
    const request = {
      now,
      limit,
      leaseMs: LEASE_MS,
      slots: ENDPOINT_SLOTS,
      startsPerWindow: ENDPOINT_STARTS_PER_MINUTE,
      windowMs: THROTTLE_WINDOW_MS,
      mayBeSetBack: isFirstClaim,
    };
    const { claimed, withoutEvent = [], withoutEndpoint = [], nextAt } = await ended.claim(request, taken);
    isFirstClaim = false;
    if (wasSignalled && claimed.length === 0) fruitless.take(now);
    for (const deliveryId of withoutEvent) {
      logger.error(
        { deliveryId },
        'a delivery was ended as failed without an attempt, because its event is not in the database: check the database for damage',
      );
    }
    for (const deliveryId of withoutEndpoint) {
      logger.error(
        { deliveryId },
        'a delivery was ended as failed without an attempt, because its webhook endpoint is not in the database: check the database for damage',
      );
    }
    // If this process was suspended, skip the deliveries, which are due again when their claims expire.
    if (clock.now() >= now + BEGIN_WITHIN_MS) return { more: false, nextAt };
    for (const delivery of claimed) begin(delivery);
    return { more: claimed.length === limit, nextAt };
  };

  const begin = (claimed: ClaimedDelivery): void => {
    const attempt = attemptAndRecord(claimed).finally(() => {
      inFlight.remove(attempt);
      if (isFull) loop.wake();
    });
    inFlight.add(attempt, clock.now());
  };

  const attemptAndRecord = async (claimed: ClaimedDelivery): Promise<void> => {
    const { delivery, token } = claimed;
    const until = clock.now() + RECORD_FOR_MS;
    const { id } = delivery;
    const attempt = delivery.attempts + 1;
    const made = outcomes.takeKept(id, attempt);
    const outcome = made ? { ...made, token } : await attemptDelivery(claimed);
    let isFirstWrite = true;
    const write = (): Promise<number> => {
      if (isStopping || !isFirstWrite) return ended.writeAlone(outcome);
      isFirstWrite = false;
      const written = ended.writeWithClaim(outcome);
      loop.wake();
      return written;
    };
    const recorded = await outcomes.record(
      { id, attempt, outcome },
      {
        until,
        write,
        failed(error) {
          logger.warn({ err: error, deliveryId: id }, NOT_RECORDED);
        },
      },
    );
    if (recorded === 'recorded') context.traffic.attempted(delivery, outcome.attempt);
    if (recorded === 'given_up' && isStopping) unrecorded += 1;
    if (recorded === 'claim_lost' && (await isStored(delivery))) logger.warn({ deliveryId: id }, CLAIM_LOST);
  };

  /**
   * Whether a delivery still exists. The claim of an erased delivery does not count as lost. False if the
   * read fails.
   */
  const isStored = ({ workspaceId, id }: Delivery): Promise<boolean> =>
    storage.deliveries.findDetail(workspaceId, id, 0).then(
      (found) => found !== null,
      () => false,
    );

  const attemptDelivery = async (claimed: ClaimedDelivery): Promise<Completion> => {
    const { delivery, endpoint, token } = claimed;
    const startedAt = clock.now();
    let cause: unknown;
    const span = context.tracing.linkedTo(claimed.traceparent, {
      name: 'deliver event',
      kind: 'CLIENT',
      attributes: () => ({
        'messaging.operation.type': 'send',
        'messaging.operation.name': 'deliver',
        'http.request.method': 'POST',
        'server.address': new URL(endpoint.url).hostname,
        'trunkline.attempt': delivery.attempts + 1,
        ...deliveryAttributes(delivery),
      }),
    });
    const traceparent = claimed.endpoint.traceContext ? (span.traceparent ?? claimed.traceparent) : null;
    const attempt = { startedAt, traceparent };
    const response = await span.run(() => attemptSafely(claimed, attempt, (error) => (cause = error)));
    const { errorCode, responseStatus, responseBody } = response;
    span.end(
      errorCode,
      responseStatus === null ? undefined : { 'http.response.status_code': responseStatus },
    );
    const endedAt = clock.now();
    context.metrics.webhookAttempted(delivery, { startedAt, endedAt, errorCode });
    const completed = completeAttempt(delivery, { startedAt, endedAt, responseStatus, errorCode });
    failures.note({ delivery: completed, url: endpoint.url, response, cause });
    return {
      token,
      delivery: completed,
      attempt: {
        number: delivery.attempts + 1,
        manual: delivery.manual,
        url: endpoint.url,
        responseStatus,
        responseBody,
        durationMs: Math.max(0, endedAt - startedAt),
        errorCode,
        at: startedAt,
      },
    };
  };

  const attemptSafely = async (
    claimed: ClaimedDelivery,
    attempt: StartedAttempt,
    onFailure: (cause: unknown) => void,
  ): Promise<WebhookResponse> => {
    // A delivery whose claims keep ending without an outcome may kill its process: count a failed attempt
    // without a request.
    if (claimed.lostClaims >= MAX_LOST_CLAIMS) {
      onFailure(new Error(NOT_ATTEMPTED));
      return { errorCode: 'TIMEOUT', responseStatus: null, responseBody: null };
    }
    try {
      return await sender.send(await signedRequest(claimed, attempt), onFailure);
    } catch (error) {
      // The sender did not respond, which its wrapper has logged.
      if (isUnavailable(error)) return { errorCode: 'TIMEOUT', responseStatus: null, responseBody: null };
      logger.error(
        { err: error, deliveryId: claimed.delivery.id },
        'a webhook request could not be made, which counts as a failed attempt: fix the cause in err; the next attempt follows the schedule',
      );
      return { errorCode: 'CONNECTION_FAILED', responseStatus: null, responseBody: null };
    }
  };

  /** Signs every attempt again, over the stored bytes, with the secret of its time. */
  const signedRequest = async (
    { delivery, endpoint, payload }: ClaimedDelivery,
    { startedAt: at, traceparent }: StartedAttempt,
  ): Promise<Parameters<WebhookSender['send']>[0]> => {
    const secret = openSecret(signingSecret(endpoint, clock.now()), delivery.endpointId);
    const { standardWebhooks } = context.settings;
    const headers = await signedHeaders({ delivery, secret, payload, at, standardWebhooks });
    return {
      url: endpoint.url,
      headers: [
        ...Object.entries(headers).flat(),
        ...(traceparent === null ? [] : ['traceparent', traceparent]),
      ],
      body: payload,
      urlPolicy: context.settings.urlPolicy,
      hosts: context.settings.hosts,
    };
  };

  const wake = (): void => {
    const now = clock.now();
    if (fruitless.has(now)) {
      isSignalled = true;
      loop.wake();
    } else {
      cancelSignal ??= clock.setTimer(fruitless.nextAt() - now, () => {
        cancelSignal = null;
        wake();
      });
    }
  };

  const loop = createLoop({ name: 'webhook dispatcher', clock, logger, everyMs: POLL_MS, pass });

  return {
    start: loop.start,
    wake,
    async stop() {
      cancelSignal?.();
      isStopping = true;
      await loop.stop();
      ended.writeAll();
      await late;
      await inFlight.ended();
      if (unrecorded > 0)
        logger.warn(
          { count: unrecorded },
          'outcomes of webhook attempts could not be recorded before the stop: these webhooks are sent again, under the same ids; check the database',
        );
    },
  };
}
