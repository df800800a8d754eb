import { createTrunkline } from '@trunkline/core';
import type { Logger, Storage, Trunkline, TrunklineOptions } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { announce, warnOfSettings } from './start/announce.ts';
import { scalar } from '#scalar';
import { dashboardSignIn } from './http/dashboard.ts';
import { removeDrafts } from './files/create-whole.ts';
import { checkDataFiles, createDirectory, isDatabase } from './files/data-files.ts';
import type { DataFiles } from './files/data-files.ts';
import { hasWorkspace, storageOn } from './database/database.ts';
import { checkDatabaseIdentity, keepDatabaseIdentity, notedDatabaseId } from './start/database-identity.ts';
import { openDefaultWorkspace } from './start/default-workspace.ts';
import type { Access } from './start/default-workspace.ts';
import { listen } from './http/http-listener.ts';
import type { HttpListener } from './http/http-listener.ts';
import { setEmailRecipients } from './start/email-recipients.ts';
import { openNetworks } from './networks/networks.ts';
import type { Networks } from './networks/networks.ts';
import { openOnce } from './database/open-once.ts';
import { ownAddresses } from './http/own-addresses.ts';
import { openRateLimit } from './http/rate-limit.ts';
import type { RateLimit } from './http/rate-limit.ts';
import { dropServerAddress, keepServerAddress } from './http/server-address.ts';
import { createSecretKey, END_ROTATION, findSecretKeys, secretKeyMissing } from './start/secret-key.ts';
import type { SecretKeys } from './start/secret-key.ts';
import { createServerApp, createStartingApp, LINK_PATH } from './http/server-app.ts';
import type { McpSettings, Settings } from './settings/settings.ts';
import { StartError } from './errors/start-error.ts';
import { openMetricsListener } from './http/metrics-listener.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { trySecretKey } from './start/try-secret-key.ts';
import manifest from '../package.json' with { type: 'json' };
import { processTerminal } from './terminal/terminal.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface RunningServer {
  /** The address, without a trailing slash: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Responds to the requests in flight, finishes what the workers have begun, and releases what this process holds. */
  stop(): Promise<void>;
}

/** The parts that a program can provide when it runs the server in its own way. */
export interface ServerParts {
  /** The messaging networks to use instead of those that GATEWAYS names. */
  readonly networks?: Networks;
  /** Changes the options of the service just before it is created. */
  readonly adapt?: (options: TrunklineOptions) => TrunklineOptions;
  /** Replaces stdout for the lines that people read. */
  readonly terminal?: Terminal;
}

/** Starts the server. If the address is in use, or the data on disk is unusable, throws before anything is written. */
export async function startServer(
  settings: Settings,
  logger: Logger,
  parts: ServerParts = {},
): Promise<RunningServer> {
  const adapters = await chosenAdapters(settings, logger);
  const files = await checkDataFiles({
    directory: settings.dataDirectory,
    database: settings.database.kind === 'sqlite' ? settings.database.path : null,
  });
  const listener = await listen(settings, createStartingApp().fetch, { logger });
  let telemetry: Telemetry | null = null;
  let metricsListener: HttpListener | null = null;
  try {
    telemetry = await openTelemetry(settings, logger);
    metricsListener = await openMetricsListener(settings, { metrics: telemetry.metrics, logger });
    const listeners = { listener, metricsListener };
    return await startOn(listeners, { settings, logger, files, adapters, telemetry, parts });
  } catch (error) {
    await metricsListener?.close();
    await telemetry?.close();
    await listener.close();
    throw error;
  }
}

interface Start {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly files: DataFiles;
  readonly adapters: Pick<TrunklineOptions, 'media' | 'notifier'>;
  readonly telemetry: Telemetry;
  readonly parts: ServerParts;
}

interface Listeners {
  readonly listener: HttpListener;
  readonly metricsListener: HttpListener | null;
}

/** If starting the service fails, closes everything but the listeners and the telemetry. */
async function startOn(
  { listener, metricsListener }: Listeners,
  { settings, logger, files, adapters, telemetry, parts }: Start,
): Promise<RunningServer> {
  const { networks: given, adapt = (options) => options, terminal = processTerminal } = parts;
  const storage = openOnce(await storageOn(settings.database));
  const { urlPolicy, webhookAllow, webhookDeny } = settings;
  const { standardWebhooks, instanceProxies, linkPreviews, groupLimits } = settings;
  const { instanceHistoryDays, instanceDownAfterMs } = settings;
  const urlRules = {
    urlPolicy,
    webhookAllow,
    webhookDeny,
    ownAddresses: ownAddresses([listener, ...(metricsListener ? [metricsListener] : [])], settings),
  };
  const { secretKey, networks } = await openData({
    settings,
    files,
    storage,
    logger,
    terminal,
    networks: given,
  });
  const options = {
    secretKey,
    ...urlRules,
    standardWebhooks,
    instanceProxies,
    linkPreviews,
    linkPage: settings.publicUrl && settings.publicUrl + LINK_PATH,
    retention: { instanceHistoryDays, messagesDays: settings.messageRetentionDays },
    groupLimits,
    instanceDownAfterMs,
    stopTimeoutMs: settings.stopTimeoutMs,
    logger,
  };
  const runtime = nodeRuntime({ mediaDirectory: files.media });
  const create = (): Trunkline =>
    createTrunkline(
      adapt({
        ...options,
        ...telemetry.providers,
        ...runtime,
        ...adapters,
        storage,
        gateways: networks.gateways,
        roles: settings.roles,
      }),
    );
  const trunkline = await createOrClose(create, { storage, networks });
  let rateLimit: RateLimit | null = null;
  const release = async (): Promise<void> => {
    await trunkline.stop();
    await rateLimit?.close();
    networks.close();
  };
  try {
    await trunkline.start();
    await checkKeysUnchanged(settings, files, secretKey);
    const openWorkspace = (): Promise<Access> =>
      openDefaultWorkspace(
        { trunkline, storage, crypto: runtime.crypto },
        { apiKey: settings.apiKey, canShow: terminal.isTTY },
      );
    // If another server does the same concurrently, the first attempt may fail, and the second one finds the other
    // server's result.
    const access = await openWorkspace().catch(openWorkspace);
    // After the workspace, without which another start would take the database for an emptied one.
    await keepDatabaseIdentity({ storage, files });
    if (settings.emailTo !== undefined) await setEmailRecipients(trunkline, settings.emailTo);

    rateLimit = await openRateLimit(settings, logger);
    const signIn = settings.dashboard && settings.roles.api ? dashboardSignIn(settings, { secretKey }) : null;
    const mcp = settings.mcp && settings.roles.api ? await loadMcp(settings, settings.mcp, trunkline) : null;
    let draining = false;
    listener.serve(
      createServerApp({
        trunkline,
        storage,
        hasSimulatedPhones: networks.gateways.some(({ isSimulated }) => isSimulated === true),
        phone: networks.phone,
        publicUrl: settings.publicUrl,
        docs: settings.apiDocs ? { scalar } : false,
        dashboard: signIn,
        mcp,
        rateLimit: rateLimit.options,
        logger: trunkline.logger, // logs a recurring fault less often
        metrics: telemetry.metrics,
        tracerProvider: telemetry.providers.tracerProvider,
        metricsToken: settings.metricsToken,
        isDraining: () => draining,
      }).fetch,
    );
    warnOfSettings(settings, logger);
    const address = { url: settings.publicUrl ?? listener.url, listensOn: listener.url };
    if (signIn !== null) await keepServerAddress(files, { address, logger });
    await announce(
      {
        settings,
        url: listener.url,
        metricsUrl: metricsListener?.url ?? null,
        access,
        signIn,
        elsewhere: settings.roles.gateway
          ? networks.gateways.filter((one) => one.connectsElsewhere === true).map(({ title }) => title)
          : [],
      },
      terminal,
    );
    const { database, roles } = settings;
    logger.info(
      {
        version: manifest.version,
        node: process.versions.node,
        url: listener.url,
        metricsUrl: metricsListener?.url ?? null,
        storage: database.kind,
        networks: networks.gateways.map(({ network }) => network),
        roles: Object.entries(roles).flatMap(([role, isOn]) => (isOn ? [role] : [])),
      },
      'the server is ready',
    );
    return {
      url: listener.url,
      async stop() {
        draining = true;
        logger.info({}, 'the server stops, and finishes what is in flight');
        await dropServerAddress(files, address);
        // Ends event streams, which would otherwise keep the listener open.
        await Promise.all([trunkline.endStreams(), listener.close()]);
        await metricsListener?.close();
        await release();
        await telemetry.close();
        logger.info({}, 'the server has stopped');
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Creates the service. If it refuses an option, closes the storage and the networks. */
async function createOrClose(
  create: () => Trunkline,
  { storage, networks }: { readonly storage: Storage; readonly networks: Networks },
): Promise<Trunkline> {
  try {
    return create();
  } catch (error) {
    networks.close();
    await storage.close();
    throw error;
  }
}

interface Data {
  readonly settings: Settings;
  readonly files: DataFiles;
  readonly storage: Storage;
  readonly logger: Logger;
  readonly terminal: Terminal;
  readonly networks: Networks | undefined;
}

/**
 * Opens the data of the server. Before all checks have passed, creates at most the key of a new database. If this
 * rejects, the storage is closed.
 */
async function openData({
  settings,
  files,
  storage,
  logger,
  terminal,
  networks,
}: Data): Promise<Pick<TrunklineOptions, 'secretKey'> & { readonly networks: Networks }> {
  try {
    // Before the look at the database, because a concurrent first start makes the database, and then notes its id.
    const noted = await notedDatabaseId(files);
    const isInUse =
      files.database === null ? await hasWorkspace(storage, logger) : await isDatabase(files.database);
    const checkIdentity = (): Promise<void> =>
      checkDatabaseIdentity({ storage, files }, { database: settings.database, isInUse, noted });
    // Before a key is created, which would stand in the way of a restored backup.
    if (!isInUse) await checkIdentity();
    const { keys: secretKey, isRotating } = await secretKeysFor({ settings, files, terminal }, isInUse);
    if (isRotating)
      logger.warn(
        { path: files.nextSecretKey },
        `a rotation of the secret key has not ended: the new key seals, and both open; ${END_ROTATION}`,
      );
    if (isInUse) {
      await trySecretKey(storage, { secretKey, logger });
      await checkIdentity();
    }
    await createDataDirectory(files, terminal);
    return { secretKey, networks: networks ?? (await openNetworks({ settings, files, terminal })) };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Never creates a key for a database in use, because a new key could not open its data. */
async function secretKeysFor(
  { settings, files, terminal }: Pick<Data, 'settings' | 'files' | 'terminal'>,
  isInUse: boolean,
): Promise<SecretKeys> {
  const found = await findSecretKeys(settings, files);
  for (const path of [files.secretKey, files.nextSecretKey]) await removeDrafts(path);
  if (found) return found;
  if (isInUse) throw secretKeyMissing(files.secretKey);
  await createDataDirectory(files, terminal);
  return { keys: [await createSecretKey(files.secretKey)], isRotating: false };
}

/**
 * Throws if a rotation began before this process registered, because that rotation did not see this process, and may
 * have sealed data that this process cannot open.
 */
async function checkKeysUnchanged(
  settings: Settings,
  files: DataFiles,
  keys: TrunklineOptions['secretKey'],
): Promise<void> {
  const found = await findSecretKeys(settings, files);
  if (JSON.stringify(found?.keys) !== JSON.stringify(keys))
    throw new StartError('The secret key was replaced while this server started: start it again.');
}

/** Loads adapters only if used, so that other servers start sooner and take less memory. */
async function chosenAdapters(
  { s3, smtpUrl }: Settings,
  logger: Logger,
): Promise<Pick<TrunklineOptions, 'media' | 'notifier'>> {
  const media = s3 && (await import('./start/media-files.ts')).mediaFilesIn(s3);
  const notifier =
    smtpUrl !== undefined && (await import('./start/email-notifier.ts')).emailNotifier(smtpUrl, logger);
  return { ...(media && { media }), ...(notifier && { notifier }) };
}

async function loadMcp(
  address: Settings,
  settings: McpSettings,
  trunkline: Trunkline,
): Promise<Parameters<typeof createServerApp>[0]['mcp']> {
  const { addMcp } = await import('./http/mcp.ts');
  return (app, { guard }) => addMcp(app, { trunkline, guard, settings, address });
}

async function createDataDirectory({ directory }: DataFiles, terminal: Terminal): Promise<void> {
  if (await createDirectory(directory)) terminal.say(`Everything is kept in the new directory ${directory}`);
}
