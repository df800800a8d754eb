import type { WebhookEvent, WebhookEventOf } from '@trunkline/receiver';
import { checkOptionNames, didYouMean } from '@trunkline/option-names';
import * as z from 'zod';
import { NAMEABLE_EVENT_TYPES, SUBSCRIBABLE_EVENT_TYPES } from './domain/event/event.ts';
import type { OptInEventType, SubscribableEventType } from './domain/event/event.ts';
import { SUBSCRIPTION_NAME } from './domain/subscription/event-subscription.ts';
import type { HandlerDefinition } from './workers/event-worker.ts';

/**
 * One event type, several, or `'*'` for those of the specification except `webhook.test`, which is only sent to its
 * endpoint. Types in `OPT_IN_EVENT_TYPES` have to be named.
 */
export type EventSelection = SubscribableEventType | readonly SubscribableEventType[] | '*';

/** The event as a receiver of webhooks gets it: a union discriminated by `type`. */
export type SelectedEvent<Selection extends EventSelection> = WebhookEventOf<
  Selection extends readonly (infer Type extends SubscribableEventType)[]
    ? Type
    : Selection extends SubscribableEventType
      ? Selection
      : Exclude<SubscribableEventType, OptInEventType>
>;

/**
 * Handles one event, and then resolves. If it throws or rejects, it is called again on the schedule of webhooks: 8
 * attempts in all over 45 hours. It may also be called again for an event that it has handled, for example if its
 * process died before the outcome was recorded, so recognise repeats by `event.id`.
 */
export type EventHandler<Selection extends EventSelection> = (
  event: SelectedEvent<Selection>,
  context: EventContext,
) => unknown;

/** The second argument of a handler, after the event. */
export interface EventContext {
  /** The workspace that the event belongs to, `ten_…`. */
  readonly workspaceId: string;
  /** The number of this attempt, 1 for the first. */
  readonly attempt: number;
  /**
   * Aborts on `stop()` and `off()`, and when the time for this attempt is over. An attempt that fails because of a stop
   * is not counted.
   */
  readonly signal: AbortSignal;
}

/** The options of `trunkline.on`. */
export interface HandlerOptions {
  /**
   * 1 to 64 characters of `A-Za-z0-9._-`. The subscription is stored under this name, so that the handler gets its
   * events after a restart. Processes with a handler of the same name share its events.
   */
  readonly name: string;
  /** How many events are handled concurrently in this process. Default 8. */
  readonly concurrency?: number | undefined;
  /** How long one attempt may take before it counts as failed. Default 60,000 ms. */
  readonly timeoutMs?: number | undefined;
}

/** A handler that was registered with `trunkline.on`. */
export interface HandlerRegistration {
  /**
   * Resolves when the subscription is stored. From then on, the subscription misses no event, even while this process
   * is not running. Before `start()`, the promise waits for the start.
   */
  readonly registered: Promise<void>;
  /**
   * Stops the handler in this process. Aborts the signals, and resolves when the calls in flight have ended or 10
   * seconds have passed; don't await `off` in the handler, which would wait for itself. The subscription keeps its
   * events and still collects new ones.
   */
  off(): Promise<void>;
}

const MAX_CONCURRENCY = 1_000;
const MAX_TIMEOUT_MS = 24 * 60 * 60_000;

const handlerOptions = z.strictObject({
  name: z.string().regex(SUBSCRIPTION_NAME, 'it must have 1 to 64 characters of A-Za-z0-9._-'),
  concurrency: z.int().min(1).max(MAX_CONCURRENCY).default(8),
  timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(60_000),
});

/** Throws a TypeError that names the wrong argument. */
export function checkHandler<Selection extends EventSelection>(
  selection: Selection,
  handler: EventHandler<Selection>,
  options: HandlerOptions,
): HandlerDefinition {
  const eventTypes = checkSelection(selection);
  if (typeof handler !== 'function') throw new TypeError('trunkline.on: the handler must be a function.');
  checkOptionNames('trunkline.on', options, { name: true, concurrency: true, timeoutMs: true });
  const parsed = handlerOptions.safeParse(options);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const option = issue?.path.length
      ? `the option "${issue.path.join('.')}" is wrong`
      : 'the options are wrong';
    throw new TypeError(`trunkline.on: ${option}: ${issue?.message}.`);
  }
  return {
    ...parsed.data,
    eventTypes,
    handle: (event, context) => {
      if (!isSelected<Selection>(event, eventTypes)) {
        throw new Error(
          `The event ${event.id} has the type ${event.type}, which this handler was not registered for: give trunkline.on that type, too.`,
        );
      }
      return handler(event, context);
    },
  };
}

function isSelected<Selection extends EventSelection>(
  event: WebhookEvent,
  selected: readonly SubscribableEventType[],
): event is WebhookEvent & SelectedEvent<Selection> {
  return selected.some((type) => type === event.type);
}

function checkSelection(selection: EventSelection): readonly SubscribableEventType[] {
  if (selection === '*') return SUBSCRIBABLE_EVENT_TYPES;
  const types: readonly SubscribableEventType[] = typeof selection === 'string' ? [selection] : selection;
  const known: readonly string[] = NAMEABLE_EVENT_TYPES;
  const isSelection = Array.isArray(types) && types.length > 0 && types.every((type) => known.includes(type));
  if (isSelection) return [...new Set(types)];
  const unknown = Array.isArray(types) ? types.find((type) => !known.includes(type)) : undefined;
  throw new TypeError(
    typeof unknown === 'string'
      ? `trunkline.on: there is no event type "${unknown}". ${didYouMean(unknown, known)} Or "*" for those of the specification.`
      : `trunkline.on: the event type is wrong: it must be "*", or one or several of ${known.join(', ')}.`,
  );
}
