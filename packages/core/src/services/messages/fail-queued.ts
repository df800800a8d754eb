import { advance } from '../../domain/message/message-state.ts';
import type { Message, MessageError } from '../../domain/message/message.ts';
import type { MessageChange } from '../../ports/storage/message-store.ts';
import type { ServiceContext } from '../context.ts';
import { messageEvents } from './message-events.ts';

/** Fails what is still queued when its number is unlinked. */
export function failUnlinkedMessage(
  context: ServiceContext,
  now: number,
): (message: Message) => MessageChange {
  return failQueued(
    context,
    { code: 'instance_logged_out', message: 'The number was unlinked before the message was sent.' },
    now,
  );
}

/** Fails what is still queued when its instance is deleted. */
export function failDeletedMessage(
  context: ServiceContext,
  now: number,
): (message: Message) => MessageChange {
  return failQueued(
    context,
    { code: 'instance_deleted', message: 'The instance was deleted before the message was sent.' },
    now,
  );
}

function failQueued(
  context: ServiceContext,
  error: MessageError,
  now: number,
): (message: Message) => MessageChange {
  return (message) => {
    const steps = advance(message, { kind: 'failed', error }, now);
    return {
      message: steps.at(-1)?.message ?? message,
      expectedStatus: message.status,
      events: messageEvents(context, steps, now),
    };
  };
}
