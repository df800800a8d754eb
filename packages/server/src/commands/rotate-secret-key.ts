import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '@trunkline/core';
import { removeDrafts, syncDirectory } from '../files/create-whole.ts';
import type { DataFiles } from '../files/data-files.ts';
import { createSecretKey, readSecretKey, secretKeyMissing } from '../start/secret-key.ts';
import type { Settings } from '../settings/settings.ts';
import { withExclusiveLock } from '../files/exclusive-lock.ts';
import type { Call, CommandHandler } from './command.ts';
import { CommandError, usageError } from '../errors/command-error.ts';
import { requireConfirmation } from './confirm.ts';
import { existingFiles, localSettings, refuseEmptyPostgres, withLocalService } from './local-service.ts';
import { refuseServers } from './no-server.ts';
import { writeWhole } from '../files/safe-files.ts';
import { facts } from '../terminal/table.ts';

/**
 * Makes a new secret key, and reseals with it everything that the previous key sealed. Until the rotation ends, each
 * key has its own file, and any process that starts uses both keys, so the rotation can be interrupted at any moment.
 * No server may run during it, because a server with only the previous key could not open secrets sealed with the new
 * one.
 */
export const rotateSecretKey: CommandHandler = async (call) => {
  const settings = await localSettings(call);
  const files = await existingFiles(settings);
  await refuseEmptyPostgres(settings.database);
  if (settings.secretKey !== undefined) return rotateGiven(call, settings);
  const lock = join(files.directory, 'rotation.lock');
  const refusal = `Another "trunkline rotate-secret-key" is running in ${files.directory}: wait until it has ended.`;
  await withExclusiveLock({ path: lock, refusal, isRemoved: false }, () => rotateFile(call, settings, files));
};

async function rotateFile(call: Call, settings: Settings, files: DataFiles): Promise<void> {
  for (const path of [files.secretKey, files.nextSecretKey]) await removeDrafts(path);
  const former = await readSecretKey(files.secretKey);
  if (former === undefined) throw secretKeyMissing(files.secretKey);
  const isBegun = (await readSecretKey(files.nextSecretKey)) !== undefined;
  await requireConfirmation(
    call,
    isBegun
      ? 'The rotation of the secret key that was begun is ended.'
      : `A new secret key replaces ${files.secretKey}, and everything is sealed with it. Backups from before need the previous key, which is kept beside it.`,
  );
  await refuseServers(call, { database: settings.database, logger: noLog });
  if (!isBegun) await begin(call, settings, files);
  const sealed = await reseal(call);
  const kept = await end(files, former);
  call.output.result(
    { data: { secret_key: files.secretKey, former_secret_key: kept, sealed } },
    facts({ 'secret key': files.secretKey, 'previous key': kept, 'secrets sealed again': sealed }),
  );
  call.output.note(
    'Keep a copy of the new key elsewhere, and give it to every machine that has a copy of the previous one. Backups from before need the previous key: destroy it with the last of them.',
  );
}

/**
 * Creates the new key, so that any process that starts from now on has both keys. If a process is already starting,
 * either this command or that process fails.
 */
async function begin(call: Call, settings: Settings, files: DataFiles): Promise<void> {
  await createSecretKey(files.nextSecretKey);
  try {
    await refuseServers(call, { database: settings.database, logger: noLog });
  } catch (error) {
    await rm(files.nextSecretKey, { force: true }); // nothing is sealed with it yet
    throw error;
  }
}

/** Returns how many secrets were resealed. */
function reseal(call: Call): Promise<number> {
  const { output, signal } = call;
  return withLocalService(call, async ({ admin }) => {
    const { sealed, isComplete } = await admin.resealSecrets({
      signal,
      onProgress: (count) => output.progress(`${count} secrets are sealed with the new key`),
    });
    signal.throwIfAborted();
    if (!isComplete)
      throw new CommandError(
        'Not everything could be sealed with the new key: see above. Both keys are kept, and needed, until the same command succeeds.',
      );
    return sealed;
  });
}

/**
 * Saves the previous key under another name, then renames the new key. After each step, every key is in a known file.
 */
async function end(files: DataFiles, former: string): Promise<string> {
  const name = createHash('sha256').update(former).digest('hex').slice(0, 8);
  const kept = `${files.secretKey}.former-${name}`;
  await writeWhole(kept, `${former}\n`);
  await syncDirectory(dirname(files.secretKey));
  await rename(files.nextSecretKey, files.secretKey);
  await syncDirectory(dirname(files.secretKey));
  return kept;
}

/** Reseals everything with SECRET_KEY, which this command cannot replace. */
async function rotateGiven(call: Call, settings: Settings): Promise<void> {
  if (settings.previousSecretKey === undefined)
    throw usageError(
      'The secret key is in SECRET_KEY, where this command cannot replace it: set SECRET_KEY to a new one ("openssl rand -base64 32" makes one) and SECRET_KEY_PREVIOUS to the previous one, and run this again.',
    );
  await requireConfirmation(call, 'Everything is sealed with SECRET_KEY, in place of SECRET_KEY_PREVIOUS.');
  await refuseServers(call, { database: settings.database, logger: noLog });
  const sealed = await reseal(call);
  if (sealed === 0)
    throw new CommandError(
      'Everything is sealed with SECRET_KEY already. If SECRET_KEY_PREVIOUS is the new key, swap the two; if not, take SECRET_KEY_PREVIOUS out.',
    );
  call.output.result(
    { data: { secret_key: null, former_secret_key: null, sealed } },
    facts({ 'secret key': 'SECRET_KEY', 'secrets sealed again': sealed }),
  );
  call.output.note('Take SECRET_KEY_PREVIOUS out, and keep the previous key for backups from before.');
}

const noLog: Logger = { debug() {}, info() {}, warn() {}, error() {} };
