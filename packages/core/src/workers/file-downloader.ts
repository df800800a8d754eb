import { latestDownload } from '../domain/message/download-retry.ts';
import type { Message, MessageMedia } from '../domain/message/message.ts';
import { noMedia } from '../ports/media-store.ts';
import type { PendingDownload } from '../ports/storage/download-store.ts';
import { settledWithin } from '../runtime/deadline.ts';
import { createLoop } from '../runtime/loop.ts';
import type { PassResult } from '../runtime/loop.ts';
import type { ServiceContext } from '../services/context.ts';
import { createDownloadPlaces } from '../services/media/download-places.ts';
import type { Release } from '../services/media/download-places.ts';
import { logUnrecorded } from '../services/media/file-lane.ts';
import type { FileLane } from '../services/media/file-lane.ts';
import { receiveFile } from '../services/media/incoming-files.ts';
import type { FileOutcome } from '../services/media/incoming-files.ts';
import { giveUpDownload, recordDownload } from '../services/media/pending-downloads.ts';
import { referencePurpose } from '../services/sealer.ts';
import type { OpenConnection, OpenConnections } from './connections.ts';

/** Limits of concurrent downloads of files whose messages wait for them. */
const FIRST_PLACES = { ofProcess: 64, ofInstance: 8 };
/** Limits of concurrent downloads of files whose messages are already stored. */
const LATER_PLACES = { ofProcess: 32, ofInstance: 4 };
/**
 * How often all connected instances are looked at. This is a fallback: the process that holds an instance knows when
 * its next download is due, unless a write failed but took effect.
 */
const LOOK_AT_ALL_MS = 5 * 60_000;
/** An instance whose downloads could not be read or written is looked at again after this time. */
const AGAIN_MS = 60_000;
/** Instances per query. */
const CHUNK = 5_000;
/**
 * The number of downloads read per instance: more than can be in flight, so that the batch includes others.
 */
const BATCH = 2 * (FIRST_PLACES.ofInstance + LATER_PLACES.ofInstance);

export interface FileDownloader {
  readonly lane: FileLane;
  start(): void;
  /** Looks at an instance whose connection has opened, because its files can be requested now. */
  wake(instanceId: string): void;
  /** Aborts downloads of files whose messages are stored, and begins no more. */
  stop(timeoutMs: number): Promise<void>;
  /** Resolves when all downloads have ended, or after `timeoutMs`. */
  completed(timeoutMs: number): Promise<void>;
}

/** Downloads the files that did not come with their messages, for instances whose connection is open here. */
export function createFileDownloader(context: ServiceContext, connections: OpenConnections): FileDownloader {
  const { storage, clock, logger } = context;
  const places = createDownloadPlaces(LATER_PLACES);
  const inFlight = new Map<string, Promise<void>>();
  /** Downloads of files whose messages are not stored yet. */
  const first = new Set<Promise<unknown>>();
  /** When to look at the downloads of an instance. */
  const looks = new Map<string, number>();
  /** Instances with a due download for which there was no place. */
  const starved = new Set<string>();
  /** Downloads that were recorded: if the storage still lists one unchanged, it is not repeated before `until`. */
  const recorded = new Map<string, Pick<PendingDownload, 'tries' | 'dueAt'> & { readonly until: number }>();
  let stopping = new AbortController();
  let lookAtAllAt = 0;

  const note = (instanceId: string, at: number): void => {
    looks.set(instanceId, Math.min(at, looks.get(instanceId) ?? Infinity));
  };

  const lookAt = (instanceId: string, at: number): void => {
    note(instanceId, at);
    loop.wake();
  };

  const pass = async (): Promise<PassResult> => {
    const now = clock.now();
    for (const [id, { until }] of recorded) if (until <= now || until > now + AGAIN_MS) recorded.delete(id);
    if (now >= lookAtAllAt || lookAtAllAt > now + LOOK_AT_ALL_MS) {
      lookAtAllAt = now + LOOK_AT_ALL_MS;
      for (const id of connections.ids()) note(id, now);
    }
    const due = [...looks].flatMap(([id, at]) => (at <= now ? [id] : []));
    for (let first = 0; first < due.length && !stopping.signal.aborted; first += CHUNK)
      await look(due.slice(first, first + CHUNK), now);
    // Take starved instances in the order in which they were added, and no more than there are places.
    while (places.free() > 0 && starved.size > 0 && !stopping.signal.aborted)
      await look([...starved].slice(0, places.free()), now);
    return { more: false, nextAt: Math.min(lookAtAllAt, ...looks.values()) };
  };

  const look = async (ids: readonly string[], now: number): Promise<void> => {
    // Delete before the query, or a note during it is lost. An instance that is not connected is looked at when it
    // connects.
    for (const id of ids) {
      looks.delete(id);
      starved.delete(id);
    }
    const open = ids.filter((id) => connections.get(id) !== null);
    if (open.length === 0) return;
    const next = await storage.downloads.listNext(open, BATCH).catch((error: unknown) => {
      for (const id of open) note(id, now + AGAIN_MS);
      throw error;
    });
    for (const pending of next) {
      const { instanceId, messageId, tries, dueAt, expiresAt } = pending;
      if (inFlight.has(messageId)) continue;
      const before = recorded.get(messageId);
      if (before?.tries === tries && before.dueAt === dueAt) note(instanceId, before.until);
      else if (dueAt > now && dueAt <= latestDownload(now)) note(instanceId, dueAt);
      else if (expiresAt <= now) begin(pending, () => giveUpDownload(context, pending));
      else beginDownload(pending);
    }
  };

  const beginDownload = (pending: PendingDownload): void => {
    const release = places.tryTake(pending.instanceId);
    if (release) begin(pending, () => download(pending), release);
    // If the instance uses all its own places, the end of one of its downloads triggers a look.
    else if (places.free() === 0) starved.add(pending.instanceId);
  };

  const begin = (
    { instanceId, messageId }: PendingDownload,
    work: () => Promise<void>,
    release?: Release,
  ): void => {
    let again = 0;
    const ended = work()
      .catch((error: unknown) => {
        again = AGAIN_MS;
        if (!stopping.signal.aborted) logUnrecorded(context, { instanceId, messageId }, error);
      })
      .finally(() => {
        inFlight.delete(messageId);
        release?.();
        lookAt(instanceId, clock.now() + again);
      });
    inFlight.set(messageId, ended);
  };

  const download = async (pending: PendingDownload): Promise<void> => {
    const { workspaceId, instanceId, messageId } = pending;
    const open = connections.get(instanceId);
    if (!open) return;
    const message = await storage.messages.find(workspaceId, messageId);
    if (!isWaiting(message)) {
      await storage.downloads.remove(instanceId, messageId);
      return;
    }
    const outcome = await fetchFile(open, pending, message.media);
    // The connection failed, too, so the file is requested again on the next connection.
    if (outcome.kind === 'unavailable' && connections.get(instanceId)?.connection !== open.connection) return;
    await recordDownload(context, { lease: open.lease, pending, message, signal: stopping.signal }, outcome);
    const { tries, dueAt } = pending;
    recorded.set(messageId, { tries, dueAt, until: clock.now() + AGAIN_MS });
  };

  const fetchFile = async (
    { connection }: OpenConnection,
    pending: PendingDownload,
    described: MessageMedia,
  ): Promise<FileOutcome> => {
    const { messageId, sealedReference } = pending;
    // Use a new id, because a process that lost its lease may still write the same file.
    const contentId = context.newId('upl', clock.now());
    const openFile = async (): Promise<ReadableStream<Uint8Array>> => {
      if (!connection.openFile) throw new Error('The gateway downloads no files by their references.');
      return connection.openFile(context.sealer.open(sealedReference, referencePurpose(messageId)));
    };
    const arrival = { contentId, open: openFile, described, isRetriable: true };
    return receiveFile(context, arrival, stopping.signal);
  };

  const track = <Value>(work: Promise<Value>): Promise<Value> => {
    const settled = work.catch(() => undefined).finally(() => first.delete(settled));
    first.add(settled);
    return work;
  };

  const loop = createLoop({
    name: 'file downloader',
    clock,
    logger,
    everyMs: LOOK_AT_ALL_MS,
    pass,
  });

  return {
    lane: { places: createDownloadPlaces(FIRST_PLACES), inFlight, track, lookAt },
    start() {
      stopping = new AbortController();
      // Without a media store, the files are left to processes that have one.
      if (context.mediaStore !== noMedia) loop.start();
    },
    wake: (instanceId) => lookAt(instanceId, clock.now()),
    async stop(timeoutMs) {
      stopping.abort(new Error('The process stops: the file is downloaded after its next start.'));
      await settledWithin(clock, timeoutMs, loop.stop());
    },
    async completed(timeoutMs) {
      const all = [...first, ...inFlight.values()];
      await settledWithin(clock, timeoutMs, Promise.allSettled(all));
    },
  };
}

/** Whether a message exists, is not deleted, and has a file, stored or not. */
function isWaiting(message: Message | null): message is Message & { readonly media: MessageMedia } {
  return message !== null && message.media !== null && message.deletedAt === null;
}
