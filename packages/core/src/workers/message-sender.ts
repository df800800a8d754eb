import { writeRetryDelay } from '../domain/backoff.ts';
import { entryIdOf, entryRecipientOf, flawForAction } from '../domain/message/message-action.ts';
import type { MessageAction } from '../domain/message/message-action.ts';
import type { Message } from '../domain/message/message.ts';
import type { SendOutcome } from '../ports/gateway.ts';
import type { QueuedMessage } from '../ports/storage/message-store.ts';
import { settledWithin, withDeadline } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { PassResult } from '../runtime/loop.ts';
import { isLogged } from '../runtime/port-guard.ts';
import { keepTrying } from '../runtime/retry.ts';
import type { ServiceContext } from '../services/context.ts';
import { createLinkPreviews } from '../services/link-previews.ts';
import { unreadBefore } from '../services/messages/unread-messages.ts';
import { messageAttributes } from '../services/span-attributes.ts';
import { FencedError } from '../services/instances/fenced-error.ts';
import type { OpenConnection, OpenConnections } from './connections.ts';
import { isFileGone, outgoingAction, outgoingMessage } from './outgoing-message.ts';
import { createSendPace } from './send-pace.ts';
import { recordSendOutcome } from './send-outcomes.ts';
import type { SendResult } from './send-outcomes.ts';
import { createSendsInFlight, hasFile } from './sends-in-flight.ts';

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
/** The time to record an outcome, after which its message is set aside. */
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
   * Looks at an instance as soon as it can send more. Called when it has a new message or its connection has opened.
   */
  wake(instanceId: string): void;
  /** Starts no more sends and waits for those in flight, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Sends queued messages: to each recipient in the order of their acceptance, one after another, and to as many
 * recipients at the same time as the gateway of the instance takes.
 */
export function createMessageSender(context: ServiceContext, connections: OpenConnections): MessageSender {
  const { storage, clock, logger, gateways } = context;
  const limit = Math.max(...gateways.all.map(({ network }) => gateways.sendsAtOnce(network)));
  const inFlight = createSendsInFlight();
  const pace = createSendPace(context);
  const linkPreviews = createLinkPreviews(context);
  /** Sends, and the reads that follow them, which a stop waits for. */
  const work = new Set<Promise<void>>();
  /** Instances whose queues are being read. */
  const reading = new Set<string>();
  /** Instances to look at before the next look at all instances. */
  const woken = new Set<string>();
  /** Instances whose last send was of a held message. */
  const heldLast = new Set<string>();
  /** When an instance may send again, after its gateway or the storage has failed, or because of its pace. */
  const pausedUntil = new Map<string, number>();
  /** When to look at an instance again, by the id of the message or the instance that waits. */
  const due = new Map<string, { readonly instanceId: string; readonly at: number }>();
  /** Storage failures in a row while sending, by instance; failed sends do not count. */
  const failures = new Map<string, number>();
  /** Recordings of outcomes still in progress after their messages were set aside, by message id. */
  const unrecorded = new Map<string, Promise<void>>();
  let lookAtAllAt = 0;
  let stopping = false;

  const pass = async (): Promise<PassResult> => {
    const now = clock.now();
    for (const [key, { instanceId, at }] of due) {
      if (at > now) continue;
      due.delete(key);
      pausedUntil.delete(key);
      woken.add(instanceId);
    }
    if (now < lookAtAllAt) {
      await lookAt([...woken]);
    } else {
      lookAtAllAt = now + POLL_MS;
      await lookAt(connections.ids());
    }
    let nextAt = lookAtAllAt;
    for (const { at } of due.values()) nextAt = Math.min(nextAt, at);
    return { more: false, nextAt };
  };

  const lookAt = async (instanceIds: readonly string[]): Promise<void> => {
    // A connection that opens wakes its instance again.
    for (const id of instanceIds) if (!connections.get(id)) woken.delete(id);
    for (let i = 0; i < instanceIds.length; i += CHUNK) {
      const chunk = instanceIds.slice(i, i + CHUNK);
      for (const withFiles of [true, false]) {
        // Instances that are left out stay woken.
        const ids = chunk.filter((id) => isReady(id) && hasRoomForFile(id) === withFiles);
        if (ids.length > 0) await read(ids, withFiles);
      }
    }
  };

  const isReady = (id: string): boolean => !reading.has(id) && hasRoom(id);

  const hasRoom = (id: string): boolean => !stopping && !isPaused(id) && inFlight.hasRoom(id, atOnceOn(id));

  const hasRoomForFile = (id: string): boolean => inFlight.hasRoomForFile(id, atOnceOn(id));

  /** How many messages the instance sends at the same time; 0 without a connection. */
  const atOnceOn = (id: string): number => {
    const open = connections.get(id);
    return open ? gateways.sendsAtOnce(open.instance.network) : 0;
  };

  const isPaused = (id: string): boolean => (pausedUntil.get(id) ?? 0) > clock.now();

  /** Reads what is next on these instances, and begins to send as much of it as they have room for. */
  const read = async (instanceIds: readonly string[], withFiles: boolean): Promise<void> => {
    // The read may return messages that leave their queues meanwhile, but only to recipients that are busy now.
    const busy = new Map(instanceIds.map((id) => [id, inFlight.recipients(id)]));
    for (const id of instanceIds) {
      reading.add(id);
      // Delete before the query, or a wake-up during it is lost.
      woken.delete(id);
    }
    try {
      const heads = await storage.messages.queueHeads(instanceIds, clock.now(), { limit, withFiles });
      const found = Map.groupBy(heads, ({ message }) => message.instanceId);
      for (const id of instanceIds) {
        const isFree = (head: QueuedMessage): boolean => !busy.get(id)?.has(entryRecipientOf(head));
        sendNext(id, (found.get(id) ?? []).filter(isFree));
      }
    } catch (error) {
      for (const id of instanceIds) woken.add(id);
      throw error;
    } finally {
      for (const id of instanceIds) reading.delete(id);
    }
    if (instanceIds.some((id) => woken.has(id))) loop.wake();
  };

  const sendNext = (instanceId: string, heads: readonly QueuedMessage[]): void => {
    const open = connections.get(instanceId);
    if (!open) return;
    let left = heads;
    while (hasRoom(instanceId)) {
      const mayStart = hasRoomForFile(instanceId) ? left : left.filter((head) => !hasFile(head));
      const next = nextOf(mayStart, heldLast.has(instanceId));
      if (!next) break;
      left = left.filter((head) => entryRecipientOf(head) !== entryRecipientOf(next));
      const sent: Promise<void> = start(open, next).finally(() => work.delete(sent));
      work.add(sent);
    }
    // Messages that need not wait for a file may be behind those that do.
    if (hasRoom(instanceId) && left.some((head) => hasFile(head) && head.heldSince === undefined))
      woken.add(instanceId);
  };

  /** Sends a message, and looks at its instance again. Never rejects. */
  const start = async (open: OpenConnection, head: QueuedMessage): Promise<void> => {
    const { instanceId } = head.message;
    inFlight.begin(head);
    if (isHeld(head)) heldLast.add(instanceId);
    else heldLast.delete(instanceId);
    try {
      if (unrecorded.has(entryIdOf(head))) await setAside(open, head);
      else await sendInTurn(open, head);
      failures.delete(instanceId);
    } catch (error) {
      sendingFailed(instanceId, error);
    }
    inFlight.end(head);
    woken.add(instanceId);
    if (!isReady(instanceId)) return;
    await read([instanceId], hasRoomForFile(instanceId)).catch((error: unknown) =>
      sendingFailed(instanceId, error),
    );
  };

  /** Sends a message unless the pace of its instance holds it, or lets the whole instance wait. */
  const sendInTurn = async (open: OpenConnection, head: QueuedMessage): Promise<void> => {
    const { instanceId } = head.message;
    const turn = await pace.turn(open, head);
    if (turn.kind === 'now') return sendTraced(open, head);
    if (turn.kind === 'held') return;
    // The message has not had its turn, so a message of the same kind is next.
    if (isHeld(head)) heldLast.delete(instanceId);
    else heldLast.add(instanceId);
    pauseUntil(instanceId, turn.at);
  };

  const sendingFailed = (instanceId: string, error: unknown): void => {
    // Several sends may fail together for one reason.
    const isNew = !isPaused(instanceId);
    const fenced = error instanceof FencedError;
    if (fenced) logger[isNew ? 'warn' : 'debug']({ instanceId }, LEASE_LOST);
    else logger[isNew && !isLogged(error) ? 'error' : 'debug']({ err: error, instanceId }, SENDING_STOPPED);
    if (!isNew) return;
    const count = (failures.get(instanceId) ?? 0) + 1;
    failures.set(instanceId, count);
    pauseUntil(instanceId, clock.now() + writeRetryDelay(count));
  };

  const pauseUntil = (instanceId: string, until: number): void => {
    const at = Math.max(until, pausedUntil.get(instanceId) ?? until);
    pausedUntil.set(instanceId, at);
    lookAgain(instanceId, { instanceId, at });
  };

  /** `key` is the id of what waits until then. */
  const lookAgain = (key: string, then: { readonly instanceId: string; readonly at: number }): void => {
    due.set(key, then);
    loop.wake();
  };

  /** Sends a message once, within a span, and records its outcome. */
  const sendTraced = async (open: OpenConnection, head: QueuedMessage): Promise<void> => {
    const { message, action, tries } = head;
    const span = context.tracing.linkedTo(action ? null : message.traceparent, {
      name: action ? 'act on message' : 'send message',
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
      const outcome = await span.run(() => (action ? actOn(open, head, action) : send(open, message)));
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
    const preview = await linkPreviews.of(message);
    if (preview !== undefined && outgoing.content.type === 'text')
      outgoing = { ...outgoing, content: { ...outgoing.content, preview } };
    const typingMs = pace.typingMs(open, message);
    const ms = SEND_DEADLINE_MS + typingMs + (message.media?.size ?? 0) / SLOWEST_BYTES_PER_MS;
    const outcome = await outcomeWithin({ what: 'connection.send', ms }, () =>
      open.connection.send(typingMs > 0 ? { ...outgoing, typingMs } : outgoing),
    );
    // Without its file, the message cannot have been sent.
    return outcome.kind === 'unknown' && fileErrors.length > 0
      ? { kind: 'not_read', error: fileErrors[0] }
      : outcome;
  };

  const actOn = async (
    { connection, instance }: OpenConnection,
    { message, tries }: QueuedMessage,
    action: MessageAction,
  ): Promise<SendResult> => {
    if (isDone(action, message)) return { kind: 'accepted' };
    // After an attempt without an outcome, the network may have carried the action out in time.
    const withinMs = tries > 0 ? null : gateways.actionWithinMs(instance.network, action.kind);
    const flaw = flawForAction(message, action.kind, { now: clock.now(), withinMs });
    if (flaw) return { kind: 'refused', error: flaw };
    const act = connection.act?.bind(connection);
    if (!act) return refused('action_not_supported', 'The network of the instance has no such action.');
    let unread: readonly Message[] = [];
    let outgoing: Awaited<ReturnType<typeof outgoingAction>>;
    try {
      if (action.kind === 'read_mark') unread = await unreadBefore(context, message);
      outgoing = await outgoingAction(context, message, { action, unread });
    } catch (error) {
      return { kind: 'not_read', error };
    }
    if (outgoing === 'group_unknown')
      return refused('group_unknown', 'The instance no longer knows the group of the message.');
    const outcome = await outcomeWithin({ what: 'connection.act', ms: SEND_DEADLINE_MS }, () =>
      act(outgoing),
    );
    return action.kind === 'read_mark'
      ? { ...outcome, marked: [message, ...unread].map(({ id }) => id) }
      : outcome;
  };

  /** The outcome of a gateway's call; unknown if it fails, or does not respond in time. */
  const outcomeWithin = (
    limit: { readonly what: string; readonly ms: number },
    call: () => Promise<SendOutcome>,
  ): Promise<SendOutcome> =>
    withDeadline(clock, limit, (async () => call())()).catch((error: unknown) => ({
      kind: 'unknown',
      reason: error instanceof Error ? error.message : 'the gateway failed',
    }));

  /**
   * Records an outcome. If that takes more than a few seconds, sets the message aside, so that messages to other
   * recipients can be sent in its place.
   */
  const recordOrSetAside = async (
    open: OpenConnection,
    head: QueuedMessage,
    outcome: SendResult,
  ): Promise<void> => {
    const { instanceId } = head.message;
    const id = entryIdOf(head);
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

  const setAside = async ({ lease }: OpenConnection, head: QueuedMessage): Promise<void> => {
    const { tries, heldSince } = head;
    const now = clock.now();
    const dueAt = now + SET_ASIDE_FOR_MS;
    const place = { messageId: entryIdOf(head), tries, dueAt, heldSince: heldSince ?? now };
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
    const { message, action } = head;
    const { instanceId } = message;
    const names = { instanceId, messageId: message.id, ...(action && { actionId: action.id }) };
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
              { err: error, ...names },
              'the outcome of a send could not be recorded, and is recorded later: check the database',
            );
          throw error;
        }
      },
    );
  };

  const record = recordSendOutcome(context, {
    isOpen: (instanceId) => connections.get(instanceId) !== null,
    again: (head, at) => lookAgain(entryIdOf(head), { instanceId: head.message.instanceId, at }),
    pause: pauseUntil,
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
      const ended = loop.stop().then(() => Promise.all([...work, ...unrecorded.values()]));
      if (await settledWithin(clock, timeoutMs, ended)) return;
      const instances = inFlight.instanceIds().slice(0, MOST_NAMED);
      logger.warn(
        { count: inFlight.count(), instances },
        'sends had not ended when the process stopped: their messages are sent again under the same network id, after the next start or by another process',
      );
    },
  };
}

/** Whether the message already is as the action would leave it. */
function isDone({ kind }: MessageAction, { deletedAt, readAt, direction }: Message): boolean {
  if (kind === 'deletion') return deletedAt !== null;
  return kind === 'read_mark' && direction === 'inbound' && readAt !== null;
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
