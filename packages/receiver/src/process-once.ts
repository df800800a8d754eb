import type { WebhookEvent } from './event.ts';
import type { EventStore } from './event-store.ts';
import { OUTCOME_STATUS, type ReceivedEvent, type ReceiveResult } from './receive-result.ts';

export interface ProcessOnceOptions {
  readonly store: EventStore;
  readonly leaseSeconds: number;
  readonly handler: (event: WebhookEvent) => unknown;
  /** Must not reject. */
  readonly onError: (error: unknown, event: WebhookEvent) => Promise<void>;
}

/**
 * Marks the event as done only after the handler, because marking it first would lose an event whose handler fails.
 * Never rejects.
 */
export async function processOnce(event: WebhookEvent, options: ProcessOnceOptions): Promise<ReceiveResult> {
  const { store, leaseSeconds, handler, onError } = options;
  const token = crypto.randomUUID();
  try {
    const claim = await store.claim(event.id, { token, leaseSeconds });
    if (claim !== 'claimed') return receivedEvent(claim === 'done' ? 'duplicate' : 'in_progress', event);
  } catch (error) {
    return failed(error);
  }
  try {
    await handler(event);
  } catch (error) {
    await reported(() => store.release(event.id, token));
    return failed(error);
  }
  // The event is handled: if the store fails here, an error response would only cause a repeat.
  await reported(() => store.markDone(event.id, KEEP_SECONDS));
  return receivedEvent('handled', event);

  async function failed(error: unknown): Promise<ReceiveResult> {
    await onError(error, event);
    return { outcome: 'failed', status: OUTCOME_STATUS.failed, event, error };
  }

  async function reported(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await onError(error, event);
    }
  }
}

export function receivedEvent(outcome: ReceivedEvent['outcome'], event: WebhookEvent): ReceivedEvent {
  return { outcome, status: OUTCOME_STATUS[outcome], event };
}

/** The service retries for 45 hours, and users can retry for 30 days. */
const KEEP_SECONDS = 30 * 24 * 60 * 60;
