import type { MessageEventType } from '../event/event.ts';
import type { Message, MessageError, MessageStatus } from './message.ts';

/** All that can happen to an outbound message once it is queued. */
export type MessageTrigger =
  | { readonly kind: 'sent' }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'read' }
  | { readonly kind: 'failed'; readonly error: MessageError };

/** The message as it stands right after one step, and what receivers are told of it. */
export interface MessageStep {
  readonly message: Message;
  readonly event: MessageEventType;
}

/**
 * The state machine of an outbound message: queued, sent, delivered, read; failed from queued or sent.
 * Answers the steps to take in order, none where the trigger changes nothing. A receipt that the network skipped is
 * taken at the same time as the one that implies it, so that receivers always see sent, delivered, read
 * (specification, "Outbound message"). Statuses never go backwards.
 */
export function advance(message: Message, trigger: MessageTrigger, now: number): readonly MessageStep[] {
  if (trigger.kind === 'failed') return fail(message, trigger.error, now);
  const reached = PROGRESS.indexOf(message.status);
  if (reached === -1) return [];
  const steps: MessageStep[] = [];
  let current = message;
  for (const status of PROGRESS.slice(reached + 1, PROGRESS.indexOf(trigger.kind) + 1)) {
    const step = STEPS[status];
    if (!step) continue;
    current = { ...current, status, [step.timestamp]: now };
    steps.push({ message: current, event: step.event });
  }
  return steps;
}

const PROGRESS: readonly MessageStatus[] = ['queued', 'sent', 'delivered', 'read'];

const STEPS: Partial<Record<MessageStatus, { timestamp: keyof Message; event: MessageEventType }>> = {
  sent: { timestamp: 'sentAt', event: 'message.sent' },
  delivered: { timestamp: 'deliveredAt', event: 'message.delivered' },
  read: { timestamp: 'readAt', event: 'message.read' },
};

function fail(message: Message, error: MessageError, now: number): readonly MessageStep[] {
  if (message.status !== 'queued' && message.status !== 'sent') return [];
  return [{ message: { ...message, status: 'failed', error, failedAt: now }, event: 'message.failed' }];
}
