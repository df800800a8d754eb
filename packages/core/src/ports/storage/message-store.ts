import type { Contact } from '../../domain/contact/contact.ts';
import type { EventRecord } from '../../domain/event/event.ts';
import type { IdRange } from '../../domain/id.ts';
import type { IdempotencyRecord } from '../../domain/idempotency/idempotency.ts';
import type { Instance } from '../../domain/instance/instance.ts';
import type { Acceptance, AcceptanceResult } from '../../domain/message/acceptance.ts';
import type {
  Message,
  MessageDirection,
  MessageError,
  MessageStatus,
  MessageType,
} from '../../domain/message/message.ts';
import type { MessageAction } from '../../domain/message/message-action.ts';
import type { Recipient } from '../../domain/message/recipient.ts';
import type { Workspace } from '../../domain/workspace/workspace.ts';
import type { PendingDownload } from './download-store.ts';
import type { Page, PageRequest } from './page.ts';
import type { Lease } from './lease.ts';

/**
 * A message's next state, written only if it still has the status that the decision was based on. The content of a
 * message (`saysOf`) is written only while the message is queued, because afterwards an edit may change it concurrently
 * (`activities.record`).
 */
export interface MessageChange {
  readonly message: Message;
  readonly expectedStatus: MessageStatus;
  /** The events for receivers, in order. */
  readonly events: readonly EventRecord[];
}

/** Why all queued messages of an instance fail. `failQueue` decides the outcome of each message, in the transaction. */
export interface QueueFailure {
  readonly error: MessageError;
  /** When the messages fail; epoch milliseconds. */
  readonly now: number;
  /** Epoch microseconds of the first message's event; each further event is one microsecond later. */
  readonly eventsFrom: number;
}

/** The sender of a message: an instance and its workspace, as they were when they were read. */
export interface Sender {
  readonly workspace: Pick<Workspace, 'plan' | 'suspendedAt'>;
  /** For `Acceptance.revision`. Stays the same until one of these facts changes, and has no other meaning. */
  readonly revision: string;
  /** Null if the workspace has no such instance. */
  readonly instance: Pick<Instance, 'id' | 'workspaceId' | 'network' | 'phoneNumber' | 'capabilities'> | null;
}

export interface MessageFilter {
  readonly instanceId?: string;
  readonly direction?: MessageDirection;
  readonly type?: MessageType;
  /** Any of these statuses; all if absent. */
  readonly statuses?: readonly MessageStatus[];
  /**
   * Only messages with this person, or in this group. A number means its current owner in each instance, with all
   * messages of their contact; a contact means all of its numbers. See `ChatStore`. Together with a field other than
   * the instance, a page may have fewer rows than its limit (`Page.olderFrom`).
   */
  readonly counterpart?: Recipient;
  /**
   * Only messages that match all of these words (`matchesWords`), one or more. A message is found once it has been filed
   * (`ChatStore.file`), by the names that were known at that time. A page may have fewer rows than its limit
   * (`Page.olderFrom`).
   */
  readonly words?: readonly string[];
}

/** A message, or an action on a message, that is next in its chat, in an instance's queue. */
export interface QueuedMessage {
  readonly message: Message;
  /** The action that is next. Absent if the message itself is. */
  readonly action?: MessageAction;
  /** How many sends had an unknown outcome. */
  readonly tries: number;
  /** When the hold began, in epoch milliseconds (see `Postponement`). Absent if the message is not held. */
  readonly heldSince?: number;
}

export interface Postponement {
  /** The id of the entry in the queue (`entryIdOf`). */
  readonly messageId: string;
  readonly tries: number;
  /** The earliest time to send the message; epoch milliseconds. */
  readonly dueAt: number;
  /**
   * When the message was first held. Until it has left the queue, other messages to its recipient wait, and messages to
   * other recipients do not. Only for the first queued message to a recipient. If omitted, a held message stays held.
   * The same as `dueAt` if the pace of the instance holds the message, because the network has not refused it yet.
   */
  readonly heldSince?: number;
}

/** People by the names that messages to them may have. */
export interface PeopleOfMessages {
  /** Digits. */
  readonly numbers: readonly string[];
  readonly contactIds: readonly string[];
}

/** An inbound message. */
export interface Arrival {
  readonly message: Message;
  /** The network's id of the sender, as it came with this message. */
  readonly senderId: string;
  /**
   * The sender, whom a repeat may name by other network ids; the message shows the same contact. Absent or null if the
   * network says no more than `senderId`.
   */
  readonly contact?: Contact | null;
  readonly event: EventRecord;
  /** The later download of the file, if the file has not come yet. Stored in one transaction with the message. */
  readonly download?: PendingDownload | null;
}

/** The facts that a reply needs about the message that it quotes. */
export interface QuotableMessage {
  readonly message: Message;
  /**
   * The network's id of the author: that of the message's contact, if there is one. Null if the instance wrote the
   * message.
   */
  readonly senderId: string | null;
}

/** The messages of each instance that `queueHeads` returns. */
export interface QueueLook {
  /** The maximum number of held messages, and of others. */
  readonly limit: number;
  /** If false, messages with files are left out, except those that are held. */
  readonly withFiles: boolean;
}

/** How many messages of a queue `queueHeads` looks at: chats that begin behind them wait. */
export const QUEUE_WINDOW = 1_000;

/** The maximum number of messages that `findByNetworkId` returns. */
export const SAME_NETWORK_ID_MAX = 20;

/** How old a storage's cached senders may be. `accept` does not rely on them: see `Acceptance.revision`. */
export const SENDER_KEPT_MS = 5_000;

/** A message with media reads as `available: false` from the moment its instance is deleted, whatever is stored. */
export interface MessageStore<Transaction = never> {
  /**
   * The sender that an outbound message is checked against before `accept`. Null if there is no such workspace. Unless
   * `fresh`, the sender may be up to `SENDER_KEPT_MS` old at `now`: a storage may cache senders, and drops a cached
   * sender as soon as it is notified of a change. A missing workspace or instance is never cached. The returned object
   * is frozen, or belongs to the caller.
   */
  findSender(
    workspaceId: string,
    instanceId: string,
    how: { readonly now: number; readonly fresh: boolean },
  ): Promise<Sender | null>;
  /**
   * Stores an outbound message, its place in the instance's queue and its idempotency record in one transaction. The
   * transaction makes these checks in order (`decideAcceptance`): the sender is unchanged since `revision`; the key is
   * not remembered (records older than the idempotency window do not count); the instance exists; it accepts messages
   * (`acceptsMessages`); the trial is not used up; the backlog is not full. Resolves once the message is durable. Calls
   * that arrive together may share one commit, in the order of the calls. Each call still succeeds or fails on its own:
   * a call whose message id is already in use rejects, and leaves nothing. A message is due from its acceptance, unless
   * it is scheduled (`ScheduleStore`). A message with available media takes the content that was reserved for it (`contentIdOf`), and rejects if that
   * content does not exist, or if another message has it.
   *
   * With a transaction of the caller, all of this is part of that transaction: others see it only after the caller
   * commits, and a rollback undoes it. A refusal or a rejection leaves nothing in the transaction, which can still be
   * used. Anything that is not a transaction on this database rejects with a TypeError. The signal `queue` may be
   * missing.
   */
  accept(acceptance: Acceptance, transaction?: Transaction): Promise<AcceptanceResult>;
  /** Also finds a record past its window, while it is stored; the caller decides. */
  findIdempotencyRecord(workspaceId: string, key: string): Promise<IdempotencyRecord | null>;

  /** With a transaction of the caller, returns the message as that transaction sees it. */
  find(workspaceId: string, id: string, transaction?: Transaction): Promise<Message | null>;
  /**
   * Finds an outbound message by its network id. A message that was accepted with a readable network id is found only
   * in these ranges, each of which has a few ids at most; any other message is found whatever the ranges are.
   */
  findOutbound(instanceId: string, networkId: string, ids?: readonly IdRange[]): Promise<Message | null>;
  /**
   * Finds the messages of an instance that have this network id, in both directions. Inbound messages of several
   * senders may share an id, because a sender may choose the id. Returns up to `SAME_NETWORK_ID_MAX`, an outbound
   * message first. `ids` as for `findOutbound`.
   */
  findByNetworkId(
    instanceId: string,
    networkId: string,
    ids?: readonly IdRange[],
  ): Promise<readonly Message[]>;
  /** Null if the instance has no such message. */
  findQuotable(instanceId: string, id: string): Promise<QuotableMessage | null>;
  /** Whether an inbound message is stored, so that `receive` would treat it as a repeat. */
  hasInbound(
    instanceId: string,
    networkId: string,
    senderId: string,
    contact?: Contact | null,
  ): Promise<boolean>;
  /** Newest first. The cost does not depend on how many rows are before the page. */
  list(workspaceId: string, filter: MessageFilter, page: PageRequest): Promise<Page<Message>>;

  /**
   * The messages to send next, for each of these instances, and the actions (`ActionStore`), which are entries of the
   * same queue: at most one entry for each recipient (`entryRecipientOf`), the one that was accepted first.
   * First those that are not held, in the order of acceptance: each that is due at `now`, or
   * postponed too far ahead (`latestResend`), and whose recipient has no held message. Then, of the held messages that
   * are due or held too far ahead (`latestHold`), those that have been due longest. Leaves out postponed workspaces.
   * By default, looks for one of each, with or without a file. The cost does not grow with the queue beyond
   * `QUEUE_WINDOW`, nor with the number of held messages, because a message that waits for a held message is moved out
   * of the way of the others once.
   */
  queueHeads(
    instanceIds: readonly string[],
    now: number,
    look?: QueueLook,
  ): Promise<readonly QueuedMessage[]>;
  /** Postpones a message, which keeps its place in the queue. Does nothing if the message is no longer queued. */
  postpone(lease: Lease, postponement: Postponement): Promise<'postponed' | 'fenced'>;
  /** Whether the pace of the instance holds this message. */
  isPaced(instanceId: string, messageId: string): Promise<boolean>;
  /**
   * Makes messages that the pace of the instance holds due at `now`: those to these people, or all if `people` is null.
   * Signals `queue` if there are any.
   */
  releasePaced(
    instanceId: string,
    release: { readonly people: PeopleOfMessages | null; readonly now: number },
  ): Promise<void>;
  /**
   * Changes a message under the instance's lease, which is checked first. A message that leaves `queued` leaves its
   * queue, or the schedule, in the same transaction. Returns `stale` also if the message does not exist, or belongs to
   * another instance.
   */
  change(lease: Lease, change: MessageChange): Promise<'changed' | 'stale' | 'fenced'>;
  /**
   * Inserts an inbound message once: a repeat has the same instance, network id and sender. The sender is the same if
   * the contact is the same, whichever of its ids or network ids the message was stored under; without a contact, if
   * `senderId` is the same. A contact that has been merged counts as the contact that it was merged into. Takes
   * reserved content as `accept` does. Writes nothing and returns `contact_gone` if the contact was deleted after the
   * caller saved it. A concurrent `erasure.deleteContacts` either deletes the contact first or sees the message.
   */
  receive(lease: Lease, arrival: Arrival): Promise<'received' | 'duplicate' | 'contact_gone' | 'fenced'>;
}
