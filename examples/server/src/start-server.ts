import { createTrunkline } from '@trunkline/core';
import type { Logger, TrunklineOptions } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { announce } from './announce.ts';
import { checkDataFiles, createDirectory } from './data-files.ts';
import type { DataFiles } from './data-files.ts';
import { openDefaultWorkspace } from './default-workspace.ts';
import type { Access } from './default-workspace.ts';
import { listen } from './http-listener.ts';
import { mailNotifier } from './mail-notifier.ts';
import { setMailRecipients } from './mail-recipients.ts';
import { openNetwork } from './messaging-network.ts';
import { createSecretKey, readSecretKey } from './secret-key.ts';
import { createServerApp, createStartingApp } from './server-app.ts';
import { createServerMetrics } from './server-metrics.ts';
import type { Settings } from './settings.ts';
import { StartError } from './start-error.ts';

export interface RunningServer {
  /** Answers the requests under way, finishes what the workers have begun, and gives back what this process holds. */
  stop(): Promise<void>;
}

/**
 * Starts the server. Where the address is taken, or what is on disk cannot be used, it throws an error that says so in
 * a line, before anything is written.
 */
export async function startServer(settings: Settings, logger: Logger): Promise<RunningServer> {
  const files = await checkDataFiles({ directory: settings.dataDirectory, database: settings.databasePath });
  const listener = await listen(settings, createStartingApp().fetch);
  const secretKey = await secretKeyFor(settings, files);
  const options = { secretKey, urlPolicy: settings.urlPolicy, logger };
  if (files.hasDatabase) await tryDatabase(files, options);
  await createDataDirectory(files);

  const network = openNetwork(settings, files);
  const runtime = nodeRuntime({ mediaDirectory: files.media });
  const storage = sqliteStorage({ path: files.database });
  const metrics = createServerMetrics();
  const trunkline = createTrunkline({
    ...options,
    meterProvider: metrics.meterProvider,
    ...runtime,
    storage,
    gateway: network.gateway,
    roles: { ...settings.roles, gateway: settings.roles.gateway && !network.isElsewhere },
    ...(settings.smtpUrl !== undefined && { notifier: mailNotifier(settings.smtpUrl, logger) }),
  });
  await trunkline.start();
  const openWorkspace = (): Promise<Access> =>
    openDefaultWorkspace({ trunkline, storage, crypto: runtime.crypto }, settings.apiKey);
  // Another server may be doing the same at this moment: the second look finds what that one has made.
  const access = await openWorkspace().catch(openWorkspace);
  if (settings.mailTo !== undefined) await setMailRecipients(trunkline, settings.mailTo);

  const { phone, isElsewhere } = network;
  const { gateway, rateLimit, metricsToken } = settings;
  let draining = false;
  listener.serve(
    createServerApp({
      trunkline,
      storage,
      hasSandbox: gateway === 'sandbox',
      phone,
      rateLimit,
      logger,
      metrics,
      metricsToken,
      isDraining: () => draining,
    }).fetch,
  );
  await announce({ settings, url: listener.url, access, networkIsElsewhere: isElsewhere });
  return {
    async stop() {
      draining = true;
      await listener.close();
      await trunkline.stop();
      network.close();
    },
  };
}

/** A key that does not fit the database would make it useless, so none is made beside one. */
async function secretKeyFor(settings: Settings, files: DataFiles): Promise<string> {
  const key = settings.secretKey ?? (await readSecretKey(files.secretKey));
  if (key !== undefined) return key;
  if (files.hasDatabase) {
    throw new StartError(
      `The secret key of the database is missing: put ${files.secretKey} back, or set SECRET_KEY to what it was set to.`,
    );
  }
  await createDataDirectory(files);
  return createSecretKey(files.secretKey);
}

/** Opens a database that is there already and closes it again: what is wrong with it comes out before anything is made. */
async function tryDatabase(files: DataFiles, options: Pick<TrunklineOptions, 'secretKey'>): Promise<void> {
  const trunkline = createTrunkline({
    ...options,
    ...nodeRuntime(),
    storage: sqliteStorage({ path: files.database }),
    gateway: createSandbox().gateway,
    roles: { api: false, gateway: false, webhooks: false, maintenance: false },
  });
  try {
    await trunkline.start();
  } finally {
    await trunkline.stop();
  }
}

async function createDataDirectory({ directory }: DataFiles): Promise<void> {
  if (await createDirectory(directory)) console.log(`Everything is kept in the new directory ${directory}`);
}
