import { finishAction } from '../../domain/message/message-action.ts';
import type { MessageAction } from '../../domain/message/message-action.ts';
import type { EventRecord } from '../../domain/event/event.ts';
import type { Message, MessageError } from '../../domain/message/message.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { actionResource } from '../../resources/message-action.ts';
import { messageResource } from '../../resources/message.ts';
import { timestamp } from '../../resources/time.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/fenced-error.ts';

/**
 * Stores the outcome of an action: `error` is null if the network has accepted it. An action that has succeeded is
 * reported like the same act on the phone. Does nothing for an action that ended before, or whose message was deleted.
 */
export async function recordActionOutcome(
  context: ServiceContext,
  lease: Lease,
  { action, error }: { readonly action: MessageAction; readonly error: MessageError | null },
): Promise<void> {
  const { storage, clock } = context;
  const message = await storage.messages.find(action.workspaceId, action.messageId);
  if (!message) return;
  const now = clock.now();
  const finished = finishAction(action, error, now);
  const events = [eventOf(context, { action: finished, message, now })];
  if ((await storage.actions.finish(lease, { action: finished, events })) === 'fenced')
    throw new FencedError(lease.instanceId);
}

function eventOf(
  context: ServiceContext,
  {
    action,
    message,
    now,
  }: { readonly action: MessageAction; readonly message: Message; readonly now: number },
): EventRecord {
  const { workspaceId, sentAt } = action;
  if (sentAt === null) {
    const data = { message: messageResource(message), action: actionResource(action) };
    return context.newEvent({ type: 'message.action_failed', workspaceId, data, now });
  }
  const reaction = { emoji: action.emoji, contact: null, own: true, at: timestamp(sentAt) };
  return context.newEvent({
    type: 'message.reaction',
    workspaceId,
    data: { message: messageResource(message), reaction },
    now,
  });
}
