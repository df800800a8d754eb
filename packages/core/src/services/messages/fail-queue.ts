import { advance } from '../../domain/message/message-state.ts';
import type { Message } from '../../domain/message/message.ts';
import type { NewId } from '../../domain/id.ts';
import type { MessageChange, QueueFailure } from '../../ports/storage/message-store.ts';
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
