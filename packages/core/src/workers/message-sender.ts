import { writeRetryDelay } from '../domain/backoff.ts';
import type { Message } from '../domain/message/message.ts';
import type { SendOutcome } from '../ports/gateway.ts';
import type { QueuedMessage } from '../ports/storage/message-store.ts';
import { settledWithin, withDeadline } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { PassResult } from '../runtime/loop.ts';
import { isLogged } from '../runtime/port-guard.ts';
import { keepTrying } from '../runtime/retry.ts';
import type { ServiceContext } from '../services/context.ts';
import { messageAttributes } from '../services/span-attributes.ts';
import { FencedError } from '../services/instances/fenced-error.ts';
import type { OpenConnection, OpenConnections } from './connections.ts';
import { isFileGone, outgoingMessage } from './outgoing-message.ts';
import { recordSendOutcome } from './send-outcomes.ts';
import type { SendResult } from './send-outcomes.ts';

const POLL_MS = 5_000;
/** Instances per query: enough for all instances of a process. */
const CHUNK = 5_000;
/** If a gateway does not respond within this time, the outcome is unknown. */
const SEND_DEADLINE_MS = 60_000;
/**
 * How long recording an outcome is retried if the storage fails; then the message is sent again under the
 * same network id.
 */
const RECORD_FOR_MS = 60 * 60_000;
const RECORD_AGAIN_MS = 1_000;
/** How long an unrecorded outcome may delay messages to other recipients. */
const SET_ASIDE_AFTER_MS = 5_000;
const SET_ASIDE_FOR_MS = 60_000;
/** How many instances one log line names at most. */
const MOST_NAMED = 20;
/** A message with a file gets the additional time that its file takes at 4 Mbit/s. */
const SLOWEST_BYTES_PER_MS = 500;

const LEASE_LOST =
  'sending stopped on an instance, because its lease was lost: another process sends its messages; if this repeats, look for a slow database or a process that stands still';
const SENDING_STOPPED =
  'sending stopped on an instance and is tried again; its messages stay queued: if this continues, check the database';

export interface MessageSender {
  start(): void;
  /**
   * Looks at an instance as soon as nothing is being sent on it. Called when it has a new message or its connection
   * has opened.
   */
  wake(instanceId: string): void;
  /** Starts no more sends and waits for those in flight, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Sends queued messages: first in, first out and one at a time on each instance, many instances concurrently.
 * A message that the network does not take for now delays only messages to the same recipient.
 */
export function createMessageSender(context: ServiceContext, connections: OpenConnections): MessageSender {
  const { storage, clock, logger } = context;
  /** Instances whose messages are being sent. */
  const sending = new Map<string, Promise<void>>();
  /** Instances to look at before the next look at all instances. */
  const woken = new Set<string>();
  /** When to retry the message that all others of its instance wait for, by instance. */
  const retryAt = new Map<string, number>();
  /** When the next held message is due, by instance. */
  const heldUntil = new Map<string, number>();
  /** Storage failures in a row while sending, by instance; failed sends do not count. */
  const failures = new Map<string, number>();
  /** Recordings of outcomes still in progress after their messages were set aside, by message id. */
  const unrecorded = new Map<string, Promise<void>>();
  let lookAtAllAt = 0;
  let stopping = false;

  const pass = async (): Promise<PassResult> => {
    const now = clock.now();
    for (const times of [retryAt, heldUntil]) {
      for (const [id, at] of times) {
        if (at > now) continue;
        times.delete(id);
        woken.add(id);
      }
    }
    if (now < lookAtAllAt) {
      await lookAt([...woken]);
    } else {
      lookAtAllAt = now + POLL_MS;
      await lookAt(connections.ids());
    }
    return { more: false, nextAt: Math.min(lookAtAllAt, ...retryAt.values(), ...heldUntil.values()) };
  };

  const lookAt = async (instanceIds: readonly string[]): Promise<void> => {
    // Leave sending instances in `woken`: their last read of the queue may have missed a new message.
    const idle = instanceIds.filter((id) => !sending.has(id));
    for (let i = 0; i < idle.length && !stopping; i += CHUNK) {
      const chunk = idle.slice(i, i + CHUNK);
      // Delete before the query, or a wake-up during it is lost.
      for (const id of chunk) woken.delete(id);
      const heads = await storage.messages.queueHeads(chunk, clock.now()).catch((error: unknown) => {
        for (const id of chunk) woken.add(id);
        throw error;
      });
      for (const [id, ofInstance] of Map.groupBy(heads, ({ message }) => message.instanceId)) {
        begin(id, ofInstance);
      }
    }
  };

  const begin = (instanceId: string, heads: readonly QueuedMessage[]): void => {
    if (sending.has(instanceId)) return;
    const drained = drain(instanceId, heads)
      .then(() => {
        failures.delete(instanceId);
      })
      .catch((error: unknown) => {
        if (error instanceof FencedError) logger.warn({ instanceId }, LEASE_LOST);
        else logger[isLogged(error) ? 'debug' : 'error']({ err: error, instanceId }, SENDING_STOPPED);
        const count = (failures.get(instanceId) ?? 0) + 1;
        failures.set(instanceId, count);
        retryAt.set(instanceId, clock.now() + writeRetryDelay(count));
        loop.wake();
      })
      .finally(() => {
        sending.delete(instanceId);
        if (woken.has(instanceId)) loop.wake();
      });
    sending.set(instanceId, drained);
  };

  /** Sends the messages of one instance, one after another, until no more are due. */
  const drain = async (instanceId: string, first: readonly QueuedMessage[]): Promise<void> => {
    let head = nextOf(first, false);
    while (head && !stopping) {
      const open = connections.get(instanceId);
      if (!open) break;
      if (unrecorded.has(head.message.id)) await setAside(open, head);
      else await sendTraced(open, head);
      head = nextOf(await storage.messages.queueHeads([instanceId], clock.now()), isHeld(head));
    }
  };

  /** Sends a message once, within a span, and records its outcome. */
  const sendTraced = async (open: OpenConnection, head: QueuedMessage): Promise<void> => {
    const { message, tries } = head;
    const span = context.tracing.linkedTo(message.traceparent, {
      name: 'send message',
      kind: 'CLIENT',
      attributes: () => ({
        'messaging.operation.type': 'send',
        'messaging.operation.name': 'send',
        'trunkline.attempt': tries + 1,
        ...messageAttributes(message),
      }),
    });
    let failure: string | null = 'not_recorded';
    try {
      const outcome = await span.run(() => send(open, message));
      await recordOrSetAside(open, head, outcome);
      failure = outcome.kind === 'accepted' ? null : outcome.kind;
    } finally {
      span.end(failure);
    }
  };

  const send = async (open: OpenConnection, message: Message): Promise<SendResult> => {
    const fileErrors: unknown[] = [];
    let outgoing: Awaited<ReturnType<typeof outgoingMessage>>;
    try {
      outgoing = await outgoingMessage(context, message, (error) => {
        fileErrors.push(error);
        throw error;
      });
      if (await isFileGone(context, message))
        return refused(
          'media_gone',
          'The file of the message is no longer stored: send it again in a new message.',
        );
    } catch (error) {
      return { kind: 'not_read', error };
    }
    if (outgoing === 'group_unknown')
      return refused(
        'group_unknown',
        'The instance no longer knows the group of this message: list its groups, and send to one of them.',
      );
    const ms = SEND_DEADLINE_MS + (message.media?.size ?? 0) / SLOWEST_BYTES_PER_MS;
    const sent = (async () => open.connection.send(outgoing))();
    const outcome = await withDeadline(clock, { what: 'connection.send', ms }, sent).catch(
      (error: unknown): SendOutcome => ({
        kind: 'unknown',
        reason: error instanceof Error ? error.message : 'the gateway failed',
      }),
    );
    // Without its file, the message cannot have been sent.
    return outcome.kind === 'unknown' && fileErrors.length > 0
      ? { kind: 'not_read', error: fileErrors[0] }
      : outcome;
  };

  /**
   * Records an outcome. If that takes more than a few seconds, sets the message aside, so that messages to other
   * recipients are sent.
   */
  const recordOrSetAside = async (
    open: OpenConnection,
    head: QueuedMessage,
    outcome: SendResult,
  ): Promise<void> => {
    const { instanceId, id } = head.message;
    const recording = recordAtLast(open, head, outcome);
    if (await settledWithin(clock, SET_ASIDE_AFTER_MS, recording)) return recording;
    const ended = recording
      .catch((error: unknown) => {
        if (error instanceof FencedError) logger.warn({ instanceId }, LEASE_LOST);
      })
      .finally(() => {
        unrecorded.delete(id);
        woken.add(instanceId);
        loop.wake();
      });
    unrecorded.set(id, ended);
    await setAside(open, head);
  };

  const setAside = async (
    { lease }: OpenConnection,
    { message, tries, heldSince }: QueuedMessage,
  ): Promise<void> => {
    const now = clock.now();
    const dueAt = now + SET_ASIDE_FOR_MS;
    const place = { messageId: message.id, tries, dueAt, heldSince: heldSince ?? now };
    if ((await storage.messages.postpone(lease, place)) === 'fenced') throw new FencedError(lease.instanceId);
  };

  /**
   * Records an outcome. Retries for a while if the storage fails, as on a full disk, because a message without
   * an outcome is sent again.
   */
  const recordAtLast = async (
    open: OpenConnection,
    head: QueuedMessage,
    outcome: SendResult,
  ): Promise<void> => {
    const { instanceId, id: messageId } = head.message;
    await keepTrying(
      clock,
      {
        until: clock.now() + RECORD_FOR_MS,
        everyMs: RECORD_AGAIN_MS,
        // A message that was not read was not sent, so no outcome is lost.
        isFinal: (error) => stopping || error instanceof FencedError || outcome.kind === 'not_read',
      },
      async () => {
        try {
          await record(open.lease, head, outcome);
        } catch (error) {
          if (!(error instanceof FencedError))
            logger.warn(
              { err: error, instanceId, messageId },
              'the outcome of a send could not be recorded, and is recorded later: check the database',
            );
          throw error;
        }
      },
    );
  };

  const record = recordSendOutcome(context, {
    isOpen: (instanceId) => connections.get(instanceId) !== null,
    again(instanceId, at) {
      retryAt.set(instanceId, at);
      loop.wake();
    },
    held(instanceId, until) {
      // Keep only the earliest time. Messages that are due later are found when all instances are looked at.
      heldUntil.set(instanceId, Math.min(until, heldUntil.get(instanceId) ?? until));
      loop.wake();
    },
  });

  const wake = (instanceId: string): void => {
    // Skip instances without a connection here, because a connection that opens later wakes the sender.
    if (!connections.get(instanceId)) return;
    woken.add(instanceId);
    loop.wake();
  };

  const loop = createLoop({ name: 'message sender', clock, logger, everyMs: POLL_MS, pass });

  return {
    start: loop.start,
    wake,
    async stop(timeoutMs) {
      stopping = true;
      const ended = loop.stop().then(() => Promise.all([...sending.values(), ...unrecorded.values()]));
      if (await settledWithin(clock, timeoutMs, ended)) return;
      const instances = [...sending.keys()].slice(0, MOST_NAMED);
      logger.warn(
        { count: sending.size, instances },
        'sends had not ended when the process stopped: their messages are sent again under the same network id, after the next start or by another process',
      );
    },
  };
}

function isHeld({ heldSince }: QueuedMessage): boolean {
  return heldSince !== undefined;
}

/** Held and other messages take turns, so that neither kind waits for all of the other kind. */
function nextOf(heads: readonly QueuedMessage[], wasHeld: boolean): QueuedMessage | undefined {
  return heads.find((head) => isHeld(head) !== wasHeld) ?? heads[0];
}

function refused(code: string, message: string): SendOutcome {
  return { kind: 'refused', error: { code, message } };
}
