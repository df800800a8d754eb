import { createDecipheriv, createHash } from 'node:crypto';
import { DEFAULT_ORIGIN, getMediaKeys, toNumber } from '@whiskeysockets/baileys';
import { LARGEST_MEDIA_SIZE, pause } from '@trunkline/core/spi/gateway';
import type { Clock } from '@trunkline/core/spi/gateway';
import type { MediaContent, MediaSource } from './message-content.ts';

const TRIES = 4;
const RETRY_AFTER_MS = 1_000;
const BLOCK = 16;
/** What follows the ciphertext. */
const MAC_LENGTH = 10;

/** What a download needs of the connection that the message came over. */
export interface MediaNetwork {
  readonly clock: Clock;
  /** The media host that the network names: never the one that the sender names. */
  host(): Promise<string>;
  /** Asks the sender's phone to upload the file again, which changes where its source says it is. */
  requestUpload(): Promise<void>;
}

/**
 * Downloads and decrypts a file as it is read. A download that breaks off is taken up again where it was; one that the
 * host has no more is asked for again at the sender's phone. Ends with an error where the bytes are not those that were sent.
 */
export function downloadMedia(media: MediaContent, network: MediaNetwork): ReadableStream<Uint8Array> {
  const cancelled = new AbortController();
  const bytes = checked(media.source, retried(media, network, cancelled.signal));
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // The request first: a generator that waits for a host that is silent does not return.
      async cancel(reason) {
        cancelled.abort(reason);
        await bytes.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Passes a file on, and fails at its end where its digest is another than the sender's. */
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

async function* retried(
  media: MediaContent,
  network: MediaNetwork,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for (let tries = 1; ; tries += 1) {
    let position = 0;
    try {
      for await (const chunk of decrypted(media, await network.host(), signal)) {
        const fresh = chunk.subarray(Math.max(0, passed - position));
        position += chunk.length;
        if (fresh.length === 0) continue;
        passed += fresh.length;
        yield fresh;
      }
      return;
    } catch (error) {
      if (tries === TRIES || signal.aborted) throw error;
      if (error instanceof MediaGoneError) await network.requestUpload();
      else await pause(network.clock, RETRY_AFTER_MS * tries);
    }
  }
}

class MediaGoneError extends Error {}

async function* decrypted(
  { source, keyType }: MediaContent,
  host: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { iv, cipherKey } = await getMediaKeys(source.mediaKey, keyType);
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of encrypted(addressOf(source, host), signal)) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % BLOCK);
    rest = bytes.subarray(whole);
    yield decipher.update(bytes.subarray(0, whole));
  }
  if (rest.length !== MAC_LENGTH) throw new Error("The download from WhatsApp's media host broke off.");
  yield decipher.final();
}

async function* encrypted(address: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  // A redirect would lead away from the network's own host, and perhaps into ours.
  const response = await fetch(address, { headers: { Origin: DEFAULT_ORIGIN }, redirect: 'error', signal });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    if (response.status === 404 || response.status === 410)
      throw new MediaGoneError(
        "The file is gone from WhatsApp's media host: only its sender can send it again.",
      );
    throw new Error(`WhatsApp's media host responded with HTTP ${response.status}.`);
  }
  yield* response.body;
}

/** The sender chooses the path alone: an address of its choice would be fetched from inside our network. */
function addressOf({ directPath, url }: MediaSource, host: string): string {
  const path = directPath || (url && URL.canParse(url) ? pathOf(new URL(url)) : '');
  const address = `https://${host}${path}`;
  if (!path.startsWith('/') || new URL(address).host !== host)
    throw new Error('The message names no address from which its file could be downloaded.');
  return address;
}

function pathOf({ pathname, search }: URL): string {
  return pathname + search;
}
