import { rm, writeFile } from 'node:fs/promises';
import type { Logger } from '@trunkline/core';
import * as z from 'zod';
import type { DataFiles } from '../files/data-files.ts';
import { readRegularFile } from '../files/regular-file.ts';

export interface ServerAddress {
  /** The address that clients use, without a trailing slash. */
  readonly url: string;
  /** The address on this machine; differs from `url` behind a proxy. */
  readonly listensOn: string;
}

type Files = Pick<DataFiles, 'serverAddress'>;

const SHAPE: z.ZodType<ServerAddress> = z.object({
  url: z.url({ protocol: /^https?$/ }),
  listensOn: z.url({ protocol: /^http$/ }),
});
const MAX_BYTES = 4_096;
/** Long, because a busy machine makes a server slow. A killed server refuses the connection immediately. */
const RESPONDS_WITHIN_MS = 10_000;

/**
 * Stores the server's address in the data directory, for commands on this machine, because only the server knows its
 * flags and the port chosen for port 0. If several servers share the directory, the last one to start counts. If this
 * fails, commands only lose a default.
 */
export async function keepServerAddress(
  { serverAddress }: Files,
  { address, logger }: { readonly address: ServerAddress; readonly logger: Logger },
): Promise<void> {
  await writeFile(serverAddress, contentOf(address), { mode: 0o600 }).catch((error: unknown) =>
    logger.debug({ err: error, path: serverAddress }, 'the address of the server was not noted'),
  );
}

/** Removes the stored address when the server stops, unless another server has replaced it. */
export async function dropServerAddress({ serverAddress }: Files, address: ServerAddress): Promise<void> {
  if ((await read(serverAddress)) === contentOf(address))
    await rm(serverAddress, { force: true }).catch(() => undefined);
}

/**
 * Returns the address of the server that runs on a data directory; null if no server responds at the stored address.
 */
export async function runningServerUrl({ serverAddress }: Files): Promise<string | null> {
  const address = SHAPE.safeParse(parsed(await read(serverAddress))).data;
  if (address === undefined) return null;
  const isThere = await fetch(`${address.listensOn}/healthz`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(RESPONDS_WITHIN_MS),
  }).then(
    ({ ok }) => ok,
    () => false,
  );
  return isThere ? address.url : null;
}

function contentOf(address: ServerAddress): string {
  return `${JSON.stringify(address)}\n`;
}

async function read(path: string): Promise<string> {
  return readRegularFile(path, MAX_BYTES).then(
    ({ content }) => content.toString('utf8'),
    () => '',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a server may be writing the file, or was killed while writing
  }
}
