import { disable } from '../domain/webhook/endpoint-state.ts';
import type { WebhookEndpoint } from '../domain/webhook/endpoint.ts';
import { WARN_AFTER_MS, judgeFailing } from '../domain/webhook/failing-policy.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { EndpointWrite, Notice } from '../ports/storage/webhook-store.ts';
import { withDeadline } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';

const EVERY_MS = 60_000;
const BATCH = 100;
/** How long a mail may take before another process tries it. */
const NOTICE_LEASE_MS = 5 * 60_000;
const MAIL_DEADLINE_MS = 60_000;

export interface EndpointMonitor {
  /** Warns about and disables endpoints that keep failing, and sends the mails that are owed. */
  runOnce(): Promise<{ readonly warned: number; readonly disabled: number; readonly notified: number }>;
  start(): void;
  stop(): Promise<void>;
}

/**
 * Applies the failing-endpoint policy. A decision and the mail it owes are one write; a mail is owed until the notifier
 * has taken it over, so that a crash in between repeats a mail rather than losing it.
 */
export function createEndpointMonitor(context: ServiceContext, notifier: Notifier): EndpointMonitor {
  const { storage, clock, logger, newId } = context;

  const judgeAll = async (): Promise<{ warned: number; disabled: number }> => {
    const counts = { warned: 0, disabled: 0 };
    let after: string | null = null;
    for (;;) {
      const failing: readonly WebhookEndpoint[] = await storage.webhooks.listFailing({
        before: clock.now() - WARN_AFTER_MS,
        after,
        limit: BATCH,
      });
      for (const endpoint of failing) {
        const judgement = await judge(endpoint);
        if (judgement === 'warn') counts.warned += 1;
        if (judgement === 'disable') counts.disabled += 1;
      }
      after = failing.at(-1)?.id ?? null;
      if (failing.length < BATCH) return counts;
    }
  };

  const judge = async (endpoint: WebhookEndpoint): Promise<'nothing' | 'warn' | 'disable'> => {
    const now = clock.now();
    const judgement = judgeFailing(endpoint, now);
    if (judgement === 'nothing') return 'nothing';
    // Stale: the endpoint was edited or succeeded meanwhile; the next pass judges it anew.
    const written = await storage.webhooks.write(consequence(endpoint, judgement, now));
    return written === 'written' ? judgement : 'nothing';
  };

  const consequence = (
    endpoint: WebhookEndpoint,
    judgement: 'warn' | 'disable',
    now: number,
  ): EndpointWrite => {
    const { failingSince, warnedAt } = endpoint.health;
    const guard = { health: { failingSince, warnedAt } };
    const notice: Notice = {
      id: newId('ntc', now),
      workspaceId: endpoint.workspaceId,
      webhookId: endpoint.id,
      kind: judgement === 'warn' ? 'webhook_failing' : 'webhook_disabled',
      url: endpoint.url,
      failingSince: failingSince ?? now,
      createdAt: now,
    };
    return judgement === 'warn'
      ? { endpoint: { ...endpoint, health: { ...endpoint.health, warnedAt: now } }, ...guard, notice }
      : {
          endpoint: disable(endpoint, 'auto_no_delivery_72h', now),
          ...guard,
          notice,
          close: 'ENDPOINT_DISABLED',
        };
  };

  /** Claimed one by one, so that none runs out of its claim behind slow ones; a mail that fails leaves the others to the next pass. */
  const sendNotices = async (): Promise<number> => {
    for (let notified = 0; ; notified++) {
      const [notice] = await storage.webhooks.claimNotices({
        now: clock.now(),
        leaseMs: NOTICE_LEASE_MS,
        limit: 1,
      });
      if (!notice || !(await sendNotice(notice))) return notified;
    }
  };

  const sendNotice = async (notice: Notice): Promise<boolean> => {
    try {
      await withDeadline(clock, { what: 'Sending a mail', ms: MAIL_DEADLINE_MS }, notify(notice));
      await storage.webhooks.completeNotice(notice.id);
      return true;
    } catch (error) {
      logger.warn({ err: error, noticeId: notice.id }, 'a mail was not taken over and is tried again later');
      return false;
    }
  };

  const notify = async (notice: Notice): Promise<void> => {
    const workspace = await storage.workspaces.find(notice.workspaceId);
    const members = await storage.workspaces.listMembers(notice.workspaceId);
    // An address that is not verified may be somebody else's.
    const administrators = members.filter((member) => member.administersWebhooks && member.emailVerified);
    const recipients = [...new Set(administrators.map(({ email }) => email))];
    await notifier.notify({
      id: notice.id,
      kind: notice.kind,
      recipients,
      workspace: { id: notice.workspaceId, name: workspace?.name ?? notice.workspaceId },
      webhook: { id: notice.webhookId, url: notice.url, failingSince: notice.failingSince },
    });
  };

  const runOnce = async (): ReturnType<EndpointMonitor['runOnce']> => {
    const counts = await judgeAll();
    return { ...counts, notified: await sendNotices() };
  };
  const loop = createLoop({
    name: 'endpoint monitor',
    clock,
    logger,
    everyMs: EVERY_MS,
    pass: async () => {
      await runOnce();
      return { more: false, nextAt: null };
    },
  });
  return { runOnce, start: loop.start, stop: loop.stop };
}
