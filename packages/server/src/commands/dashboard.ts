import { newDashboardLink } from '../http/dashboard.ts';
import { urlOf } from '../http/http-listener.ts';
import { runningServerUrl } from '../http/server-address.ts';
import type { Settings } from '../settings/settings.ts';
import { CommandError, usageError } from '../errors/command-error.ts';
import type { CommandHandler } from './command.ts';
import { existingSecretKeys, withLocalService } from './local-service.ts';
import { serviceUrl } from './service-url.ts';

/**
 * Prints a link that signs an admin in to the dashboard of a server on this database. The server need not run, because
 * only its secret key is needed to seal the link. The key is first checked against the database, because a server would
 * reject a link sealed with another key.
 */
export const dashboardCommand: CommandHandler = (call) =>
  withLocalService(call, async ({ settings, files }) => {
    if (!settings.dashboard)
      throw new CommandError(
        'The dashboard is switched off: set DASHBOARD to "on", and start the server again.',
      );
    const given = call.options.text('url');
    const url =
      given === undefined
        ? (settings.publicUrl ?? (await runningServerUrl(files)) ?? urlInSettings(settings))
        : serviceUrl(given).replace(/\/dashboard$/, '');
    const link = newDashboardLink(await existingSecretKeys(settings, files), url);
    call.output.result({ data: { url: link } }, link);
    call.output.note(
      'It signs in once, within an hour, and makes whoever opens it an admin: do not share it.',
    );
  });

/** The address that a server with these settings would have. */
function urlInSettings({ host, port }: Settings): string {
  if (port !== 0) return urlOf({ port }, host);
  throw usageError(
    'PORT is 0, for any free port, and no server runs on this data directory: name the address that the server printed with --url, such as --url http://127.0.0.1:8080.',
  );
}
