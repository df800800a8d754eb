import { createTransport } from 'nodemailer';
import type {
  InstanceNotification,
  Logger,
  NextStep,
  Notification,
  Notifier,
  WebhookNotification,
} from '@trunkline/core';
import { nextStepText } from '@trunkline/core';

/**
 * In milliseconds. Their sum is less than the minute that the service waits, so that an unresponsive mail server holds
 * no socket longer.
 */
const TIMEOUTS = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
};

/**
 * Emails the recipients of notifications through the server that `smtpUrl` names. The URL's `?from=` is the sender's
 * address.
 */
export function emailNotifier(
  smtpUrl: string,
  logger: Logger,
  timeouts: Partial<typeof TIMEOUTS> = {},
): Notifier {
  const transport = createTransport({ ...TIMEOUTS, ...timeouts, url: smtpUrl });
  const from = senderOf(new URL(smtpUrl));
  return {
    async notify(notification) {
      const { id, kind, recipients, workspace } = notification;
      if (recipients.length === 0) {
        const subject =
          'webhook' in notification
            ? { webhookId: notification.webhook.id }
            : { instanceId: notification.instance.id };
        logger.warn(
          { kind, workspaceId: workspace.id, ...subject },
          'no member with a verified email address administers webhooks, so no email is sent: set MAIL_TO',
        );
        return;
      }
      const { rejected } = await transport.sendMail({
        from,
        to: [...recipients],
        // If a crash causes a second email, it has the same id.
        messageId: `<${id}@trunkline>`,
        subject: SUBJECTS[kind],
        text: textOf(notification),
      });
      // Not retried, because the other recipients have the email, and would get it twice.
      if (rejected.length > 0) {
        logger.warn(
          { notificationId: id, recipients: rejected.length },
          'an email was not accepted for some of its recipients: check their addresses (MAIL_TO)',
        );
      }
    },
  };
}

const SUBJECTS: Record<Notification['kind'], string> = {
  webhook_failing: 'A webhook endpoint keeps failing',
  webhook_disabled: 'A failing webhook endpoint was disabled',
  instance_down: 'A number is down',
  instance_up: 'A number is connected again',
};

function textOf(notification: Notification): string {
  return 'webhook' in notification ? aboutWebhook(notification) : aboutInstance(notification);
}

function aboutWebhook({ kind, workspace, webhook }: WebhookNotification): string {
  const since = new Date(webhook.failingSince).toUTCString();
  const consequence =
    kind === 'webhook_failing'
      ? 'If nothing gets through, it will be disabled 72 hours after the first failure, at the earliest in 24 hours.'
      : 'It is disabled now. Enable it again when the receiver is back; failed deliveries of the last 30 days can be retried.';
  return [
    `Every delivery to this webhook endpoint has failed since ${since}.`,
    '',
    `Workspace: ${workspace.name} (${workspace.id})`,
    `Endpoint:  ${webhook.url} (${webhook.id})`,
    '',
    consequence,
    '',
  ].join('\n');
}

function aboutInstance({ workspace, instance }: InstanceNotification): string {
  const { id, name, phoneNumber, status, lastError, downSince, upSince, next } = instance;
  const since = new Date(downSince).toUTCString();
  const happened =
    upSince === null
      ? `This number has not been connected since ${since}.`
      : `This number is connected again since ${new Date(upSince).toUTCString()}. It was down from ${since} on.`;
  return [
    happened,
    '',
    `Workspace: ${workspace.name} (${workspace.id})`,
    `Instance:  ${name.replaceAll(/\s+/g, ' ')} (${id})`,
    `Number:    ${phoneNumber ?? 'none is linked any more'}`,
    `Status:    ${status}${lastError === null ? '' : ` (${lastError})`}`,
    ...(next === null ? [] : [`Next:      ${nextIn(next, downSince)}`]),
    '',
    `What happened: trunkline instances history ${id}`,
    '',
  ].join('\n');
}

function nextIn(next: NextStep, now: number): string {
  // Names no time, because several attempts have usually passed when the email is read.
  return next.kind === 'reconnect' ? 'it keeps trying to connect' : `it ${nextStepText(next, now)}`;
}

function senderOf(url: URL): string {
  const user = decodeURIComponent(url.username);
  return url.searchParams.get('from') ?? (user.includes('@') ? user : `trunkline@${url.hostname}`);
}
