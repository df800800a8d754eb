import { finishAction } from '../../domain/message/message-action.ts';
import type { MessageAction } from '../../domain/message/message-action.ts';
import { advance } from '../../domain/message/message-state.ts';
import type { Message } from '../../domain/message/message.ts';
import type { NewId } from '../../domain/id.ts';
import type { ActionOutcome } from '../../ports/storage/action-store.ts';
import type { MessageChange, QueueFailure } from '../../ports/storage/message-store.ts';
import { actionResource } from '../../resources/message-action.ts';
import { messageResource } from '../../resources/message.ts';
import { eventOf } from '../new-event.ts';

/**
 * Returns the changes that fail an instance's queued messages, given in the order of the queue. Storages call
 * this function inside the transaction that ends the queue, because the content of the queue is certain only
 * there.
 */
export function failQueue(
  queued: readonly Message[],
  { error, now, eventsFrom }: QueueFailure,
  newId: NewId,
): readonly MessageChange[] {
  return queued.map((message, index) => {
    const steps = advance(message, { kind: 'failed', error }, now);
    return {
      message: steps.at(-1)?.message ?? message,
      expectedStatus: message.status,
      events: steps.map((step) =>
        eventOf(
          {
            id: newId('evt', now),
            type: step.event,
            workspaceId: message.workspaceId,
            occurredAt: eventsFrom + index,
            data: { message: messageResource(step.message) },
          },
          message.traceparent,
        ),
      ),
    };
  });
}

/** The same for its queued actions, each with its message as it is after `failQueue`. */
export function failActions(
  queued: readonly { readonly action: MessageAction; readonly message: Message }[],
  { error, now, eventsFrom }: QueueFailure,
  newId: NewId,
): readonly ActionOutcome[] {
  return queued.map(({ action, message }, index) => {
    const failed = finishAction(action, error, now);
    const event = eventOf(
      {
        id: newId('evt', now),
        type: 'message.action_failed',
        workspaceId: action.workspaceId,
        occurredAt: eventsFrom + index,
        data: { message: messageResource(message), action: actionResource(failed) },
      },
      null,
    );
    return { action: failed, events: [event] };
  });
}
