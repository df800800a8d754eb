import type { Logger } from './logger.ts';

/** An email to the members who administer webhooks and whose address is verified. */
export interface Notification {
  /** The same on each try. A notifier may be called again after a crash. */
  readonly id: string;
  readonly kind: 'webhook_failing' | 'webhook_disabled';
  readonly recipients: readonly string[];
  readonly workspace: { readonly id: string; readonly name: string };
  readonly webhook: { readonly id: string; readonly url: string; readonly failingSince: number };
}

export interface Notifier {
  /** Rejects if the email was not accepted; the service tries again later. */
  notify(notification: Notification): Promise<void>;
}

/** The notifier of a service that sends no emails: it logs what the email would have said. */
export function loggingNotifier(logger: Logger): Notifier {
  return {
    async notify({ kind, workspace, webhook, recipients }) {
      const facts = { workspaceId: workspace.id, webhookId: webhook.id, recipients: recipients.length };
      logger.warn(
        facts,
        kind === 'webhook_failing'
          ? 'a webhook endpoint keeps failing, and is disabled if nothing gets through to it: look at its receiver; no notifier is configured (SMTP_URL), so no email was sent'
          : 'a failing webhook endpoint was disabled: mend its receiver, enable it again and retry its failed deliveries; no notifier is configured (SMTP_URL), so no email was sent',
      );
    },
  };
}
