import type { Logger } from '@trunkline/core';
import type { SignIn } from '@trunkline/dashboard';
import { DASHBOARD_PATH, dashboardLink } from '../http/dashboard.ts';
import type { Access } from './default-workspace.ts';
import type { Settings } from '../settings/settings.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface Started {
  readonly settings: Settings;
  readonly url: string;
  /** The base URL of the separate metrics listener; null if there is none. */
  readonly metricsUrl: string | null;
  readonly access: Access;
  /** How people sign in to the dashboard; null if it is not served. */
  readonly signIn: SignIn | null;
  /** The names for people of the networks that this process would connect if another one did not already. */
  readonly elsewhere: readonly string[];
}

/**
 * Prints the addresses and the API key. The last two lines are the server's address and the API key, or how to get one.
 */
export async function announce(
  { settings, url, metricsUrl, access, signIn, elsewhere }: Started,
  terminal: Terminal,
): Promise<void> {
  for (const title of elsewhere)
    terminal.say(
      `Another process on this data has the network ${title}: this one does not connect it, and the other one sends what this one accepts.`,
    );
  if (metricsUrl !== null) terminal.say(`The metrics are at ${metricsUrl}/metrics`);
  if (signIn !== null) {
    const base = settings.publicUrl ?? url;
    terminal.say(
      terminal.isTTY
        ? `The dashboard, with a link that signs in once, within an hour: ${dashboardLink(signIn, base)}`
        : `The dashboard is at ${base}${DASHBOARD_PATH}: "trunkline dashboard" prints a link that signs in`,
    );
  }
  if (settings.publicUrl !== undefined) terminal.say(`Trunkline listens on ${url}`);
  terminal.say(
    settings.roles.api
      ? `Trunkline is at ${settings.publicUrl ?? url}/api/v1`
      : `Trunkline runs without the role api; see ${url}/healthz`,
  );
  switch (access.kind) {
    case 'new':
      terminal.say(`API key, shown only this once: ${access.token}`);
      return access.shown();
    case 'given':
      return terminal.say('API key: the one in API_KEY');
    case 'own':
      return terminal.say('API key: "trunkline keys create" makes one');
  }
}

/** Logs a warning for each setting that makes webhooks less safe. */
export function warnOfSettings(
  { urlPolicy, webhookAllow }: Pick<Settings, 'urlPolicy' | 'webhookAllow'>,
  logger: Logger,
): void {
  if (urlPolicy === 'local')
    logger.warn(
      {},
      'WEBHOOK_URL_POLICY=local lets webhooks go to this machine, without TLS: use it for development only',
    );
  if (webhookAllow.length > 0)
    logger.warn(
      { hosts: webhookAllow },
      'WEBHOOK_ALLOW lets the webhooks of every workspace go to private hosts, over http and on any port too',
    );
}
