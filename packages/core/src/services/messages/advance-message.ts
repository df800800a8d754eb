import { advance, lastChangeOf } from '../../domain/message/message-state.ts';
import type { MessageTrigger } from '../../domain/message/message-state.ts';
import { notBefore } from '../../domain/too-far-ahead.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/change-instance.ts';
import { messageEvents } from './message-events.ts';

/**
 * Takes what the network said about an outbound message: reads, decides, writes, and starts over when another report
 * came in between. What the network says twice, late, or about a message that is not ours changes nothing. `known` is
 * the message as it was read last, which saves the first read.
 */
export async function advanceMessage(
  context: ServiceContext,
  lease: Lease,
  networkId: string,
  trigger: MessageTrigger,
  known: Message | null = null,
): Promise<void> {
  for (let message = known; ; message = null) {
    message ??= await context.storage.messages.findOutbound(
      lease.instanceId,
      networkId,
      await context.networkIds.idsBehind(networkId),
    );
    if (!message) {
      context.logger.debug(
        { instanceId: lease.instanceId, trigger: trigger.kind },
        'report about an unknown message ignored',
      );
      return;
    }
    // Another process may have made the last change: the events of a message are in the order of their causes.
    const now = notBefore(lastChangeOf(message), context.clock.now());
    const steps = advance(message, trigger, now);
    const last = steps.at(-1);
    if (!last) return;
    const written = await context.storage.messages.change(lease, {
      message: last.message,
      expectedStatus: message.status,
      events: messageEvents(context, steps, now),
    });
    if (written === 'changed') return;
    if (written === 'fenced') throw new FencedError(lease.instanceId);
  }
}
