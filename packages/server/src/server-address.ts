import { rm, writeFile } from 'node:fs/promises';
import type { Logger } from '@trunkline/core';
import * as z from 'zod';
import type { DataFiles } from './data-files.ts';
import { readRegularFile } from './regular-file.ts';

/** Where the running server is. */
export interface ServerAddress {
  /** The address that clients use, without a slash at its end. */
  readonly url: string;
  /** The address on this machine: the same unless there is a proxy in front. */
  readonly listensOn: string;
}

type Files = Pick<DataFiles, 'serverAddress'>;

const SHAPE: z.ZodType<ServerAddress> = z.object({
  url: z.url({ protocol: /^https?$/ }),
  listensOn: z.url({ protocol: /^http$/ }),
});
const MAX_BYTES = 4_096;
/** How long a server on this machine may take to say that it is one. */
const RESPONDS_WITHIN_MS = 2_000;

/**
 * Notes in the data directory where the server is, for commands on this machine: flags and a port of 0 are known to the
 * server alone. Of several servers on one directory, the last one counts. A failure only costs commands their guess.
 */
export async function keepServerAddress(
  { serverAddress }: Files,
  { address, logger }: { readonly address: ServerAddress; readonly logger: Logger },
): Promise<void> {
  await writeFile(serverAddress, contentOf(address), { mode: 0o600 }).catch((error: unknown) =>
    logger.debug({ err: error, path: serverAddress }, 'the address of the server was not noted'),
  );
}

/** Removes the note when the server stops, unless another server has replaced it. */
export async function dropServerAddress({ serverAddress }: Files, address: ServerAddress): Promise<void> {
  if ((await read(serverAddress)) === contentOf(address))
    await rm(serverAddress, { force: true }).catch(() => undefined);
}

/** The address of the server that runs on a data directory; null if none responds where the last one was. */
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
    return undefined; // a server may be writing it, or was killed while it did
  }
}
