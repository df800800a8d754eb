import { createTrunkline } from '@trunkline/core';
import type { Logger, Trunkline, TrunklineOptions } from '@trunkline/core';
import { fileMediaStore, nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { fromConfigFile, fromDefaultConfigFile } from '../settings/config-file.ts';
import { checkDataFiles } from '../files/data-files.ts';
import type { DataFiles } from '../files/data-files.ts';
import { hasWorkspace, schemaOf, storageOn } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { openOnce } from '../database/open-once.ts';
import { findSecretKeys, secretKeyMissing } from '../start/secret-key.ts';
import { flagOf } from '../settings/setting-names.ts';
import { fromEnvironment } from '../settings/setting-sources.ts';
import { allSettings, readSettings } from '../settings/settings.ts';
import type { GivenSetting, Settings } from '../settings/settings.ts';
import { StartError } from '../errors/start-error.ts';
import { hasPassword } from '../settings/url-password.ts';
import type { Call } from './command.ts';
import { usageError } from '../errors/command-error.ts';
import type { Output } from './output.ts';

/** Reads the configuration file, the environment, the flags and `more`; each overrides those before it. */
export async function localSettings(
  { options, environment }: Pick<Call, 'options' | 'environment'>,
  more: readonly GivenSetting[] = [],
): Promise<Settings> {
  const path = options.text('config');
  const inFile = path === undefined ? await fromDefaultConfigFile() : await fromConfigFile(path);
  return readSettings([...inFile, ...fromEnvironment(environment), ...fromFlags(options), ...more]);
}

function fromFlags(options: Call['options']): readonly GivenSetting[] {
  return allSettings().flatMap(({ variable, isSecret }) => {
    const name = flagOf(variable);
    const text = isSecret ? undefined : options.text(name.slice(2));
    if (text === undefined) return [];
    if (text === '') throw usageError(`${name} must not be empty.`);
    refusePassword(name, variable, text);
    return [{ variable, name, text }];
  });
}

/**
 * Refuses a password in a flag, because every user of the machine can read flags, and they stay in the shell's history.
 */
export function refusePassword(flag: string, variable: string, text: string): void {
  if (hasPassword(text))
    throw usageError(
      `${flag} has a password in it, which other users of this machine could read: give it as ${variable}, or in the configuration file.`,
    );
}

/** A service on the database in the settings. It has no roles, so servers may run at the same time. */
export interface LocalService {
  readonly admin: Trunkline['admin'];
  readonly settings: Settings;
  readonly files: DataFiles;
}

/**
 * Opens a service, migrates its database, and closes the service after `use`. Creates neither a SQLite file nor a key.
 */
export async function withLocalService<Value>(
  call: Call,
  use: (service: LocalService) => Promise<Value>,
): Promise<Value> {
  return withService(call, await localSettings(call), { gateways: [createSandbox().gateway] }, use);
}

/** Like withLocalService, but with the files of messages and the data of the network's gateway. */
export async function withLocalMedia<Value>(
  call: Call,
  use: (service: LocalService) => Promise<Value>,
): Promise<Value> {
  const settings = await localSettings(call);
  const { media: mediaDirectory } = await existingFiles(settings);
  const { closedGateways } = await import('../networks/networks.ts');
  const media = settings.s3
    ? (await import('../start/media-files.ts')).mediaFilesIn(settings.s3)
    : fileMediaStore({ directory: mediaDirectory });
  return withService(call, settings, { gateways: await closedGateways(settings), media }, use);
}

async function withService<Value>(
  call: Call,
  settings: Settings,
  parts: Pick<TrunklineOptions, 'gateways' | 'media'>,
  use: (service: LocalService) => Promise<Value>,
): Promise<Value> {
  const logger = commandLogger(call.output);
  const { database } = settings;
  const files = await existingFiles(settings);
  await refuseEmptyPostgres(database);
  const storage = openOnce(await storageOn(database));
  try {
    if (database.kind === 'postgres' && !(await hasWorkspace(storage, logger))) throw nothingThere();
    const trunkline = createTrunkline({
      ...nodeRuntime(),
      secretKey: await existingSecretKeys(settings, files),
      storage,
      ...parts,
      logger,
      roles: { api: false, gateway: false, webhooks: false, maintenance: false },
    });
    await trunkline.start();
    try {
      return await use({ admin: trunkline.admin, settings, files });
    } finally {
      await trunkline.stop();
    }
  } finally {
    await storage.close();
  }
}

/** Throws a StartError if the database is a PostgreSQL database without Trunkline's tables, and creates none. */
export async function refuseEmptyPostgres(database: Database): Promise<void> {
  if (database.kind === 'postgres' && (await schemaOf(database)).version === 0) throw nothingThere();
}

function nothingThere(): StartError {
  return new StartError(
    'There is nothing on this database yet: start the server once, with "trunkline serve".',
  );
}

/** Throws a StartError if the database file of the settings does not exist. */
export async function existingFiles({ database, dataDirectory }: Settings): Promise<DataFiles> {
  const path = database.kind === 'sqlite' ? database.path : null;
  const files = await checkDataFiles({ directory: dataDirectory, database: path });
  if (path !== null && !files.hasDatabase)
    throw new StartError(
      `There is no database at ${path}: start the server once, with "trunkline serve", or name the place with --data-dir or --database-url.`,
    );
  return files;
}

/** Returns the secret keys, of which the first seals. Throws a StartError if there is no key. */
export async function existingSecretKeys(settings: Settings, files: DataFiles): Promise<readonly string[]> {
  const found = await findSecretKeys(settings, files);
  if (!found) throw secretKeyMissing(files.secretKey);
  return found.keys;
}

function commandLogger(output: Pick<Output, 'note'>): Logger {
  const note = (facts: Readonly<Record<string, unknown>>, message: string): void => {
    const { err } = facts;
    output.note(`trunkline: ${message}${err instanceof Error ? ` (${err.message})` : ''}`);
  };
  return { debug() {}, info() {}, warn: note, error: note };
}
