import { checkOptionNames, didYouMean, type OptionNames } from '@trunkline/option-names';
import { EVENT_MEANINGS, OPT_IN_EVENT_MEANINGS } from './event-types.ts';
import type { WebhookEventType } from './event-types.ts';
import type { WebhookEvent, WebhookEventOf } from './event.ts';
import type { EventStore } from './event-store.ts';
import type { WebhookHeaders } from './headers.ts';
import { memoryStore } from './memory-store.ts';
import { processOnce, receivedEvent } from './process-once.ts';
import { isBody, readBody, type BodyFailureReason, type WebhookBody } from './read-body.ts';
import {
  refusalStatus,
  type ReceiveResult,
  type RefusalReason,
  type RefusedRequest,
} from './receive-result.ts';
import { secretReader, type SecretOption } from './secret.ts';
import { DEFAULT_TOLERANCE_SECONDS, checkTolerance } from './timestamp.ts';
import { RAW_BODY_FIXES, readSignedHeaders, verify, type VerifySuccess } from './verify.ts';

/** The options of `createReceiver`. */
export interface ReceiverOptions {
  /**
   * The endpoint's whole secret (`whsec_…`), several secrets while you rotate, or a function that returns them and is
   * called for each request. You can pass `process.env.WEBHOOK_SECRET` unchecked: if it is missing or empty, each
   * request gets a 500, and `onError` gets the reason. A secret with white space around it throws a TypeError
   * immediately, unless a function returns it.
   */
  readonly secret: SecretOption;
  /**
   * A handler for each type of event. Events without a handler are ignored. A returned promise is awaited; the sender
   * closes the connection after 10 seconds.
   */
  readonly on?: EventHandlers;
  /** Keeps the ids of handled events. By default `memoryStore()`, which suits one process that seldom restarts. */
  readonly store?: EventStore;
  /** The largest body in bytes; 1 MiB by default. */
  readonly bodyLimit?: number;
  /** How many seconds a body may take to arrive; 10 by default, because the sender then closes the connection. */
  readonly bodyTimeoutSeconds?: number;
  /** How many seconds the timestamp may be off, in either direction; 300 by default. */
  readonly tolerance?: number;
  /**
   * How many seconds a request holds an event exclusively; 60 by default. It should be longer than any handler takes,
   * but no longer than the sender's first wait (a minute), so that the first retry can handle the event of a process
   * that died.
   */
  readonly leaseSeconds?: number;
  /** Called with each refused request, for a log. Anyone who knows the URL can cause any number of calls. */
  readonly onRefused?: (refusal: RefusedRequest) => unknown;
  /** Called if a handler or the store throws, or if the setup is wrong. By default, `console.error`. */
  readonly onError?: (error: unknown, event: WebhookEvent | undefined) => unknown;
}

/** A handler for each type of event; `'*'` handles all other types, including types newer than this package. */
export type EventHandlers = {
  readonly [Type in WebhookEventType]?: (event: WebhookEventOf<Type>) => unknown;
} & {
  /** Handles the events of types that have no handler of their own. */
  readonly '*'?: (event: WebhookEvent) => unknown;
};

/** A request from any framework. */
export interface IncomingWebhook {
  /** A Fetch `Headers`, Node's `request.headers`, or a plain object. */
  readonly headers: WebhookHeaders;
  /** At most `bodyLimit` bytes of a stream are read. */
  readonly body: WebhookBody;
  /** By default POST. Other methods are refused. */
  readonly method?: string | undefined;
  /** How to get the raw body from this framework; quoted in the error if `body` is not raw. */
  readonly rawBodyFix?: string;
  /** When the request arrived, in epoch milliseconds. By default, now. */
  readonly receivedAt?: number;
}

/** Receives webhooks; made by `createReceiver`. */
export interface Receiver {
  /**
   * Checks the request, runs the handler unless the event was handled before, and returns the outcome with its HTTP
   * status. Never rejects. The adapters (`@trunkline/receiver/fetch`, `/node`, `/express`, `/fastify`) call it.
   */
  receive(request: IncomingWebhook): Promise<ReceiveResult>;
}

/**
 * Creates a receiver of webhooks, which passes each event with a valid signature to its handler and skips repeats.
 *
 * The event's id is claimed for `leaseSeconds`, the handler runs, and then the id is kept for 30 days, because the
 * event can be sent again for that long. If a handler throws, the claim is released, and the sender tries again. If the
 * process dies after the handler, but before the event is marked as done, the event arrives again. Delivery is therefore
 * "at least once": make handlers repeatable, or do their work in the transaction that marks the event as done.
 *
 * @example
 * const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET,
 *   on: { 'message.received': (event) => reply(event.data.message) },
 * });
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  checkOptionNames('createReceiver', options, OPTION_NAMES);
  const { secret, tolerance = DEFAULT_TOLERANCE_SECONDS, store = memoryStore() } = options;
  const { bodyLimit = DEFAULT_BODY_LIMIT, leaseSeconds = DEFAULT_LEASE_SECONDS } = options;
  const { bodyTimeoutSeconds = DEFAULT_BODY_TIMEOUT_SECONDS } = options;
  const { onRefused = () => {}, onError = logError } = options;
  const readSecrets = secretReader(secret);
  checkTolerance(tolerance);
  checkPositive({ bodyLimit, bodyTimeoutSeconds, leaseSeconds });
  for (const [name, value] of Object.entries({ onRefused, onError })) checkFunction(name, value);
  const handlerOf = handlerTable(options);
  const reportError = (error: unknown, event: WebhookEvent | undefined): Promise<void> =>
    notify(() => onError(error, event));

  return {
    receive: async (request) => {
      const result = await check(request);
      if (!result.ok) return refuse(result);
      const { event } = result;
      const handler = handlerOf(event.type);
      if (handler === undefined) return receivedEvent('ignored', event);
      return processOnce(event, { store, leaseSeconds, handler, onError: reportError });
    },
  };

  async function check(request: IncomingWebhook): Promise<Checked> {
    const { headers, method = 'POST', rawBodyFix = RAW_BODY_FIXES, receivedAt = Date.now() } = request;
    if (method !== 'POST') return refusal('method_not_allowed');
    if (!isBody(request.body)) return refusal('body_not_bytes', rawBodyFix);
    // Do not read the body of a sender that does not even provide a time and a signature.
    const signed = readSignedHeaders({ headers, receivedAt, tolerance });
    if (!signed.ok) return signed;
    const secret = await usableSecrets();
    if (secret === undefined) return refusal('no_secret');
    const limits = { limit: bodyLimit, timeoutMs: bodyTimeoutSeconds * 1000 };
    const body = await readBody(headers, request.body, limits);
    if (!body.ok) return refusal(body.reason, rawBodyFix);
    return verify({ secret, headers, body: body.bytes, tolerance, receivedAt });
  }

  async function usableSecrets(): Promise<readonly string[] | undefined> {
    try {
      return await readSecrets();
    } catch (error) {
      await reportError(new TypeError(MESSAGES.no_secret, { cause: error }), undefined);
      return undefined;
    }
  }

  async function refuse({ reason, message }: Refusal): Promise<RefusedRequest> {
    const refused: RefusedRequest = { outcome: 'refused', status: refusalStatus(reason), reason, message };
    await notify(() => onRefused(refused));
    // The sender's log, which gets this message too, is hard to reach.
    if (reason === 'body_not_bytes') await reportError(new TypeError(message), undefined);
    return refused;
  }
}

const OPTION_NAMES: OptionNames<ReceiverOptions> = {
  secret: true,
  on: true,
  store: true,
  bodyLimit: true,
  bodyTimeoutSeconds: true,
  tolerance: true,
  leaseSeconds: true,
  onRefused: true,
  onError: true,
};

const DEFAULT_BODY_LIMIT = 1024 * 1024;
const DEFAULT_BODY_TIMEOUT_SECONDS = 10;
const DEFAULT_LEASE_SECONDS = 60;

type EventHandler = (event: WebhookEvent) => unknown;
type Checked = VerifySuccess | Refusal;

interface Refusal {
  readonly ok: false;
  readonly reason: RefusalReason;
  readonly message: string;
}

function handlerTable({ on = {} }: ReceiverOptions): (type: string) => EventHandler | undefined {
  const handlers = new Map<string, EventHandler>();
  const known = [...Object.keys({ ...EVENT_MEANINGS, ...OPT_IN_EVENT_MEANINGS }), '*'];
  for (const [type, handler] of Object.entries(on)) {
    if (!known.includes(type)) {
      const hint = didYouMean(type, known);
      throw new TypeError(
        `createReceiver: on['${type}'] is not an event. ${hint} Newer events go to on['*'].`,
      );
    }
    if (handler === undefined) continue;
    checkFunction(`on['${type}']`, handler);
    handlers.set(type, handler as EventHandler); // called only with events of this type
  }
  return (type) => handlers.get(type) ?? handlers.get('*');
}

type OwnReason = BodyFailureReason | 'method_not_allowed' | 'no_secret';

function refusal(reason: OwnReason, rawBodyFix = ''): Refusal {
  const message = MESSAGES[reason];
  return { ok: false, reason, message: reason === 'body_not_bytes' ? `${message} ${rawBodyFix}` : message };
}

const MESSAGES: Readonly<Record<OwnReason, string>> = {
  body_not_bytes: 'The body is not the raw bytes, because a framework has parsed it.',
  body_too_large: 'The body is larger than bodyLimit allows.',
  body_timeout: 'The body did not arrive within bodyTimeoutSeconds.',
  body_interrupted: 'The sender hung up in the middle of the body: it sends the webhook again.',
  method_not_allowed: 'A webhook comes with POST.',
  no_secret:
    'The receiver has no webhook secret that it could use: give createReceiver the whsec_… that was shown when the endpoint was created.',
};

/** A hook that fails must not change the response. */
async function notify(hook: () => unknown): Promise<void> {
  try {
    await hook();
  } catch {
    // The error of a hook cannot be reported anywhere.
  }
}

function logError(error: unknown, event: WebhookEvent | undefined): void {
  const subject = event === undefined ? '' : ` ${event.type} ${event.id}`;
  // oxlint-disable-next-line no-console -- better than a hidden error; `onError` replaces it
  console.error(`webhook${subject}:`, error);
}

function checkFunction(name: string, value: unknown): void {
  if (typeof value === 'function') return;
  throw new TypeError(`createReceiver: ${name} must be a function, and is a ${typeof value}.`);
}

function checkPositive(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isFinite(value) || value <= 0)
      throw new TypeError(`createReceiver: ${name} must be a number, more than 0.`);
  }
}
