import { readEvent } from '@trunkline/receiver';
import type { WebhookEvent } from '@trunkline/receiver';
import { MAX_LOST_CLAIMS } from '../domain/delivery/delivery.ts';
import type { Event, SubscribableEventType } from '../domain/event/event.ts';
import { afterFailure } from '../domain/subscription/event-subscription.ts';
import type { ClaimedEvent, EventCompletion } from '../ports/storage/subscription-store.ts';
import { settledWithin, withDeadline } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { PassResult } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { attemptOutcomes } from './attempt-outcomes.ts';

const POLL_MS = 5_000;
export const EVENT_LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
/** How long an outcome that cannot be written counts against `concurrency`; then it waits for the next claim. */
const RECORD_FOR_MS = 10_000;

const NOT_RECORDED =
  'the outcome of an event could not be recorded: this process tries again until it is, and does not call the handler again meanwhile; check the database';
const CLAIM_LOST =
  'the claim of an event was lost before its outcome was recorded, so another process may call its handler again: look for a process that stood still or a slow database';
/** How long a stop waits for handlers in flight. */
const DRAIN_MS = 10_000;

/** A handler of the embedder, with checked options. */
export interface HandlerDefinition {
  readonly name: string;
  readonly eventTypes: readonly SubscribableEventType[];
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly handle: (
    event: WebhookEvent,
    context: { readonly workspaceId: string; readonly attempt: number; readonly signal: AbortSignal },
  ) => unknown;
}

export interface EventWorker {
  /** Stores the subscription, as the first pass would. */
  register(): Promise<void>;
  readonly registered: Promise<void>;
  start(): void;
  wake(): void;
  /** Stops claiming, asks handlers to end, and waits for them for a limited time. */
  stop(): Promise<void>;
}

interface Running {
  readonly claimed: ClaimedEvent;
  readonly abort: AbortController;
  /** Whether the handler has ended, and its outcome is being recorded. */
  isHandled: boolean;
  /**
   * Whether a stop gave up waiting for the handler. The storage may then be closed, so the claim is left to expire.
   */
  isLeft: boolean;
}

/** Hands the events of one subscription to its handler, and records each outcome. */
export function createEventWorker(context: ServiceContext, definition: HandlerDefinition): EventWorker {
  const { storage, clock, logger, newId } = context;
  const { name, eventTypes, concurrency, timeoutMs } = definition;
  const registration = Promise.withResolvers<void>();
  const running = new Map<Running, Promise<void>>();
  const outcomes = attemptOutcomes<EventCompletion['outcome']>(clock, () => isStopping);
  let subscriptionId: string | null = null;
  let isDeleted = false;
  let isStopping = false;
  /** The number of outcomes that a stop left unrecorded. */
  let unrecorded = 0;

  const register = async (): Promise<string> => {
    if (subscriptionId !== null) return subscriptionId;
    const now = clock.now();
    const stored = await storage.subscriptions.register({
      id: newId('sub', now),
      name,
      eventTypes,
      createdAt: now,
    });
    subscriptionId = stored.id;
    registration.resolve();
    return stored.id;
  };

  const pass = async (): Promise<PassResult> => {
    const id = await register();
    const room = concurrency - running.size;
    // Without room, wait. A handler that ends wakes the loop.
    if (isDeleted || room <= 0) return { more: false, nextAt: null };
    const result = await storage.subscriptions.claim({
      subscriptionId: id,
      eventTypes,
      now: clock.now(),
      limit: room,
      leaseMs: EVENT_LEASE_MS,
    });
    if (!result) {
      isDeleted = true;
      logger.warn(
        { subscription: name },
        'a subscription was deleted, so its handler is no longer called: restart the process if it is still wanted',
      );
      return { more: false, nextAt: null };
    }
    for (const eventId of result.missing ?? []) {
      logger.error(
        { subscription: name, eventId },
        'an event was removed from the queue of its handler, because it is not in the database: check the database for damage',
      );
    }
    for (const claimed of result.claimed) begin(claimed);
    return { more: result.claimed.length === room, nextAt: result.nextAt };
  };

  const begin = (claimed: ClaimedEvent): void => {
    const entry: Running = { claimed, abort: new AbortController(), isHandled: false, isLeft: false };
    const work = handleAndRecord(entry).finally(() => {
      running.delete(entry);
      loop.wake();
    });
    running.set(entry, work);
  };

  const handleAndRecord = async (entry: Running): Promise<void> => {
    const { event, attempts } = entry.claimed;
    const { id } = event;
    const attempt = attempts + 1;
    const outcome = outcomes.takeKept(id, attempt) ?? (await handle(entry));
    entry.isHandled = true;
    const facts = { subscription: name, eventId: id };
    const recorded = await outcomes.record(
      { id, attempt, outcome },
      {
        until: clock.now() + RECORD_FOR_MS,
        write: async () =>
          entry.isLeft ? 1 : storage.subscriptions.complete([{ ...keyOf(entry), outcome }]),
        failed(error) {
          logger.warn({ ...facts, err: error }, NOT_RECORDED);
        },
      },
    );
    if (recorded === 'given_up' && isStopping) unrecorded += 1;
    if (recorded === 'claim_lost' && !isDeleted && (await isStored(event))) logger.warn(facts, CLAIM_LOST);
  };

  /**
   * Whether an event still exists. The claim of an erased event does not count as lost. False if the read
   * fails.
   */
  const isStored = ({ workspaceId, id }: Event): Promise<boolean> =>
    storage.events.find(workspaceId, id, 0).then(
      (found) => found !== null,
      () => false,
    );

  const handle = async (entry: Running): Promise<EventCompletion['outcome']> => {
    const { event, attempts, traceparent } = entry.claimed;
    const span = context.tracing.linkedTo(traceparent, {
      name: 'process event',
      kind: 'CONSUMER',
      attributes: () => ({
        'messaging.operation.type': 'process',
        'messaging.operation.name': 'handle',
        'messaging.consumer.group.name': name,
        'messaging.message.id': event.id,
        'trunkline.workspace.id': event.workspaceId,
        'trunkline.event.type': event.type,
        'trunkline.attempt': attempts + 1,
      }),
    });
    const outcome = await span.run(() => callHandler(entry));
    span.end(outcome.kind === 'handled' ? null : outcome.kind);
    return outcome;
  };

  const callHandler = async ({ claimed, abort }: Running): Promise<EventCompletion['outcome']> => {
    const { event, lostClaims } = claimed;
    const attempt = claimed.attempts + 1;
    const facts = { subscription: name, eventId: event.id, attempt };
    // An event whose claims keep ending without an outcome may kill its process: count a failed attempt
    // without a call.
    if (lostClaims >= MAX_LOST_CLAIMS) {
      logger.error(
        facts,
        'no process that called a handler with this event has recorded an outcome, so it counts as failed without another call: look for what ends the process, or for a database that does not take its writes',
      );
      return afterFailure(attempt, clock.now());
    }
    try {
      const call = { workspaceId: event.workspaceId, attempt, signal: abort.signal };
      const limit = { what: `The handler of "${name}"`, ms: timeoutMs };
      await withDeadline(clock, limit, called(definition, event, call));
      return { kind: 'handled' };
    } catch (error) {
      abort.abort(error);
      // A stop may have caused the error, so the attempt does not count.
      if (isStopping) return { kind: 'queued', attempts: claimed.attempts, dueAt: clock.now() };
      const outcome = afterFailure(attempt, clock.now());
      logFailure({ ...facts, err: error }, outcome);
      return outcome;
    }
  };

  /** Logs an event's first failure and its last as errors, and the failures in between at debug level. */
  const logFailure = (
    facts: { readonly attempt: number; readonly err: unknown },
    outcome: ReturnType<typeof afterFailure>,
  ): void => {
    if (outcome.kind === 'exhausted') {
      logger.error(
        facts,
        'a handler of events failed for the last time: the event is handled again after admin.subscriptions.retryFailedEvents()',
      );
      return;
    }
    const log = facts.attempt === 1 ? logger.error : logger.debug;
    const nextAttemptAt = new Date(outcome.dueAt).toISOString();
    log.call(logger, { ...facts, nextAttemptAt }, 'a handler of events failed, and is called again later');
  };

  const renew = async (): Promise<PassResult> => {
    const claims = [...running.keys()].map(keyOf);
    if (claims.length > 0) await storage.subscriptions.renew(claims, clock.now() + EVENT_LEASE_MS);
    return { more: false, nextAt: null };
  };

  const loop = createLoop({ name: `handler of ${name}`, clock, logger, everyMs: POLL_MS, pass });
  const renewals = createLoop({
    name: `renewals of ${name}`,
    clock,
    logger,
    everyMs: RENEW_EVERY_MS,
    pass: renew,
  });

  return {
    async register() {
      await register();
    },
    registered: registration.promise,
    start() {
      isStopping = false;
      unrecorded = 0;
      loop.start();
      renewals.start();
    },
    wake: loop.wake,
    async stop() {
      isStopping = true;
      await loop.stop();
      for (const { abort } of running.keys())
        abort.abort(
          new Error(
            'Trunkline was stopped, or off() was called, while the handler was running: the event is handled again.',
          ),
        );
      await settledWithin(clock, DRAIN_MS, Promise.all(running.values()));
      const unhandled = [...running.keys()].filter(({ isHandled }) => !isHandled).length;
      if (unhandled > 0)
        logger.warn(
          { subscription: name, count: unhandled },
          'handlers of events still run after the stop: have them end when their signal is aborted',
        );
      unrecorded += running.size - unhandled;
      if (unrecorded > 0)
        logger.warn(
          { subscription: name, count: unrecorded },
          'outcomes of events could not be recorded before the stop, so their handlers are called again: check the database',
        );
      for (const entry of running.keys()) entry.isLeft = true;
      running.clear();
      await renewals.stop();
    },
  };
}

/** Calls the handler. If the handler throws synchronously, the promise rejects. */
async function called(
  { handle }: HandlerDefinition,
  { id, payload }: Event,
  call: Parameters<HandlerDefinition['handle']>[1],
): Promise<void> {
  const read = readEvent(payload); // the body that every receiver gets
  if (!read.ok) {
    throw new Error(
      `The stored body of ${id} is not an event (${read.reason}): check the database for damage.`,
    );
  }
  await handle(read.event, call);
}

function keyOf({ claimed }: Running): { subscriptionId: string; eventId: string; token: number } {
  return { subscriptionId: claimed.subscriptionId, eventId: claimed.event.id, token: claimed.token };
}
