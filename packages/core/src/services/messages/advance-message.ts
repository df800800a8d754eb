import type { EventRecord } from '../../domain/event/event.ts';
import { advance, lastChangeOf } from '../../domain/message/message-state.ts';
import type { MessageStep, MessageTrigger } from '../../domain/message/message-state.ts';
import type { Message } from '../../domain/message/message.ts';
import { notBefore } from '../../domain/too-far-ahead.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { messageResource } from '../../resources/message.ts';
import { changeTries } from '../../runtime/retry.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/fenced-error.ts';

/**
 * Applies a report of the network about an outbound message: reads, decides, writes, and starts over if
 * another report came in between. A report that is repeated, late, or about an unknown message changes
 * nothing. `known` is the message as it was read last, which saves the first read.
 */
export async function advanceMessage(
  context: ServiceContext,
  lease: Lease,
  networkId: string,
  trigger: MessageTrigger,
  known: Message | null = null,
): Promise<void> {
  const nextTry = changeTries(context, 'A change of a message');
  for (let message = known; ; message = null) {
    await nextTry();
    message ??= await context.storage.messages.findOutbound(
      lease.instanceId,
      networkId,
      await context.networkIds.idsBehind(networkId),
    );
    if (!message) {
      context.logger.debug(
        { instanceId: lease.instanceId, trigger: trigger.kind },
        'a report about an unknown message was ignored',
      );
      return;
    }
    // Never earlier than the last change by any process, so that the events of a message stay in order.
    const now = notBefore(lastChangeOf(message), context.clock.now());
    const steps = advance(message, trigger, now);
    const last = steps.at(-1);
    if (!last) return;
    const written = await context.storage.messages.change(lease, {
      message: last.message,
      expectedStatus: message.status,
      // Messages sent with the phone have no status events.
      events: message.origin === 'device' ? [] : messageEvents(context, steps, now),
    });
    if (written === 'changed') {
      context.traffic.advanced(steps, now);
      return;
    }
    if (written === 'fenced') throw new FencedError(lease.instanceId);
  }
}

/** Returns one event per step, with the message as it was after that step. */
function messageEvents(
  context: ServiceContext,
  steps: readonly MessageStep[],
  now: number,
): readonly EventRecord[] {
  return steps.map((step) => messageEvent(context, step, now));
}

export function messageEvent(
  context: ServiceContext,
  { message, event }: MessageStep,
  now: number,
): EventRecord {
  return context.newEvent({
    type: event,
    workspaceId: message.workspaceId,
    data: { message: messageResource(message) },
    now,
    traceparent: message.traceparent,
  });
}
