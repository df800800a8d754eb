import type { InstanceNotification, Notifier, WebhookNotification } from '../ports/notifier.ts';
import type {
  NotificationClaim,
  OwedInstanceNotification,
  OwedNotification,
} from '../ports/storage/owed-notification.ts';
import type { ServiceContext } from '../services/context.ts';

/** How long an email may take before another process tries to send it. */
const LEASE_MS = 5 * 60_000;

const NOT_MARKED =
  'an email was sent and could not be marked as sent: this process does not send it again and marks it later, but after a restart it may be sent once more; check the database';

interface Owing<Owed> {
  claimNotifications(claim: NotificationClaim): Promise<readonly Owed[]>;
  completeNotification(id: string): Promise<void>;
}

/** The source and the content of emails of one kind. */
interface Mailbag<Owed> {
  readonly from: Owing<Owed>;
  readonly contentOf: (owed: Owed) => Content;
}

type Content =
  Pick<WebhookNotification, 'kind' | 'webhook'> | Pick<InstanceNotification, 'kind' | 'instance'>;

/**
 * Sends the emails that are owed. An email is owed until the notifier has accepted it, so that a crash repeats it
 * rather than losing it.
 */
export interface NotificationSender {
  sendOwed(): Promise<void>;
}

export function createEndpointNotificationSender(
  context: ServiceContext,
  notifier: Notifier,
): NotificationSender {
  return createSender<OwedNotification>(context, notifier, {
    from: context.storage.endpoints,
    contentOf: ({ kind, webhookId, url, failingSince }) => ({
      kind,
      webhook: { id: webhookId, url, failingSince },
    }),
  });
}

export function createInstanceNotificationSender(
  context: ServiceContext,
  notifier: Notifier,
): NotificationSender {
  return createSender<OwedInstanceNotification>(context, notifier, {
    from: context.storage.instances,
    contentOf: ({ kind, instance }) => ({ kind, instance }),
  });
}

function createSender<Owed extends { readonly id: string; readonly workspaceId: string }>(
  { storage, clock, logger }: ServiceContext,
  notifier: Notifier,
  { from, contentOf }: Mailbag<Owed>,
): NotificationSender {
  /** Emails that the notifier accepted but that could not be marked as sent. This process does not send them again. */
  const accepted = new Set<string>();

  const send = async (owed: Owed): Promise<boolean> => {
    try {
      if (!accepted.has(owed.id)) await notify(owed);
    } catch (error) {
      // The wrapper of the notifier or the storage has already logged the failure.
      logger.debug({ err: error, notificationId: owed.id }, 'an email is tried again later');
      return false;
    }
    accepted.add(owed.id);
    try {
      await from.completeNotification(owed.id);
      accepted.delete(owed.id);
      return true;
    } catch (error) {
      logger.warn({ err: error, notificationId: owed.id }, NOT_MARKED);
      return false;
    }
  };

  const notify = async (owed: Owed): Promise<void> => {
    const { id, workspaceId } = owed;
    const workspace = await storage.workspaces.find(workspaceId);
    const members = await storage.workspaces.listMembers(workspaceId);
    // An unverified address may be another person's.
    const administrators = members.filter((member) => member.administersWebhooks && member.emailVerified);
    const recipients = [...new Set(administrators.map(({ email }) => email))];
    await notifier.notify({
      id,
      recipients,
      workspace: { id: workspaceId, name: workspace?.name ?? workspaceId },
      ...contentOf(owed),
    });
  };

  return {
    /**
     * Sends one by one, so that no claim expires behind slow emails. After a failure, the next pass sends the others.
     */
    async sendOwed() {
      for (;;) {
        const [owed] = await from.claimNotifications({ now: clock.now(), leaseMs: LEASE_MS, limit: 1 });
        if (!owed || !(await send(owed))) return;
      }
    },
  };
}
