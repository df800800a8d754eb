import type { MessageEventType } from '../event/event.ts';
import type { Message, MessageError, MessageStatus } from './message.ts';
import { SEND_OUTCOME_UNKNOWN } from './send-retry.ts';

export type MessageTrigger =
  | { readonly kind: 'sent' }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'read' }
  | { readonly kind: 'failed'; readonly error: MessageError };

/** The message right after one step, and the event that reports the step. */
export interface MessageStep {
  readonly message: Message;
  readonly event: MessageEventType;
}

/**
 * The state machine of an outbound message: queued, sent, delivered, read; failed from queued or sent. Returns the
 * steps to take in order, or none if the trigger changes nothing. A receipt that the network skipped takes effect
 * together with the receipt that implies it, so that receivers always see sent, delivered, read (specification,
 * "Outbound message"). Statuses never go backwards. A message that failed because it was unknown whether the network
 * had accepted it moves forward when a receipt proves that the network had. The times of a message are in the order of
 * its steps, even if the clock is set back.
 */
export function advance(message: Message, trigger: MessageTrigger, now: number): readonly MessageStep[] {
  const at = Math.max(now, lastChangeOf(message));
  if (trigger.kind === 'failed') return fail(message, trigger.error, at);
  const known = provesSending(message, trigger) ? { ...message, ...UNFAILED } : message;
  const reached = PROGRESS.indexOf(known.status);
  if (reached === -1) return [];
  const steps: MessageStep[] = [];
  let current = known;
  for (const status of PROGRESS.slice(reached + 1, PROGRESS.indexOf(trigger.kind) + 1)) {
    const step = STEPS[status];
    if (!step) continue;
    current = { ...current, status, [step.timestamp]: at };
    steps.push({ message: current, event: step.event });
  }
  return steps;
}

/** When the status of the message last changed; epoch milliseconds. */
export function lastChangeOf(message: Message): number {
  const { createdAt, queuedAt, sentAt, deliveredAt, readAt, failedAt, receivedAt } = message;
  const times = [createdAt, queuedAt, sentAt, deliveredAt, readAt, failedAt, receivedAt];
  return Math.max(...times.filter((time) => time !== null));
}

function provesSending({ status, error }: Message, { kind }: MessageTrigger): boolean {
  return (
    status === 'failed' &&
    error?.code === SEND_OUTCOME_UNKNOWN.code &&
    (kind === 'delivered' || kind === 'read')
  );
}

/** A message that has arrived has not failed. */
const UNFAILED = { status: 'queued', error: null, failedAt: null } as const;

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
