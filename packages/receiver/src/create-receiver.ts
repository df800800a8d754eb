import { checkOptionNames, didYouMean, type OptionNames } from '@trunkline/option-names';
import { EVENT_MEANINGS } from './event-types.ts';
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

export interface ReceiverOptions {
  /**
   * The endpoint's secret, whole (`whsec_…`); several while one is being replaced; or a function that reads it, called
   * for each request. `process.env.WEBHOOK_SECRET` may be given as it is: where it is missing or empty, each request
   * gets a 500, and `onError` the reason. A secret with white space around it throws a TypeError right away.
   */
  readonly secret: SecretOption;
  /** What to do with the events of each type. A promise is awaited. The sender hangs up after 10 seconds. */
  readonly on?: EventHandlers;
  /** What to do with every other event, those of types that are newer than this package too. Nothing unless given. */
  readonly otherwise?: (event: WebhookEvent) => unknown;
  /** Where the ids of events are kept. `memoryStore()` unless given: right for one process that seldom restarts. */
  readonly store?: EventStore;
  /** The largest body in bytes; 1 MiB unless given. */
  readonly bodyLimit?: number;
  /** How many seconds a body may take to arrive; 10 unless given, which is when the sender hangs up. */
  readonly bodyTimeoutSeconds?: number;
  /** How many seconds the timestamp may be off, either way; 300 unless given. */
  readonly tolerance?: number;
  /**
   * For how long a request has an event to itself, in seconds; 60 unless given. Longer than any handler takes, and
   * no longer than the sender's first wait (a minute), so that the event of a process that died is taken up then.
   */
  readonly leaseSeconds?: number;
  /** Called with each request that was refused, for a log. Strangers can make it happen as often as they like. */
  readonly onRefused?: (refusal: RefusedRequest) => unknown;
  /** Called with what a handler or the store has thrown. `console.error` unless given. */
  readonly onError?: (error: unknown, event: WebhookEvent | undefined) => unknown;
}

export type EventHandlers = {
  readonly [Type in WebhookEventType]?: (event: WebhookEventOf<Type>) => unknown;
};

/** A request as any framework has it. */
export interface IncomingWebhook {
  /** A Fetch `Headers`, Node's `request.headers`, or a plain object. */
  readonly headers: WebhookHeaders;
  /** Of a stream no more than `bodyLimit` is read. */
  readonly body: WebhookBody;
  /** Anything but POST is refused. */
  readonly method?: string | undefined;
  /** How to get the raw body from the framework in use: said when `body` is something else. */
  readonly rawBodyFix?: string;
  /** When it arrived, in epoch milliseconds. Now, unless given. */
  readonly receivedAt?: number;
}

export interface Receiver {
  /**
   * Checks the request, runs the handler unless the event has been dealt with, and returns the response to send. Never
   * rejects. The adapters (`@trunkline/receiver/fetch`, `/node`, `/express`, `/fastify`) call it.
   */
  receive(request: IncomingWebhook): Promise<ReceiveResult>;
}

/**
 * A receiver of webhooks: each event that is rightly signed goes to its handler, once.
 *
 * The event's id is claimed for a minute, the handler runs, and then the id is kept for 30 days, which is as long
 * as an event can be sent again. A handler that throws releases the claim, and the sender tries again. When the
 * process dies between a handler's end and the mark, the event comes once more: "at least once" is what is promised,
 * so let what a handler does bear to be done again, or do it in one transaction with the mark.
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
  if (options.otherwise !== undefined) checkFunction('otherwise', options.otherwise);
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
    // A sender that cannot even name a time and a signature does not get its body read.
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
    // Whoever set up the framework has to learn of it, and the sender's log is a long way off.
    if (reason === 'body_not_bytes') await reportError(new TypeError(message), undefined);
    return refused;
  }
}

const OPTION_NAMES: OptionNames<ReceiverOptions> = {
  secret: true,
  on: true,
  otherwise: true,
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

function handlerTable({ on = {}, otherwise }: ReceiverOptions): (type: string) => EventHandler | undefined {
  const handlers = new Map<string, EventHandler>();
  const known = Object.keys(EVENT_MEANINGS);
  for (const [type, handler] of Object.entries(on)) {
    if (!known.includes(type)) {
      const hint = didYouMean(type, known);
      throw new TypeError(
        `createReceiver: on['${type}'] is no event. ${hint} Newer events go to "otherwise".`,
      );
    }
    if (handler === undefined) continue;
    checkFunction(`on['${type}']`, handler);
    handlers.set(type, handler as EventHandler); // it is given events of its own type only
  }
  return (type) => handlers.get(type) ?? otherwise;
}

type OwnReason = BodyFailureReason | 'method_not_allowed' | 'no_secret';

function refusal(reason: OwnReason, rawBodyFix = ''): Refusal {
  const message = MESSAGES[reason];
  return { ok: false, reason, message: reason === 'body_not_bytes' ? `${message} ${rawBodyFix}` : message };
}

const MESSAGES: Readonly<Record<OwnReason, string>> = {
  body_not_bytes: 'The body is not the raw bytes, because a framework has parsed it.',
  body_too_large: 'The body is larger than the limit.',
  body_timeout: 'The body did not arrive in time.',
  body_interrupted: 'The sender hung up in the middle of the body.',
  method_not_allowed: 'A webhook comes with POST.',
  no_secret:
    'The receiver has no webhook secret that it could use: give createReceiver the whsec_… that was shown when the endpoint was created.',
};

/** A log that fails must not change the response. */
async function notify(hook: () => unknown): Promise<void> {
  try {
    await hook();
  } catch {
    // There is nobody left to notify.
  }
}

function logError(error: unknown, event: WebhookEvent | undefined): void {
  const subject = event === undefined ? '' : ` ${event.type} ${event.id}`;
  // oxlint-disable-next-line no-console -- an error that nobody sees is worse; `onError` replaces it
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
