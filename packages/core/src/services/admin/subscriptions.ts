import { RETRY_FAILED_BATCH, RETRY_FAILED_COUNT_MAX } from '../../domain/delivery/delivery.ts';
import type { SubscribableEventType } from '../../domain/event/event.ts';
import { ok, refuse } from '../../domain/result.ts';
import type { Result } from '../../domain/result.ts';
import type { ServiceContext } from '../context.ts';

/** An in-process subscription, with counts of waiting and exhausted events. */
export interface SubscriptionInfo {
  /** The name that the handler was registered with. */
  readonly name: string;
  /** The event types that the handler gets. */
  readonly types: readonly SubscribableEventType[];
  /** Events that are due, being handled or waiting for a retry; counted up to 1,000. */
  readonly waiting: number;
  /** Events whose handler has failed too often; counted up to 1,000. */
  readonly exhausted: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export async function listSubscriptions({ storage }: ServiceContext): Promise<readonly SubscriptionInfo[]> {
  const found = await storage.subscriptions.list(RETRY_FAILED_COUNT_MAX);
  return found.map(({ subscription: { name, eventTypes, createdAt }, waiting, exhausted }) => ({
    name,
    types: eventTypes,
    waiting,
    exhausted,
    createdAt,
  }));
}

export async function retryFailedEvents(
  { storage, clock }: ServiceContext,
  name: string,
): Promise<Result<{ readonly requeued: number; readonly remaining: number }>> {
  const outcome = await storage.subscriptions.retryFailedEvents(name, {
    limit: RETRY_FAILED_BATCH,
    countUpTo: RETRY_FAILED_COUNT_MAX,
    now: clock.now(),
  });
  return outcome ? ok(outcome) : noSubscription();
}

export async function deleteSubscription({ storage }: ServiceContext, name: string): Promise<Result<true>> {
  return (await storage.subscriptions.delete(name)) ? ok(true) : noSubscription();
}

function noSubscription(): ReturnType<typeof refuse> {
  return refuse(
    'NOT_FOUND',
    'There is no subscription of this name: admin.subscriptions.list() returns those that there are.',
  );
}
