import { createDecipheriv, createHash, createHmac } from 'node:crypto';
import { DEFAULT_ORIGIN, getMediaKeys, toNumber } from '@whiskeysockets/baileys';
import { LARGEST_MEDIA_SIZE, pause, withDeadline } from '@trunkline/core/spi/gateway';
import type { MediaFile } from './media-file.ts';
import type { MediaNetwork } from './media-network.ts';
import type { MediaSource } from './message-content.ts';

/** How many times all hosts are tried. */
const ROUNDS = 3;
const ROUND_AFTER_MS = 1_000;
/** If a host sends nothing for this long, the download moves to the next host. */
const HOST_STALLED_MS = 8_000;
const BLOCK = 16;
/** The length of the MAC after the ciphertext, in bytes. */
const MAC_LENGTH = 10;

/**
 * Downloads and decrypts a file as it is read, resuming at the next host after an interruption. A file that no host has
 * is requested from the phone. Fails if the file is not the one that was sent.
 */
export function downloadMedia(file: MediaFile, network: MediaNetwork): ReadableStream<Uint8Array> {
  const cancelled = new AbortController();
  const bytes = checked(file.source, decrypted(file, fromHosts(file, network, cancelled.signal)));
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // End the request first, because a generator that waits for a silent host does not return.
      async cancel(reason) {
        cancelled.abort(reason);
        await bytes.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Passes a file through. Fails immediately if the stated size is too large, and at the end if the digest is wrong. */
async function* checked(
  { fileSha256, fileLength }: MediaSource,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (toNumber(fileLength) > LARGEST_MEDIA_SIZE) throw new Error('The file is larger than any that is kept.');
  const digest = createHash('sha256');
  for await (const chunk of bytes) {
    digest.update(chunk);
    yield chunk;
  }
  if (fileSha256?.length && !digest.digest().equals(fileSha256)) {
    throw new Error('The file is not the one that was sent: its SHA-256 differs.');
  }
}

async function* decrypted(
  { source, keyType }: MediaFile,
  encrypted: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { iv, cipherKey, macKey } = await getMediaKeys(source.mediaKey, keyType);
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const mac = createHmac('sha256', macKey ?? '').update(iv);
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of encrypted) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % BLOCK);
    rest = bytes.subarray(whole);
    const blocks = bytes.subarray(0, whole);
    mac.update(blocks);
    yield decipher.update(blocks);
  }
  if (rest.length !== MAC_LENGTH) throw new Error("The download from WhatsApp's media host broke off.");
  if (!mac.digest().subarray(0, MAC_LENGTH).equals(rest))
    throw new Error('The file is not the one that was sent: its authentication code differs.');
  yield decipher.final();
}

/** Reads the encrypted file from the hosts that have it. Each host resumes where the previous host broke off. */
async function* fromHosts(
  file: MediaFile,
  network: MediaNetwork,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let offset = 0;
  let isRequested = false;
  for (let round = 1; ; round += 1) {
    let lastError: unknown = new Error('WhatsApp names no media host.');
    let isGone = false;
    // Ask in each round, because the connection's list of hosts may have expired.
    for (const host of await network.hosts({ refresh: round > 1 })) {
      try {
        const path = network.reuploads.pathOf(file);
        const address = addressOf(path === null ? file.source : { directPath: path }, host);
        for await (const chunk of bytesFrom({ address, offset, network, signal })) {
          offset += chunk.length;
          yield chunk;
        }
        network.noteHost(host, true);
        return;
      } catch (error) {
        if (signal.aborted || error instanceof NoAddressError) throw error;
        lastError = error;
        if (error instanceof MediaGoneError) isGone = true;
        else network.noteHost(host, false);
      }
    }
    if (isGone && !isRequested) {
      isRequested = true;
      await network.reuploads.request(file);
    } else if (isGone || round >= ROUNDS) throw lastError;
    else await pause(network.clock, ROUND_AFTER_MS * round);
  }
}

/** The host no longer has the file, or refuses it because the address has expired. */
class MediaGoneError extends Error {}
const GONE: readonly number[] = [403, 404, 410];

interface HostRequest {
  readonly address: string;
  /** The number of bytes already downloaded. */
  readonly offset: number;
  readonly network: MediaNetwork;
  readonly signal: AbortSignal;
}

async function* bytesFrom({ address, offset, network, signal }: HostRequest): AsyncGenerator<Uint8Array> {
  const { clock, fetch } = network;
  const ended = new AbortController();
  const inTime = <Value>(work: Promise<Value>): Promise<Value> =>
    withDeadline(clock, { what: "A response of WhatsApp's media host", ms: HOST_STALLED_MS }, work);
  try {
    const response = await inTime(
      fetch(address, {
        headers: { Origin: DEFAULT_ORIGIN, ...(offset > 0 && { Range: `bytes=${offset}-` }) },
        // A redirect could lead away from the network's hosts, and into our own network.
        redirect: 'error',
        signal: AbortSignal.any([signal, ended.signal]),
      }),
    );
    // The previous request failed after the last byte, so the file is complete.
    if (offset > 0 && response.status === RANGE_NOT_SATISFIABLE) return;
    checkStatus(response);
    // A host that ignores the range sends the known bytes again.
    let known = response.status === PARTIAL_CONTENT ? 0 : offset;
    if (known === 0 && offset > 0) checkRange(response, offset);
    const reader = response.body?.getReader();
    while (reader) {
      const { done, value } = await inTime(reader.read());
      if (done) return;
      const fresh = value.subarray(Math.min(known, value.length));
      known -= value.length - fresh.length;
      if (fresh.length > 0) yield fresh;
    }
  } finally {
    // Abort the request, whose response may not be fully read.
    ended.abort(new Error('The download is taken up elsewhere.'));
  }
}

const PARTIAL_CONTENT = 206;
const RANGE_NOT_SATISFIABLE = 416;

function checkRange({ headers }: Response, offset: number): void {
  if (!headers.get('content-range')?.startsWith(`bytes ${offset}-`))
    throw new Error("WhatsApp's media host sent another part of the file than it was asked for.");
}

function checkStatus({ ok, status }: Response): void {
  if (GONE.includes(status))
    throw new MediaGoneError(`The file is gone from WhatsApp's media host (HTTP ${status}).`);
  if (!ok) throw new Error(`WhatsApp's media host responded with HTTP ${status}.`);
}

class NoAddressError extends Error {}

/**
 * The sender chooses only the path, because a host of the sender's choice would be requested from inside our network.
 */
function addressOf({ directPath, url }: MediaSource, host: string): string {
  const path = directPath || (url && URL.canParse(url) ? pathOf(new URL(url)) : '');
  const address = `https://${host}${path}`;
  if (!path.startsWith('/') || !URL.canParse(address) || new URL(address).host !== host)
    throw new NoAddressError('The message names no address from which its file could be downloaded.');
  return address;
}

function pathOf({ pathname, search }: URL): string {
  return pathname + search;
}
