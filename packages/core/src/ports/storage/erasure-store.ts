import type { Contact } from '../../domain/contact/contact.ts';
import type { SentMessage } from '../../domain/person/person.ts';
import type { Event } from '../../domain/event/event.ts';
import type { Message } from '../../domain/message/message.ts';

/** One step of a walk through rows in the order of their ids, oldest first. */
export interface Walk {
  /** The `next` of the previous step; null for the first step. */
  readonly after: string | null;
  /** The maximum number of rows to read. Fewer may match. */
  readonly limit: number;
}

export interface WalkPart<Row> {
  readonly rows: readonly Row[];
  /** The start of the next step; null if this was the last step. */
  readonly next: string | null;
}

/** A message with the network's id of its sender. */
export interface StoredMessage extends SentMessage {
  readonly message: Message;
}

export interface MessageDeletion {
  /** At most a few hundred. */
  readonly ids: readonly string[];
  /**
   * Whether to delete unfinished messages too: those in a queue, held, with an action in a queue, or with a file still to download. `kept` leaves
   * them as they are.
   */
  readonly unfinished: 'kept' | 'deleted';
  /** The maximum number of events that one call deletes, with their deliveries. */
  readonly limit: number;
}

export interface MessagesDeleted {
  readonly messages: number;
  readonly events: number;
  /** Whether the limit was reached; if so, call again with the same ids. */
  readonly more: boolean;
}

/**
 * Deletes the stored data of messages and people. Every method concerns one workspace; ids of other workspaces are not
 * found. No method needs a lease, because a gateway that handles such a message finds that the message is gone
 * (`stale`).
 */
export interface ErasureStore {
  /** The messages of a workspace. Messages created at `before` (epoch milliseconds) or later are left out. */
  listMessages(
    workspaceId: string,
    walk: Walk & { readonly before?: number },
  ): Promise<WalkPart<StoredMessage>>;
  /**
   * Deletes messages with their texts, actions, places in queues, pending downloads, network ids and idempotency records, and
   * with their events, deliveries and attempts. In one transaction or several; each message is deleted with the last
   * of its events. Its content is then abandoned, and comes first in `uploads.listAbandoned`.
   */
  deleteMessages(workspaceId: string, deletion: MessageDeletion): Promise<MessagesDeleted>;
  listEvents(workspaceId: string, walk: Walk): Promise<WalkPart<Event>>;
  /** Deletes events, wherever they are queued, with their deliveries and attempts. Returns how many events. */
  deleteEvents(workspaceId: string, ids: readonly string[]): Promise<number>;
  /** The contacts of a workspace, except those that were merged into another one. */
  listContacts(workspaceId: string, walk: Walk): Promise<WalkPart<Contact>>;
  /**
   * Deletes contacts, with contacts that were merged into them. A contact stays if a message with an id after
   * `unlessAfter` has it, because the person has come back. Returns the ids of the deleted contacts.
   */
  deleteContacts(
    workspaceId: string,
    deletion: { readonly ids: readonly string[]; readonly unlessAfter: string },
  ): Promise<readonly string[]>;
}
