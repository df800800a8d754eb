import { thisProcess } from '@trunkline/core/node';
import type { Logger } from '@trunkline/core';
import { storageOn } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { movableOn, placeOf } from '../move/databases.ts';
import type { Call } from './command.ts';
import { CommandError } from '../errors/command-error.ts';

/**
 * Throws if a server process that is registered on the database may still run. With `--stopped`, ignores processes of
 * other machines. First releases the leases and claims of processes that have provably ended.
 */
export async function refuseServers(
  call: Call,
  { database, logger }: { readonly database: Database; readonly logger: Logger },
): Promise<void> {
  const storage = await storageOn(database);
  await storage.open({ newId: noIds, logger });
  try {
    await storage.processes.releaseEnded?.(Date.now());
  } finally {
    await storage.close();
  }
  const here = thisProcess();
  const movable = await movableOn(database);
  await movable.open({ logger });
  try {
    for (const { machine, pid } of await movable.processes()) {
      if (machine === here.machine)
        throw new CommandError(
          `Process ${pid} of this machine uses ${placeOf(database)}: stop the server first.`,
        );
      if (!call.options.flag('stopped'))
        throw new CommandError(
          `Process ${pid} of another machine has used ${placeOf(database)} and has not said that it ended: stop every server on it, then add --stopped.`,
        );
    }
  } finally {
    await movable.close();
  }
}

function noIds(): never {
  throw new Error('A command that only looks makes no ids.');
}
