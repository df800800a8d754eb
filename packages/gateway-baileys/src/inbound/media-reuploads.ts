import { withDeadline } from '@trunkline/core/spi/gateway';
import type { Clock } from '@trunkline/core/spi/gateway';
import { decryptMediaRetryData, encryptMediaRetryRequest, proto } from '@whiskeysockets/baileys';
import type { BaileysEventMap, WASocket } from '@whiskeysockets/baileys';
import QuickLRU from 'quick-lru';
import type { MediaFile } from './media-file.ts';

/** How long the phone may take to upload a file again, which is less than core waits for the next byte of a file. */
const REUPLOAD_MS = 25_000;
/** How many recent requests are remembered, so that a later attempt can use a slow phone's response. */
const REMEMBERED = 1_000;

/** Asks the number's phone to upload files that the media hosts no longer have. */
export interface MediaReuploads {
  /** The path of the file after the phone has uploaded it again; null before that. */
  pathOf(file: MediaFile): string | null;
  /** Resolves when the phone has uploaded the file. Rejects if the phone does not have it, or does not respond. */
  request(file: MediaFile): Promise<void>;
}

interface Request {
  readonly mediaKey: Uint8Array;
  path: string | null;
  /** Settles the waiting downloads; null if no download waits. */
  waiting: PromiseWithResolvers<void> | null;
}

type Response = BaileysEventMap['messages.media-update'][number];

export function mediaReuploads(socket: WASocket, clock: Clock): MediaReuploads {
  const requests = new QuickLRU<string, Request>({ maxSize: REMEMBERED });

  const take = (response: Response): void => {
    const request = requests.get(response.key.id ?? '');
    if (!request) return;
    const { waiting } = request;
    request.waiting = null;
    try {
      request.path = readPath(response, request.mediaKey);
      waiting?.resolve();
    } catch (error) {
      waiting?.reject(error);
    }
  };

  const ask = (file: MediaFile, mediaKey: Uint8Array): PromiseWithResolvers<void> => {
    const { id = '' } = file.key;
    const waiting = Promise.withResolvers<void>();
    // The promise may reject while no download waits for it.
    waiting.promise.catch(() => undefined);
    const known = requests.get(id ?? '');
    requests.set(id ?? '', { mediaKey, path: known?.path ?? null, waiting });
    const me = socket.authState.creds.me?.id ?? '';
    socket.sendNode(encryptMediaRetryRequest(file.key, mediaKey, me)).catch(waiting.reject);
    return waiting;
  };

  socket.ev.on('messages.media-update', (responses) => responses.forEach(take));
  return {
    pathOf: ({ key }) => requests.get(key.id ?? '')?.path ?? null,
    async request(file) {
      const { mediaKey } = file.source;
      if (!mediaKey)
        throw new Error('The message has no key to its file, so the phone cannot be asked for it.');
      const waiting = requests.get(file.key.id ?? '')?.waiting ?? ask(file, mediaKey);
      const limit = { what: 'The upload of a file by the phone', ms: REUPLOAD_MS };
      await withDeadline(clock, limit, waiting.promise).catch((error: unknown) => {
        const request = requests.get(file.key.id ?? '');
        // Let the next attempt ask again.
        if (request?.waiting === waiting) request.waiting = null;
        throw error;
      });
    },
  };
}

const { SUCCESS, NOT_FOUND } = proto.MediaRetryNotification.ResultType;

/** Throws if the phone does not have the file, or its response cannot be read. */
function readPath({ key, media, error }: Response, mediaKey: Uint8Array): string {
  if (!media) throw error ?? new Error('The phone has not uploaded the file again, and does not say why.');
  const { result, directPath } = decryptMediaRetryData(media, mediaKey, key.id ?? '');
  if (result === NOT_FOUND)
    throw new Error(
      'Neither WhatsApp’s media hosts nor the phone have the file: its sender can send it again.',
    );
  if (result !== SUCCESS || !directPath)
    throw new Error(`The phone has not uploaded the file again (result ${result}).`);
  return directPath;
}
