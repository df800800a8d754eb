import { finishAction } from '../../domain/message/message-action.ts';
import type { MessageAction } from '../../domain/message/message-action.ts';
import { deleteMessage, editMessage } from '../../domain/message/message-words.ts';
import type { Message, MessageError } from '../../domain/message/message.ts';
import type { ActionOutcome } from '../../ports/storage/action-store.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { actionResource } from '../../resources/message-action.ts';
import { messageResource } from '../../resources/message.ts';
import { timestamp } from '../../resources/time.ts';
import { changeTries } from '../../runtime/retry.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/fenced-error.ts';
import { deleteFile } from './activities-on-messages.ts';

interface Outcome {
  readonly action: MessageAction;
  /** Null if the network has accepted the action. */
  readonly error: MessageError | null;
  /** The ids of the messages that an accepted read mark covers. */
  readonly marked?: readonly string[] | undefined;
}

/**
 * Stores the outcome of an action. An action that has succeeded changes the stored message, and is reported, like the same
 * act on the phone. Does nothing for an action that ended before, or whose message was erased.
 */
export async function recordActionOutcome(
  context: ServiceContext,
  lease: Lease,
  { action, error, marked = [] }: Outcome,
): Promise<void> {
  const { storage, clock } = context;
  const nextTry = changeTries(context, 'An action on a message');
  for (;;) {
    await nextTry();
    const message = await storage.messages.find(action.workspaceId, action.messageId);
    if (!message) return;
    const now = clock.now();
    const finished = finishAction(action, error, now);
    const effect =
      error === null
        ? effectOf(context, { action: finished, message, marked })
        : failure(context, finished, message);
    const stored = await storage.actions.finish(lease, { action: finished, ...effect });
    if (stored === 'fenced') throw new FencedError(lease.instanceId);
    if (stored === 'message_changed') continue;
    if (action.kind === 'deletion' && effect.change) await deleteFile(context, message);
    return;
  }
}

type Effect = Omit<ActionOutcome, 'action'>;

function failure(context: ServiceContext, action: MessageAction, message: Message): Effect {
  const data = { message: messageResource(message), action: actionResource(action) };
  const { workspaceId, failedAt } = action;
  return {
    events: [
      context.newEvent({
        type: 'message.action_failed',
        workspaceId,
        data,
        now: failedAt ?? action.createdAt,
      }),
    ],
  };
}

function effectOf(
  context: ServiceContext,
  {
    action,
    message,
    marked,
  }: { readonly action: MessageAction; readonly message: Message; readonly marked: readonly string[] },
): Effect {
  const { kind, workspaceId, emoji } = action;
  const now = action.sentAt ?? action.createdAt;
  const done = { contact: null, own: true, at: timestamp(now) };
  switch (kind) {
    case 'reaction': {
      const data = { message: messageResource(message), reaction: { emoji, ...done } };
      return { events: [context.newEvent({ type: 'message.reaction', workspaceId, data, now })] };
    }
    case 'edit': {
      const decision = editMessage(message, { text: action.text ?? '', at: null }, now);
      if (decision.kind !== 'edited') return { events: [] };
      const data = { message: messageResource(decision.message), edit: done };
      return {
        events: [context.newEvent({ type: 'message.edited', workspaceId, data, now })],
        change: { message: decision.message, expected: message },
      };
    }
    // There is no event, because only the API can have asked for it.
    case 'read_mark':
      return { events: [], marked };
    case 'deletion': {
      if (message.deletedAt !== null) return { events: [] };
      const deleted = deleteMessage(message, now);
      const data = { message: messageResource(deleted), deletion: done };
      return {
        events: [context.newEvent({ type: 'message.deleted', workspaceId, data, now })],
        change: { message: deleted, expected: message },
      };
    }
  }
}
