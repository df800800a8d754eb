import { withPrefix } from '../id.ts';
import type { Capability } from '../instance/instance.ts';
import { chatOf, recipientKeyOf } from './chat.ts';
import { wordsFieldOf } from './message-words.ts';
import type { Message, MessageError } from './message.ts';

/** The capability that an instance needs for each kind of action. */
export const ACTION_CAPABILITIES: {
  readonly reaction: Extract<Capability, 'reactions'>;
  readonly edit: Extract<Capability, 'edits'>;
  readonly deletion: Extract<Capability, 'deletions'>;
  readonly read_mark: Extract<Capability, 'read_marks'>;
} = { reaction: 'reactions', edit: 'edits', deletion: 'deletions', read_mark: 'read_marks' };
export type ActionKind = keyof typeof ACTION_CAPABILITIES;
export const ACTION_KINDS: readonly ActionKind[] = Object.keys(ACTION_CAPABILITIES) as ActionKind[]; // the table has no other keys
export type ActionCapability = (typeof ACTION_CAPABILITIES)[ActionKind];

export const ACTION_STATUSES = ['queued', 'sent', 'failed'] as const;
type ActionStatus = (typeof ACTION_STATUSES)[number];

/** The effect of an action on its message. */
export interface ActionContent {
  readonly kind: ActionKind;
  /** The emoji of a reaction; null if the action takes the reaction back, and for other kinds. */
  readonly emoji: string | null;
  /**
   * The text or caption after an edit, empty without a caption; null for other kinds, and once the message was deleted.
   */
  readonly text: string | null;
}

/**
 * An act of the instance on a message. It waits in the queue of the instance, at its place in the chat of the message.
 * Times are epoch milliseconds.
 */
export interface MessageAction extends ActionContent {
  readonly id: string;
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly messageId: string;
  /** The id of the action on the network: chosen before the first attempt, so that a repeat is the same action. */
  readonly networkId: string;
  /** The key of the messages to its chat, among which it has its place (`recipientOfAction`). */
  readonly recipient: string;
  readonly status: ActionStatus;
  readonly error: MessageError | null;
  readonly createdAt: number;
  readonly sentAt: number | null;
  readonly failedAt: number | null;
}

/** The error of an action on a message that never reached the network, or perhaps did not. */
const MESSAGE_NOT_SENT: MessageError = {
  code: 'message_not_sent',
  message: 'The message that the action is about was not sent, so there is nothing to act on.',
};

const MESSAGE_DELETED: MessageError = {
  code: 'message_deleted',
  message: 'The message that the action is about was deleted.',
};

const MESSAGE_SCHEDULED: MessageError = {
  code: 'message_scheduled',
  message: 'The message is scheduled and was not sent yet, so there is nothing to act on yet.',
};

const MESSAGE_OF_OTHERS: MessageError = {
  code: 'message_of_others',
  message: 'Only a message that the instance sent can be edited, or deleted for everyone.',
};

const OWN_MESSAGE: MessageError = {
  code: 'own_message',
  message: 'Only a message that the instance received can be marked as read.',
};

const NO_WORDS: MessageError = {
  code: 'no_text',
  message: 'The message has neither a text nor a file with a caption, so there is nothing to edit.',
};

export interface ActionTime {
  readonly now: number;
  /** How long the network allows the action after the message was sent, in milliseconds; null without a limit. */
  readonly withinMs: number | null;
}

/**
 * The reason against an action on the message; null if it can be carried out, or will be possible once the message is
 * sent. An action on a scheduled message would go out before it, because the message has no place in its queue until it
 * is due; only an edit changes the message instead.
 */
export function flawForAction(
  message: Message,
  kind: ActionKind,
  { now, withinMs }: ActionTime,
): MessageError | null {
  const { status, deletedAt, sendAt, sentAt, direction } = message;
  // Also of a deleted message: the messages before it may still be unread.
  if (kind === 'read_mark') return direction === 'outbound' ? OWN_MESSAGE : null;
  if (deletedAt !== null) return MESSAGE_DELETED;
  if (status === 'failed') return MESSAGE_NOT_SENT;
  if (kind !== 'reaction' && direction === 'inbound') return MESSAGE_OF_OTHERS;
  if (kind === 'edit') {
    if (wordsFieldOf(message) === null) return NO_WORDS;
  } else if (status === 'queued' && sendAt !== null) return MESSAGE_SCHEDULED;
  return withinMs !== null && sentAt !== null && now - sentAt > withinMs ? tooLate(withinMs) : null;
}

function tooLate(withinMs: number): MessageError {
  const minutes = Math.round(withinMs / 60_000);
  const [count, unit] = minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  const time = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return {
    code: 'too_late',
    message: `The network allows this only for ${time} after the message was sent.`,
  };
}

/** The action after its outcome, which is null if the network has accepted it. */
export function finishAction(action: MessageAction, error: MessageError | null, now: number): MessageAction {
  const at = Math.max(now, action.createdAt);
  return error === null
    ? { ...action, status: 'sent', sentAt: at }
    : { ...action, status: 'failed', error, failedAt: at };
}

/** An entry of a queue: a message, or an action on a message. */
interface Entry {
  /** The message to send, or the message that the action is about. */
  readonly message: Message;
  readonly action?: MessageAction;
}

/**
 * The id of an entry in its queue: the id of the message, or that of the action with the prefix of messages, which all
 * entries have.
 */
export function entryIdOf({ message, action }: Entry): string {
  return action ? actionEntryId(action.id) : message.id;
}

export function actionEntryId(actionId: string): string {
  return withPrefix('msg', actionId);
}

/** Entries of a queue with the same key go out in the order of their acceptance, one after another. */
export function entryRecipientOf({ message, action }: Entry): string {
  return action?.recipient ?? recipientKeyOf(message);
}

/** The recipient of an action on this message, as the messages to its chat have it (`recipientKeyOf`). */
export function recipientOfAction(message: Message): string {
  if (message.direction === 'outbound') return recipientKeyOf(message);
  const { groupId, number, contact } = chatOf(message);
  return groupId ?? number ?? contact?.phoneNumber ?? contact?.id ?? '';
}
