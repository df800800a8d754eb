import { dayOfNewNumber, paceOf, PACED_AGAIN_MS, sendInterval, typingTime } from '../domain/instance/pace.ts';
import { entryIdOf } from '../domain/message/message-action.ts';
import type { Message } from '../domain/message/message.ts';
import type { Recipient } from '../domain/message/recipient.ts';
import type { Lease } from '../ports/storage/lease.ts';
import type { MessageFilter, QueuedMessage } from '../ports/storage/message-store.ts';
import type { PageRequest } from '../ports/storage/page.ts';
import type { ServiceContext } from '../services/context.ts';
import { FencedError } from '../services/instances/fenced-error.ts';
import type { OpenConnection } from './connections.ts';

type Turn =
  | { readonly kind: 'now' }
  /** No message of the instance may be sent before `at`, in epoch milliseconds. */
  | { readonly kind: 'later'; readonly at: number }
  /** The message was held; messages to other recipients need not wait. */
  | { readonly kind: 'held' };

/** Keeps instances to their pace. Called before a send, so that no wait counts towards the send's deadline. */
export interface SendPace {
  /** Decides whether it is the message's turn. If it is, counts the message as sent. */
  turn(open: OpenConnection, head: QueuedMessage): Promise<Turn>;
  /** How long to show that the message is being typed, in milliseconds. */
  typingMs(open: OpenConnection, message: Message): number;
}

/** The state of an instance for as long as this process holds it. */
interface InstancePace {
  /** When the next message may be sent. */
  freeAt: number;
  /** The message that last had to wait for its interval. Remembered so that its wait is counted once. */
  waitingId: string | null;
  newPeople: NewPeople;
}

/** The new people of one day. */
interface NewPeople {
  /** The beginning of the day. */
  readonly from: number;
  /** The first messages to them, which may have to be sent more than once. */
  readonly messageIds: Set<string>;
  /** A limit that is known to be reached; null if none is. */
  reached: number | null;
  isLogged: boolean;
}

export function createSendPace(context: ServiceContext): SendPace {
  const { storage, clock, random, logger, metrics } = context;
  const states = new WeakMap<Lease, InstancePace>();

  const jitter = (): number => (random.bytes(1)[0] ?? 0) / 256;

  const stateOf = (lease: Lease): InstancePace => {
    const known = states.get(lease);
    if (known) return known;
    const state = { freeAt: 0, waitingId: null, newPeople: nobodyNew(0) };
    states.set(lease, state);
    return state;
  };

  /** Whether the instance has another message with the recipient: an earlier one, or one that it received. */
  const knows = async (message: Message): Promise<boolean> => {
    const { workspaceId, instanceId, id } = message;
    const counterpart = recipientOf(message);
    if (counterpart === null) return true;
    const has = async (filter: Partial<MessageFilter>, from: PageRequest['from']): Promise<boolean> => {
      const page = { from, limit: 1 };
      const { rows } = await storage.messages.list(workspaceId, { ...filter, instanceId, counterpart }, page);
      return rows.length > 0;
    };
    return (await has({}, { direction: 'older', id })) || has({ direction: 'inbound' }, null);
  };

  /** When to consider the message again, because it is to one new person too many; null if it is not. */
  const heldUntil = async (
    { lease, instance, connection }: OpenConnection,
    { message, action, tries }: QueuedMessage,
    now: number,
  ): Promise<number | null> => {
    // An action follows a message, to a person whom the instance has written to or heard from.
    if (action) return null;
    const { newPeoplePerDay: limit } = paceOf(instance, connection);
    const day = dayOfNewNumber(instance.linkedAt, now);
    // After a try without an outcome, the recipient may have the message.
    if (limit === null || day === null || tries > 0) return null;
    const state = stateOf(lease);
    if (state.newPeople.from !== day.from) state.newPeople = nobodyNew(day.from);
    const people = state.newPeople;
    if (people.messageIds.has(message.id) || (await knows(message))) return null;
    if (people.reached === null || people.reached < limit) {
      const outcome = await storage.instances.admitNewPerson(lease, { from: day.from, limit });
      if (outcome === 'fenced') throw new FencedError(lease.instanceId);
      if (outcome === 'admitted') {
        people.messageIds.add(message.id);
        return null;
      }
      people.reached = limit;
    }
    return Math.min(day.until, now + PACED_AGAIN_MS);
  };

  /** Whether the instance has another pace since this process read it, which does not hold the message. */
  const isFreedByChange = async (
    open: OpenConnection,
    head: QueuedMessage,
    now: number,
  ): Promise<boolean> => {
    const { workspaceId, id, pace } = open.instance;
    const stored = await storage.instances.find(workspaceId, id);
    if (stored === null || stored.pace === pace) return false;
    const instance = { ...open.instance, pace: stored.pace };
    return (await heldUntil({ ...open, instance }, head, now)) === null;
  };

  const hold = async (
    { lease, instance }: OpenConnection,
    { message, tries }: QueuedMessage,
    dueAt: number,
  ): Promise<void> => {
    // The time for which the network may refuse the message begins when the pace no longer holds it.
    const place = { messageId: message.id, tries, dueAt, heldSince: dueAt };
    if ((await storage.messages.postpone(lease, place)) === 'fenced') throw new FencedError(lease.instanceId);
    const { newPeople } = stateOf(lease);
    if (newPeople.isLogged) return;
    newPeople.isLogged = true;
    logger.info(
      { instanceId: instance.id, until: dayOfNewNumber(instance.linkedAt, clock.now())?.until ?? null },
      'a new number has written to as many new people as its pace allows in a day: messages to more of them wait, and messages to people whom it knows are sent',
    );
  };

  return {
    async turn(open, head) {
      const { lease, instance, connection } = open;
      const pace = paceOf(instance, connection);
      const state = stateOf(lease);
      const now = clock.now();
      const before = state.freeAt;
      if (before > now && pace.messagesPerMinute !== null) {
        const entryId = entryIdOf(head);
        if (state.waitingId !== entryId) metrics.messagePaced('interval');
        state.waitingId = entryId;
        return { kind: 'later', at: before };
      }
      // Set before the storage is asked, so that no other message of the instance is sent meanwhile.
      state.freeAt = now + sendInterval(pace, jitter());
      const dueAt = await heldUntil(open, head, now);
      if (dueAt === null || (await isFreedByChange(open, head, now))) return { kind: 'now' };
      state.freeAt = before;
      if (head.heldSince === undefined) metrics.messagePaced('new_person');
      await hold(open, head, dueAt);
      return { kind: 'held' };
    },
    typingMs({ instance, connection }, { kind, text }) {
      // A text that was made from a location is not typed.
      if (kind !== 'text' || text === null || !paceOf(instance, connection).typing) return 0;
      return typingTime(text, jitter());
    },
  };
}

function nobodyNew(from: number): NewPeople {
  return { from, messageIds: new Set(), reached: null, isLogged: false };
}

/** Null for a group, and for a message without a recipient. */
function recipientOf({ groupId, contact, to }: Message): Recipient | null {
  if (groupId !== null) return null;
  if (contact !== null) return { kind: 'contact', contactId: contact.id };
  return to === null ? null : { kind: 'number', digits: to };
}
