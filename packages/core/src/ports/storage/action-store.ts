import type { EventRecord } from '../../domain/event/event.ts';
import type {
  ActionAcceptance,
  ActionAcceptanceResult,
  RememberedAction,
} from '../../domain/message/action-acceptance.ts';
import type { ContentChange } from '../../domain/message/content-change.ts';
import type { MessageAction } from '../../domain/message/message-action.ts';
import type { Lease } from './lease.ts';
import type { Page, PageRequest } from './page.ts';

/** The outcome of an action, with its events for receivers, in order. */
export interface ActionOutcome {
  readonly action: MessageAction;
  readonly events: readonly EventRecord[];
  /** The change of the message that the action is about; absent if it stays as it is. */
  readonly change?: ContentChange;
  /**
   * The ids of received messages of the instance that the network has marked as read: each gets the `sentAt` of the action as
   * its `readAt`, unless it has one. Absent if there are none.
   */
  readonly marked?: readonly string[];
}

/**
 * The actions of instances on messages. A queued action is an entry of the queue of its instance, behind everything that
 * was accepted before it: `MessageStore.queueHeads` returns it, `postpone` postpones it, and it counts towards the
 * backlog. Whatever deletes a message deletes its actions.
 */
export interface ActionStore {
  /**
   * Stores an action and its place in the queue of its instance, and signals `queue`. The same transaction checks, in this
   * order (`decideActionAcceptance`): the key is not remembered; the instance exists; the message exists; the message is
   * not edited in place; the instance accepts messages; the backlog is not full. Actions and messages may use the same
   * key.
   *
   * An edit in place changes the message (`changeContent`) and stores the action as carried out, in the same
   * transaction. No read of the queue may have returned the message before, and every later one returns the change.
   */
  accept(acceptance: ActionAcceptance): Promise<ActionAcceptanceResult>;
  /** Also finds an action that was accepted under this key before its window; the caller decides. */
  findByKey(workspaceId: string, key: string): Promise<RememberedAction | null>;
  /** The actions on a message, newest first. */
  list(workspaceId: string, messageId: string, page: PageRequest): Promise<Page<MessageAction>>;
  /** All actions on these messages, in the order of their ids. */
  listOnMessages(workspaceId: string, messageIds: readonly string[]): Promise<readonly MessageAction[]>;
  /**
   * Writes the outcome of a queued action under the lease of its instance, which is checked first. The action leaves its
   * queue in the same transaction, which also changes the message as `ActivityStore.record` does, and marks messages as
   * read. Returns `stale` and
   * writes nothing if the action is no longer queued, or belongs to another instance; `message_changed` if the message
   * was edited or deleted since the change was decided.
   */
  finish(lease: Lease, outcome: ActionOutcome): Promise<'finished' | 'stale' | 'message_changed' | 'fenced'>;
}
