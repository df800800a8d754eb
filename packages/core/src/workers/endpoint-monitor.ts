import { disable } from '../domain/endpoint/endpoint-state.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { WARN_AFTER_MS, evaluateFailing } from '../domain/endpoint/failing-policy.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { EndpointWrite, OwedNotification } from '../ports/storage/endpoint-store.ts';
import { withDeadline } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { Worker } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';

const EVERY_MS = 60_000;
const BATCH = 100;
/** How long an email may take before another process tries it. */
const NOTIFICATION_LEASE_MS = 5 * 60_000;
const EMAIL_DEADLINE_MS = 60_000;

/**
 * Applies the failing-endpoint policy: warns about and disables endpoints that keep failing, and sends the emails that
 * are owed. A decision and the email it owes are one write; an email is owed until the notifier has accepted it, so that
 * a crash in between repeats an email rather than losing it.
 */
export function createEndpointMonitor(context: ServiceContext, notifier: Notifier): Worker {
  const { storage, clock, logger, newId } = context;

  const evaluateAll = async (): Promise<void> => {
    let after: string | null = null;
    for (;;) {
      const failing: readonly Endpoint[] = await storage.endpoints.listFailing({
        before: clock.now() - WARN_AFTER_MS,
        after,
        limit: BATCH,
      });
      for (const endpoint of failing) await evaluate(endpoint);
      after = failing.at(-1)?.id ?? null;
      if (failing.length < BATCH) return;
    }
  };

  const evaluate = async (endpoint: Endpoint): Promise<void> => {
    const now = clock.now();
    const decision = evaluateFailing(endpoint, now);
    // Not written if the endpoint was edited or succeeded meanwhile: the next pass evaluates it again.
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

  /** Claimed one by one, so that none runs out of its claim behind slow ones; one that fails leaves the others to the next pass. */
  const sendNotifications = async (): Promise<void> => {
    for (;;) {
      const [notification] = await storage.endpoints.claimNotifications({
        now: clock.now(),
        leaseMs: NOTIFICATION_LEASE_MS,
        limit: 1,
      });
      if (!notification || !(await sendNotification(notification))) return;
    }
  };

  const sendNotification = async (notification: OwedNotification): Promise<boolean> => {
    try {
      await withDeadline(clock, { what: 'Sending an email', ms: EMAIL_DEADLINE_MS }, notify(notification));
      await storage.endpoints.completeNotification(notification.id);
      return true;
    } catch (error) {
      logger.warn(
        { err: error, notificationId: notification.id },
        'an email about a webhook endpoint was not accepted by the notifier, and is tried again later: check the notifier',
      );
      return false;
    }
  };

  const notify = async (notification: OwedNotification): Promise<void> => {
    const workspace = await storage.workspaces.find(notification.workspaceId);
    const members = await storage.workspaces.listMembers(notification.workspaceId);
    // An address that is not verified may be somebody else's.
    const administrators = members.filter((member) => member.administersWebhooks && member.emailVerified);
    const recipients = [...new Set(administrators.map(({ email }) => email))];
    await notifier.notify({
      id: notification.id,
      kind: notification.kind,
      recipients,
      workspace: { id: notification.workspaceId, name: workspace?.name ?? notification.workspaceId },
      webhook: { id: notification.webhookId, url: notification.url, failingSince: notification.failingSince },
    });
  };

  return createLoop({
    name: 'endpoint monitor',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => {
      await evaluateAll();
      await sendNotifications();
      return { more: false, nextAt: null };
    },
  });
}
