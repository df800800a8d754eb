import { checkDataFiles } from '../files/data-files.ts';
import { findSecretKeys } from '../start/secret-key.ts';
import { existingFiles, existingSecretKeys, localSettings } from './local-service.ts';
import type { CommandHandler } from './command.ts';
import { storageOn } from '../database/database.ts';
import { nodeRuntime } from '@trunkline/core/node';
import { createNewId } from '@trunkline/core/spi/storage';
import type { Logger } from '@trunkline/core';
import type { Output } from './output.ts';

/** Migrates the database ahead of the next start, because a migration may take a long time. */
export const migrate: CommandHandler = async (call) => {
  const settings = await localSettings(call);
  const { database, dataDirectory: directory } = settings;
  const path = database.kind === 'sqlite' ? database.path : null;
  // After "trunkline init" a key exists but no database, which this command then creates.
  const isSetUp =
    (await findSecretKeys(settings, await checkDataFiles({ directory, database: path }))) !== null;
  if (!isSetUp) await existingSecretKeys(settings, await existingFiles(settings));
  const storage = await storageOn(settings.database);
  const { random } = nodeRuntime();
  const started = performance.now();
  await storage.open({
    newId: createNewId((length) => random.bytes(length)),
    logger: noteEachLine(call.output),
  });
  await storage.close();
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  call.output.result({ data: { up_to_date: true, seconds } }, `The database is up to date (${seconds} s).`);
};

function noteEachLine(output: Output): Logger {
  const note = (_: object, message: string): void => output.note(message);
  return { debug() {}, info: note, warn: note, error: note };
}
