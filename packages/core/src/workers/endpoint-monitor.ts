import { disable } from '../domain/endpoint/endpoint-state.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { WARN_AFTER_MS, evaluateFailing } from '../domain/endpoint/failing-policy.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { EndpointWrite } from '../ports/storage/endpoint-store.ts';
import type { OwedNotification } from '../ports/storage/owed-notification.ts';
import { createLoop, eachStep } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { createEndpointNotificationSender } from './notification-sender.ts';

const EVERY_MS = 60_000;
const BATCH = 100;

/**
 * Applies the failing-endpoint policy: warns about and disables endpoints that keep failing, and sends the emails that
 * are owed. A decision and the email it owes are one write.
 */
export function createEndpointMonitor(context: ServiceContext, notifier: Notifier): Worker {
  const { storage, clock, logger, newId } = context;
  const sender = createEndpointNotificationSender(context, notifier);

  const evaluateAll = async (): Promise<void> => {
    let after: string | null = null;
    const steps: (() => Promise<void>)[] = [];
    for (;;) {
      const failing: readonly Endpoint[] = await storage.endpoints.listFailing({
        before: clock.now() - WARN_AFTER_MS,
        after,
        limit: BATCH,
      });
      steps.push(...failing.map((endpoint) => () => evaluate(endpoint)));
      after = failing.at(-1)?.id ?? null;
      if (failing.length < BATCH) break;
    }
    await eachStep(steps);
  };

  const evaluate = async (endpoint: Endpoint): Promise<void> => {
    const now = clock.now();
    const decision = evaluateFailing(endpoint, now);
    // If the endpoint has changed since it was read, the write changes nothing ('stale'), and the next pass
    // decides again.
    if (decision !== 'nothing') await storage.endpoints.write(consequence(endpoint, decision, now));
  };

  const consequence = (endpoint: Endpoint, decision: 'warn' | 'disable', now: number): EndpointWrite => {
    const { failingSince, warnedAt } = endpoint.health;
    const guard = { health: { failingSince, warnedAt } };
    const notification: OwedNotification = {
      id: newId('ntc', now),
      workspaceId: endpoint.workspaceId,
      webhookId: endpoint.id,
      kind: decision === 'warn' ? 'webhook_failing' : 'webhook_disabled',
      url: endpoint.url,
      failingSince: failingSince ?? now,
      createdAt: now,
    };
    return decision === 'warn'
      ? { endpoint: { ...endpoint, health: { ...endpoint.health, warnedAt: now } }, ...guard, notification }
      : {
          endpoint: disable(endpoint, 'auto_no_delivery_72h', now),
          ...guard,
          notification,
          close: 'ENDPOINT_DISABLED',
        };
  };

  return createLoop({
    name: 'endpoint monitor',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => {
      await eachStep([evaluateAll, sender.sendOwed]);
      return { more: false, nextAt: null };
    },
  });
}
