import type { Instance } from '../domain/instance/instance.ts';
import type { NextStep } from '../domain/instance/next-step.ts';
import type { Logger } from './logger.ts';

interface ToMembers {
  /** The same on each attempt, because the notifier may be called again for an email that it accepted. */
  readonly id: string;
  /** The email addresses to notify. */
  readonly recipients: readonly string[];
  /** The workspace that the notification is about. */
  readonly workspace: {
    /** `ten_…` */
    readonly id: string;
    /** The name of the workspace. */
    readonly name: string;
  };
}

/** A notification about a failing endpoint. */
export interface WebhookNotification extends ToMembers {
  /** Whether the endpoint fails, or was disabled because it kept failing. */
  readonly kind: 'webhook_failing' | 'webhook_disabled';
  /** The endpoint. */
  readonly webhook: {
    /** `wh_…` */
    readonly id: string;
    /** The URL that its events are sent to. */
    readonly url: string;
    /** When the attempts began to fail; epoch milliseconds. */
    readonly failingSince: number;
  };
}

/** A notification about an instance that has been down for a while, or that is connected again after such an outage. */
export interface InstanceNotification extends ToMembers {
  /** Whether the instance is down, or is connected again after it was reported as down. */
  readonly kind: 'instance_down' | 'instance_up';
  /** The instance when `kind` was decided. */
  readonly instance: DownInstance;
}

/** An instance at the time when a notification was decided. Times are epoch milliseconds. */
export interface DownInstance extends Pick<Instance, 'id' | 'name' | 'phoneNumber' | 'status' | 'lastError'> {
  /** When the outage began; epoch milliseconds. */
  readonly downSince: number;
  /** When the instance was connected again; null if it is down. */
  readonly upSince: number | null;
  /** The next step: what happens, or what a person has to do; null if there is none. */
  readonly next: NextStep | null;
}

/** An email to the members who administer webhooks and whose address is verified. */
export type Notification = WebhookNotification | InstanceNotification;

/** Sends emails to members. Passed as the option `notifier`. */
export interface Notifier {
  /** Rejects if the email was not accepted; the service tries again later. */
  notify(notification: Notification): Promise<void>;
}

/** The notifier of a service that sends no emails: it logs the facts of the email instead. */
export function loggingNotifier(logger: Logger): Notifier {
  return {
    async notify(notification) {
      const { workspace, recipients } = notification;
      const facts = { workspaceId: workspace.id, ...subjectOf(notification), recipients: recipients.length };
      logger.warn(facts, LINES[notification.kind]);
    },
  };
}

const LINES: Readonly<Record<Notification['kind'], string>> = {
  webhook_failing:
    'a webhook endpoint keeps failing, and is disabled if nothing gets through to it: look at its receiver; no notifier is configured (SMTP_URL), so no email was sent',
  webhook_disabled:
    'a failing webhook endpoint was disabled: fix its receiver, enable it again and retry its failed deliveries; no notifier is configured (SMTP_URL), so no email was sent',
  instance_down:
    'an instance has been down since downSince: its history says why, and next what has to be done; no notifier is configured (SMTP_URL), so no email was sent',
  instance_up:
    'an instance that was reported as down is connected again; no notifier is configured (SMTP_URL), so no email was sent',
};

function subjectOf(notification: Notification): Readonly<Record<string, unknown>> {
  if ('webhook' in notification) return { webhookId: notification.webhook.id };
  const { id, lastError, downSince, next } = notification.instance;
  return { instanceId: id, lastError, downSince, next: next?.kind ?? null };
}
