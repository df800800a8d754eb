import type { Logger } from '../ports/logger.ts';
import type { Notifier } from '../ports/notifier.ts';

/** For an installation without mail: says in the log what a mail would have said. */
export function loggingNotifier(logger: Logger): Notifier {
  return {
    async notify({ kind, workspace, webhook, recipients }) {
      const facts = { workspaceId: workspace.id, webhookId: webhook.id, recipients: recipients.length };
      logger.warn(
        facts,
        kind === 'webhook_failing'
          ? 'a webhook endpoint keeps failing'
          : 'a failing webhook endpoint was disabled',
      );
    },
  };
}
