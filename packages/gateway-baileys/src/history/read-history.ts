import type { Clock } from '@trunkline/core/spi/gateway';
import { downloadMedia } from '../inbound/media-download.ts';
import type { MediaNetwork } from '../inbound/media-network.ts';
import { storeSalt, storeTokens } from '../session/privacy-tokens.ts';
import type { SessionValues } from '../session/session-values.ts';
import type { Pauses } from '../socket/socket-life.ts';
import { readHistory } from './history-content.ts';
import type { HistoryPart, PendingHistory } from './pending-history.ts';

/** How long the phone may take after a link to send the first part of the history, and messages wait for it. */
const EXPECTED_MS = 20_000;
/** The waits before a part that could not be read is tried again. Then it is given up. */
const RETRIES_MS: readonly number[] = [10_000, 60_000, 600_000];

interface HistoryReading {
  readonly pending: PendingHistory;
  readonly values: SessionValues;
  readonly media: MediaNetwork;
  readonly clock: Clock;
  /** Waits that end with the connection. */
  readonly pauses: Pauses;
  readonly link: NewLink;
  /** Called with the last error of a part that is given up. */
  readonly failed: (error: unknown) => void;
}

export interface NewLink {
  /** When this process linked the number, by `clock.elapsed()`; null if its history has come, or is not expected. */
  linkedAt: number | null;
}

/** The reading of the history that a phone sends after it was linked. */
export interface HistoryReader {
  /** Reads the parts that are stored, and each part that comes. Called once the connection is open. */
  start(): void;
  /** Resolves when the history that is known or expected now has been read, or could not be, or takes too long. */
  settled(): Promise<void>;
}

export function historyReader(reading: HistoryReading): HistoryReader {
  const { pending, values, clock, pauses, link, failed } = reading;
  /** Resolves when the phone of a number that was just linked has sent the first part, or takes too long. */
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let isExpected = true;
  void begun.then(() => (isExpected = false));
  let waiting = 0;
  /** Parts are read one at a time, so that only one is in memory. */
  let turn: Promise<void> = Promise.resolve();

  const store = async ({ id, file }: HistoryPart): Promise<void> => {
    const bytes = whileOpen(bytesOf(file, reading.media));
    const { tokens, salt } = await readHistory(bytes, clock.now());
    if (salt) await storeSalt(values, salt);
    await storeTokens(values, tokens);
    await pending.erase(id);
  };

  async function* whileOpen(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      if (pauses.isOver()) throw new Error('The connection ended.');
      yield chunk;
    }
  }

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    waiting += 1;
    const done = turn.then(work).finally(() => {
      waiting -= 1;
      link.linkedAt = null;
      begin();
    });
    turn = done.catch(() => undefined);
    return done;
  };

  const read = async (part: HistoryPart): Promise<void> => {
    for (const retryMs of [...RETRIES_MS, null]) {
      try {
        return await inTurn(() => store(part));
      } catch (error) {
        if (pauses.isOver()) return;
        if (retryMs === null) {
          failed(error);
          await pending.erase(part.id);
        } else await pauses.pause(retryMs);
      }
      if (pauses.isOver()) return;
    }
  };

  return {
    start() {
      const expectedMs = link.linkedAt === null ? 0 : link.linkedAt + EXPECTED_MS - clock.elapsed();
      if (expectedMs > 0) void pauses.pause(expectedMs).then(begin);
      else begin();
      // If a write fails, the session breaks, which ends the connection.
      pending.listen((part) => void read(part).catch(() => undefined));
    },
    async settled() {
      if (isExpected || waiting > 0) await Promise.race([begun.then(() => turn), pauses.pause(EXPECTED_MS)]);
    },
  };
}

type HistoryFile = HistoryPart['file'];

function bytesOf(file: HistoryFile, media: MediaNetwork): AsyncIterable<Uint8Array> {
  const { initialHistBootstrapInlinePayload: inline } = file;
  if (inline?.length) return onlyChunk(inline);
  const source = {
    directPath: file.directPath ?? null,
    mediaKey: file.mediaKey ?? null,
    fileSha256: file.fileSha256 ?? null,
    fileLength: file.fileLength ?? null,
  };
  // A phone uploads a part only once.
  const reuploads = { pathOf: () => null, request: () => Promise.reject(new Error('The history is gone.')) };
  return downloadMedia({ key: {}, keyType: 'md-msg-hist', source }, { ...media, reuploads });
}

async function* onlyChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
