import type { Message, MessageError } from '../domain/message/message.ts';
import { holdDelay, NEVER_TAKEN } from '../domain/message/not-sent-retry.ts';
import { SEND_OUTCOME_UNKNOWN, sendRetryDelay, UNKNOWN_BEFORE_HELD } from '../domain/message/send-retry.ts';
import type { SendOutcome } from '../ports/gateway.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { QueuedMessage } from '../ports/storage/message-store.ts';
import type { ServiceContext } from '../services/context.ts';
import { noteRecipient } from '../services/contacts.ts';
import { advanceMessage } from '../services/messages/advance-message.ts';

/** What was not written because its connection ended waits for the next one, which does not open sooner. */
const NOT_SENT_AGAIN_MS = 1_000;

type NotSent = Extract<SendOutcome, { readonly kind: 'not_sent' }>;

/** Called when a message is to be sent again, with the epoch milliseconds from which it may be. */
interface SendRetries {
  readonly again: (instanceId: string, at: number) => void;
  /** It was held, or is so from now on. */
  readonly held: (instanceId: string, until: number) => void;
}

/** Stores the outcome of a send. Rejects with a `FencedError` if the lease is lost. */
export function recordSendOutcome(
  context: ServiceContext,
  retries: SendRetries,
): (lease: Lease, head: QueuedMessage, outcome: SendOutcome) => Promise<void> {
  const { storage, clock, logger } = context;

  const fail = async (lease: Lease, message: Message, error: MessageError): Promise<void> => {
    await advanceMessage(context, lease, message.networkId, { kind: 'failed', error }, message);
    context.metrics.messageCompleted(message, 'failed', clock.now());
  };

  const postpone = async (
    lease: Lease,
    { message: { id: messageId, instanceId }, heldSince }: QueuedMessage,
    place: { readonly tries: number; readonly delayMs: number; readonly heldSince?: number },
  ): Promise<void> => {
    const { delayMs, ...rest } = place;
    const dueAt = clock.now() + delayMs;
    await storage.messages.postpone(lease, { messageId, dueAt, ...rest });
    const isHeld = (rest.heldSince ?? heldSince) !== undefined;
    retries[isHeld ? 'held' : 'again'](instanceId, dueAt);
  };

  const retryLater = async (lease: Lease, head: QueuedMessage): Promise<void> => {
    const tries = head.tries + 1;
    const delayMs = sendRetryDelay(tries);
    await (delayMs === null
      ? fail(lease, head.message, SEND_OUTCOME_UNKNOWN)
      : postpone(lease, head, { tries, delayMs }));
  };

  const hold = async (
    lease: Lease,
    head: QueuedMessage,
    { retryAfterMs, reason, error = NEVER_TAKEN }: NotSent & { readonly retryAfterMs: number },
  ): Promise<void> => {
    const { message, tries, heldSince } = head;
    const now = clock.now();
    const since = heldSince ?? now;
    const acceptedAt = message.queuedAt ?? message.createdAt;
    const delayMs = holdDelay({ acceptedAt, heldSince: since, retryAfterMs, now });
    // After a try without an outcome, nobody can say that it was not sent.
    if (delayMs === null) return fail(lease, message, tries > 0 ? UNKNOWN_BEFORE_HELD : error);
    await postpone(lease, head, { tries, delayMs, heldSince: since });
    if (heldSince !== undefined) return;
    const { id: messageId, instanceId } = message;
    logger.warn(
      { instanceId, messageId, code: error.code, reason, delayMs },
      'the network does not take a message for now: it is sent again later, for up to four hours after its acceptance, and only messages to the same recipient wait for it',
    );
  };

  return async (lease, head, outcome) => {
    const { message } = head;
    // Before the message is sent for everybody: what its recipient does then is found to be about it.
    await noteRecipient(context, lease, message, outcome);
    switch (outcome.kind) {
      case 'accepted':
        // The message as it was read for the send: it is not read again.
        await advanceMessage(context, lease, message.networkId, { kind: 'sent' }, message);
        context.metrics.messageCompleted(message, 'sent', clock.now());
        return;
      case 'refused':
        return fail(lease, message, outcome.error);
      case 'not_sent': {
        const { retryAfterMs } = outcome;
        return retryAfterMs === undefined
          ? postpone(lease, head, { tries: head.tries, delayMs: NOT_SENT_AGAIN_MS })
          : hold(lease, head, { ...outcome, retryAfterMs });
      }
      case 'unknown':
        return retryLater(lease, head);
    }
  };
}
