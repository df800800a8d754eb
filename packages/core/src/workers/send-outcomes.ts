import { doublingDelay } from '../domain/backoff.ts';
import { entryIdOf } from '../domain/message/message-action.ts';
import type { MessageError } from '../domain/message/message.ts';
import { holdDelay, NEVER_TAKEN } from '../domain/message/not-sent-retry.ts';
import { dueSince } from '../domain/message/schedule.ts';
import { SEND_OUTCOME_UNKNOWN, sendRetryDelay, UNKNOWN_BEFORE_HELD } from '../domain/message/send-retry.ts';
import type { SendOutcome } from '../ports/gateway.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { QueuedMessage } from '../ports/storage/message-store.ts';
import type { ServiceContext } from '../services/context.ts';
import { noteRecipient } from '../services/contacts.ts';
import { FencedError } from '../services/instances/fenced-error.ts';
import { advanceMessage } from '../services/messages/advance-message.ts';
import { recordActionOutcome } from '../services/messages/finish-action.ts';

/**
 * The first wait of a message that was not sent. If its connection stays open, the wait doubles with each repeat, up
 * to `NOT_SENT_LONGEST_MS`.
 */
const NOT_SENT_AGAIN_MS = 1_000;
const NOT_SENT_LONGEST_MS = 30_000;
/** A message that could not be read waits as long as it has already waited, within these bounds. */
const NOT_READ_AGAIN_MS = 1_000;
const NOT_READ_LONGEST_MS = 60_000;

/** How often an instance warns of sends without an outcome: many may end at the same time, for one reason. */
const WARN_EVERY_MS = 60_000;

/** `not_read`: the storage or the media store failed, so the message was not sent. */
export type SendResult =
  | (SendOutcome & {
      /** The ids of the messages that a read mark covers; absent for everything else. */
      readonly marked?: readonly string[];
    })
  | { readonly kind: 'not_read'; readonly error: unknown };

type NotSent = Extract<SendOutcome, { readonly kind: 'not_sent' }>;

interface SendRetries {
  /** Called when a message has to be sent again, not before `at`, in epoch milliseconds. */
  readonly again: (head: QueuedMessage, at: number) => void;
  /** Called when nothing of the instance should be sent before `until`, in epoch milliseconds. */
  readonly pause: (instanceId: string, until: number) => void;
  readonly isOpen: (instanceId: string) => boolean;
}

/** The ids of an entry, for log lines. */
function namesOf({ message: { id, instanceId }, action }: QueuedMessage) {
  return { instanceId, messageId: id, ...(action && { actionId: action.id }) };
}

/** Stores the outcome of a send. Rejects with a `FencedError` if the lease is lost. */
export function recordSendOutcome(
  context: ServiceContext,
  retries: SendRetries,
): (lease: Lease, head: QueuedMessage, outcome: SendResult) => Promise<void> {
  const { storage, clock, logger } = context;
  /** How many times in a row a message was not sent on a connection that stayed open, by its id. */
  const notSent = new Map<string, number>();
  /** When the instance of a lease last warned of a send without an outcome, by `Clock.elapsed()`. */
  const warnedAt = new WeakMap<Lease, number>();

  const fail = async (
    lease: Lease,
    { message, action }: QueuedMessage,
    error: MessageError,
  ): Promise<void> => {
    if (action) return recordActionOutcome(context, lease, { action, error });
    await advanceMessage(context, lease, message.networkId, { kind: 'failed', error }, message);
    context.metrics.messageCompleted(message, 'failed', clock.now());
  };

  const postpone = async (
    lease: Lease,
    head: QueuedMessage,
    place: { readonly tries: number; readonly delayMs: number; readonly heldSince?: number },
  ): Promise<void> => {
    const { delayMs, ...rest } = place;
    const dueAt = clock.now() + delayMs;
    const postponement = { messageId: entryIdOf(head), dueAt, ...rest };
    if ((await storage.messages.postpone(lease, postponement)) === 'fenced')
      throw new FencedError(lease.instanceId);
    retries.again(head, dueAt);
  };

  const retryLater = async (lease: Lease, head: QueuedMessage, reason: string): Promise<void> => {
    const tries = head.tries + 1;
    const delayMs = sendRetryDelay(tries);
    const elapsed = clock.elapsed();
    const isNew = elapsed - (warnedAt.get(lease) ?? -Infinity) >= WARN_EVERY_MS;
    if (isNew) warnedAt.set(lease, elapsed);
    logger[isNew ? 'warn' : 'debug'](
      { ...namesOf(head), reason, tries },
      'the network did not say whether it took a message: it is sent again under the same network id, five times in all, and then fails; reason says what happened',
    );
    await (delayMs === null
      ? fail(lease, head, SEND_OUTCOME_UNKNOWN)
      : postpone(lease, head, { tries, delayMs }));
  };

  const sendOnNext = async (lease: Lease, head: QueuedMessage, { reason }: NotSent): Promise<void> => {
    const { instanceId } = head.message;
    const entryId = entryIdOf(head);
    if (!retries.isOpen(instanceId)) {
      notSent.delete(entryId);
      logger.debug({ ...namesOf(head), reason }, 'a message waits for the next connection');
      return postpone(lease, head, { tries: head.tries, delayMs: NOT_SENT_AGAIN_MS });
    }
    const times = notSent.get(entryId) ?? 0;
    notSent.set(entryId, times + 1);
    // The first time, a connection may have ended without having said so yet.
    logger[times === 0 ? 'debug' : 'warn'](
      { ...namesOf(head), reason },
      'the gateway sent nothing of a message though its connection is open: it is tried again, and the instance sends nothing else for a second; reason says why',
    );
    const bounds = { firstMs: NOT_SENT_AGAIN_MS, longestMs: NOT_SENT_LONGEST_MS };
    await postpone(lease, head, { tries: head.tries, delayMs: doublingDelay(times, bounds) });
    retries.pause(instanceId, clock.now() + NOT_SENT_AGAIN_MS);
  };

  /**
   * Postpones a message that could not be read. The fault is local, and perhaps only with this message, so
   * other messages are sent.
   */
  const waitUntilRead = async (lease: Lease, head: QueuedMessage, error: unknown): Promise<void> => {
    const now = clock.now();
    const heldSince = head.heldSince ?? now;
    logger.warn(
      { ...namesOf(head), err: error },
      'a message could not be read to be sent, so it waits and is tried again, and messages to others are still sent: check the database and the media store',
    );
    const delayMs = Math.min(NOT_READ_LONGEST_MS, Math.max(NOT_READ_AGAIN_MS, now - heldSince));
    await postpone(lease, head, { tries: head.tries, delayMs, heldSince });
  };

  const hold = async (
    lease: Lease,
    head: QueuedMessage,
    { retryAfterMs, reason, error = NEVER_TAKEN }: NotSent & { readonly retryAfterMs: number },
  ): Promise<void> => {
    const { message, tries, heldSince } = head;
    const now = clock.now();
    const since = heldSince ?? now;
    const delayMs = holdDelay({ dueSince: dueSince(message), heldSince: since, retryAfterMs, now });
    // After an attempt without an outcome, the message may have been sent.
    if (delayMs === null) return fail(lease, head, tries > 0 ? UNKNOWN_BEFORE_HELD : error);
    await postpone(lease, head, { tries, delayMs, heldSince: since });
    if (heldSince !== undefined) return;
    logger.warn(
      { ...namesOf(head), code: error.code, reason, delayMs },
      'the network does not take a message for now: it is sent again later, for up to four hours after its acceptance or its send_at, and only messages to the same recipient wait for it',
    );
  };

  return async (lease, head, outcome) => {
    const { message, action } = head;
    if (outcome.kind !== 'not_sent') notSent.delete(entryIdOf(head));
    if (outcome.kind === 'not_read') return waitUntilRead(lease, head, outcome.error);
    // Note the recipient before the message counts as sent: later activities then find the message.
    await noteRecipient(context, lease, message, outcome);
    switch (outcome.kind) {
      case 'accepted':
        if (action)
          return recordActionOutcome(context, lease, { action, error: null, marked: outcome.marked });
        // Pass the message that was read for the send, which saves a read.
        await advanceMessage(context, lease, message.networkId, { kind: 'sent' }, message);
        context.metrics.messageCompleted(message, 'sent', clock.now());
        return;
      case 'refused':
        return fail(lease, head, outcome.error);
      case 'not_sent': {
        const { retryAfterMs } = outcome;
        return retryAfterMs === undefined
          ? sendOnNext(lease, head, outcome)
          : hold(lease, head, { ...outcome, retryAfterMs });
      }
      case 'unknown':
        return retryLater(lease, head, outcome.reason);
    }
  };
}
