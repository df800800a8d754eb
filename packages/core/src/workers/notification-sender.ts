import type { InstanceNotification, Notifier, WebhookNotification } from '../ports/notifier.ts';
import type {
  NotificationClaim,
  OwedInstanceNotification,
  OwedNotification,
} from '../ports/storage/owed-notification.ts';
import type { ServiceContext } from '../services/context.ts';

/** How long an email may take before another process tries it. */
const LEASE_MS = 5 * 60_000;

const NOT_MARKED =
  'an email was sent and could not be marked as sent: this process does not send it again and marks it later, but after a restart it may be sent once more; check the database';

/** Where emails that are owed are claimed, one by one. */
interface Owing<Owed> {
  claimNotifications(claim: NotificationClaim): Promise<readonly Owed[]>;
  completeNotification(id: string): Promise<void>;
}

/** What the emails of one kind are about. */
interface Mailbag<Owed> {
  readonly from: Owing<Owed>;
  readonly contentOf: (owed: Owed) => Content;
}

type Content =
  Pick<WebhookNotification, 'kind' | 'webhook'> | Pick<InstanceNotification, 'kind' | 'instance'>;

/**
 * Sends the emails that are owed. An email is owed until the notifier has accepted it, so that a crash in between repeats
 * it rather than losing it.
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
  /** Emails that the notifier has accepted, and that could not be marked as sent: none is sent again. */
  const accepted = new Set<string>();

  const send = async (owed: Owed): Promise<boolean> => {
    try {
      if (!accepted.has(owed.id)) await notify(owed);
    } catch (error) {
      // Of the notifier or of the storage, either of which has logged it.
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
    // An address that is not verified may be somebody else's.
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
    /** One by one, so that none runs out of its claim behind slow ones; one that fails leaves the others to the next pass. */
    async sendOwed() {
      for (;;) {
        const [owed] = await from.claimNotifications({ now: clock.now(), leaseMs: LEASE_MS, limit: 1 });
        if (!owed || !(await send(owed))) return;
      }
    },
  };
}
