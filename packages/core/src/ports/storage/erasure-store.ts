import type { Contact } from '../../domain/contact/contact.ts';
import type { SentMessage } from '../../domain/person/person.ts';
import type { Event } from '../../domain/event/event.ts';
import type { Message } from '../../domain/message/message.ts';

/** A part of a walk along rows in the order of their ids, oldest first. */
export interface Walk {
  /** `next` of the part before; null for the first one. */
  readonly after: string | null;
  /** How many rows are read: fewer of them may be among those asked for. */
  readonly limit: number;
}

export interface WalkPart<Row> {
  readonly rows: readonly Row[];
  /** Where the next part begins; null if this was the last one. */
  readonly next: string | null;
}

/** A message with the network's id of whoever sent it. */
export interface StoredMessage extends SentMessage {
  readonly message: Message;
}

export interface MessageDeletion {
  /** At most a few hundred. */
  readonly ids: readonly string[];
  /**
   * What becomes of messages that are not done: those that are queued or held, and those whose files are still to be
   * downloaded. `kept` leaves them as they are.
   */
  readonly unfinished: 'kept' | 'deleted';
  /** How many events one call deletes, with their deliveries. */
  readonly limit: number;
}

export interface MessagesDeleted {
  readonly messages: number;
  readonly events: number;
  /** Whether the limit was reached: then call again with the same ids. */
  readonly more: boolean;
}

/**
 * Deletes what is stored of messages and people. Every method concerns one workspace; ids of others are not found. No
 * method needs a lease: a gateway that holds one of these messages meanwhile finds that it is gone (`stale`).
 */
export interface ErasureStore {
  /** The messages of a workspace. Those made at `before` or later are left out; epoch milliseconds. */
  listMessages(
    workspaceId: string,
    walk: Walk & { readonly before?: number },
  ): Promise<WalkPart<StoredMessage>>;
  /**
   * Deletes messages with all that only they have: what is stored of their text, their places in queues, pending
   * downloads and network ids, the idempotency records of their acceptance, and their events with the deliveries and
   * attempts of these. In one transaction, but for the limit: a message goes with the last of its events. Its content
   * belongs to nobody from then on, and comes first of what is abandoned (`uploads.listAbandoned`).
   */
  deleteMessages(workspaceId: string, deletion: MessageDeletion): Promise<MessagesDeleted>;
  /** The events of a workspace. */
  listEvents(workspaceId: string, walk: Walk): Promise<WalkPart<Event>>;
  /** Deletes events, wherever they are queued, with their deliveries and attempts. Returns how many events. */
  deleteEvents(workspaceId: string, ids: readonly string[]): Promise<number>;
  /** The contacts of a workspace, but for those that were merged into another one. */
  listContacts(workspaceId: string, walk: Walk): Promise<WalkPart<Contact>>;
  /**
   * Deletes contacts, with those that were merged into them. One that a message made after `unlessAfter` has is left: it
   * has come back. Returns the ids of those that are deleted.
   */
  deleteContacts(
    workspaceId: string,
    deletion: { readonly ids: readonly string[]; readonly unlessAfter: string },
  ): Promise<readonly string[]>;
}
