import type { Event } from '../../domain/event/event.ts';
import type { MessageStep } from '../../domain/message/message-state.ts';
import { messageResource } from '../../resources/message.ts';
import type { ServiceContext } from '../context.ts';

/** The events of some steps of a message, each with the message as it stood right after that step. */
export function messageEvents(
  context: ServiceContext,
  steps: readonly MessageStep[],
  now: number,
): readonly Event[] {
  return steps.map((step) => messageEvent(context, step, now));
}

export function messageEvent(context: ServiceContext, { message, event }: MessageStep, now: number): Event {
  return context.newEvent({
    type: event,
    workspaceId: message.workspaceId,
    data: { message: messageResource(message) },
    now,
  });
}
