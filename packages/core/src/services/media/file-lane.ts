import type { Pace } from '../../domain/instance/pace.ts';
import { downloadRetryDelay, FIRST_DOWNLOAD_MS } from '../../domain/message/download-retry.ts';
import type { Message } from '../../domain/message/message.ts';
import type { IncomingFile } from '../../ports/gateway.ts';
import type { PendingDownload } from '../../ports/storage/download-store.ts';
import type { LeasedInstance } from '../../ports/storage/lease-store.ts';
import { settledWithin } from '../../runtime/deadline.ts';
import type { ServiceContext } from '../context.ts';
import type { DownloadPlaces } from './download-places.ts';
import { receiveFile } from './incoming-files.ts';
import type { FileOutcome } from './incoming-files.ts';
import { isKeptReference, pendingDownload, recordDownload } from './pending-downloads.ts';
import { discardUpload } from './uploads.ts';
import type { StoredUpload } from './uploads.ts';

/**
 * Coordinates the downloads of this process, so that messages that wait for their files do not delay other work.
 */
export interface FileLane {
  /**
   * Places for the first download of each file. Later downloads have separate places, so that they do not
   * delay new files.
   */
  readonly places: DownloadPlaces;
  /** The downloads for stored messages, by message id, until their outcome is recorded. */
  readonly inFlight: Map<string, Promise<void>>;
  /** Registers work on files that a stopping process has to wait for. */
  track<Value>(work: Promise<Value>): Promise<Value>;
  /** Schedules a check of an instance's pending downloads for the time `at`. */
  lookAt(instanceId: string, at: number): void;
}

/** An instance whose messages this process receives. */
export interface FileReceiving extends LeasedInstance {
  readonly pace: Pace;
  readonly files: FileLane;
  /**
   * Throws if the connection that reported the message has ended, because the next connection reports the
   * message again.
   */
  readonly checkCurrent: () => void;
  /** Aborted when this process stops receiving for the instance. */
  readonly signal: AbortSignal;
}

/** The file to store with a message, or its later download. Both are null if the file will never come. */
export interface ArrivedFile {
  readonly upload: StoredUpload | null;
  readonly download: PendingDownload | null;
}

/** A message that has arrived, and waits for its file. */
interface FileArrival {
  readonly id: string;
  readonly networkId: string;
  readonly file: IncomingFile;
  /**
   * Whether the message was already stored. Checked before a download, to avoid a needless one; `store` checks
   * again.
   */
  readonly isStored: () => Promise<boolean>;
  /** Returns the message, or null if it was stored already. */
  readonly store: (file: ArrivedFile) => Promise<Message | null>;
}

type FirstOutcome = FileOutcome | { readonly kind: 'repeat' } | { readonly kind: 'no_place' };

/**
 * Downloads the file of a message and stores the message with the file, or without it if the file is late, refused or
 * unavailable.
 */
export async function receiveWithFile(
  context: ServiceContext,
  receiving: FileReceiving,
  arrival: FileArrival,
): Promise<void> {
  const { reference } = arrival.file;
  if (isKeptReference(reference)) return receiveInTime(context, receiving, { ...arrival, reference });
  // The file cannot be requested again, so wait for this one download.
  const { signal } = receiving;
  const turn = { line: signal, signal };
  const outcome = await receiving.files.track(firstDownload(context, receiving, arrival, turn));
  await storeWith(context, receiving, arrival, outcome);
}

/**
 * Stores the message when the download ends or, without the file, after `FIRST_DOWNLOAD_MS`. Records a longer
 * download when it ends.
 */
async function receiveInTime(
  context: ServiceContext,
  receiving: FileReceiving,
  arrival: FileArrival & { readonly reference: Uint8Array },
): Promise<void> {
  const { clock, logger } = context;
  const { lease, files, instance } = receiving;
  const ended = new AbortController();
  const late = new AbortController();
  const signal = AbortSignal.any([receiving.signal, ended.signal]);
  let hasBegun = false;
  const turn: Turn = {
    line: AbortSignal.any([signal, late.signal]),
    signal,
    begun: () => (hasBegun = true),
  };
  const downloading = files.track(firstDownload(context, receiving, arrival, turn));
  if (await settledWithin(clock, FIRST_DOWNLOAD_MS, downloading))
    return storeWith(context, receiving, arrival, await downloading);

  // A file still waiting for its first download gives up its turn, and becomes a later download.
  late.abort();
  const now = clock.now();
  const storing = (async () => {
    receiving.checkCurrent();
    const dueAt = hasBegun ? now + downloadRetryDelay(1) : now;
    const { id, reference } = arrival;
    const download = await pendingDownload(context, messageOf(receiving, id), {
      reference,
      tries: 0,
      dueAt,
      now,
    });
    const message = await arrival.store({ upload: null, download });
    return message && download && { message, pending: download };
  })();
  const afterwards = async (): Promise<void> => {
    const stored = await storing.catch(() => null);
    if (!stored) ended.abort(new Error('The message of this file is not waiting for it.'));
    const outcome = await downloading.catch(() => null);
    if (!outcome || outcome.kind === 'repeat' || outcome.kind === 'no_place') return;
    if (stored) await recordDownload(context, { lease, ...stored, signal: receiving.signal }, outcome);
    else if (outcome.kind === 'stored') await discardUpload(context, outcome.upload);
  };
  // Added before the row exists, so that no other download of the file begins.
  files.inFlight.set(
    arrival.id,
    afterwards()
      .catch((error: unknown) =>
        logUnrecorded(context, { instanceId: instance.id, messageId: arrival.id }, error),
      )
      .finally(() => {
        files.inFlight.delete(arrival.id);
        files.lookAt(instance.id, clock.now());
      }),
  );
  if (await storing)
    logger.warn(
      { instanceId: instance.id, messageId: arrival.id, networkId: arrival.networkId },
      NOT_IN_TIME,
    );
}

const NOT_IN_TIME =
  'the file of a received message did not come in time: the message is stored without it, and the file is asked for again for 24 hours; if this repeats, check that this machine reaches the network’s media hosts';

/**
 * Logs that a download's outcome could not be recorded. Its row is unchanged, so the file is downloaded
 * again.
 */
export function logUnrecorded(
  { logger }: ServiceContext,
  facts: { readonly instanceId: string; readonly messageId: string },
  error: unknown,
): void {
  logger.warn(
    { ...facts, err: error },
    'the outcome of the download of a received file could not be recorded, and the file is downloaded again later: check the database',
  );
}

interface Turn {
  /** Aborted to end the wait for a place. */
  readonly line: AbortSignal;
  readonly signal: AbortSignal;
  readonly begun?: () => void;
}

async function firstDownload(
  context: ServiceContext,
  { instance, files, checkCurrent }: FileReceiving,
  { id: contentId, file, isStored }: FileArrival,
  { line, signal, begun }: Turn,
): Promise<FirstOutcome> {
  const release = await files.places.take(instance.id, line);
  signal.throwIfAborted();
  if (!release) return { kind: 'no_place' };
  try {
    begun?.();
    checkCurrent();
    if (await isStored()) return { kind: 'repeat' };
    const isRetriable = isKeptReference(file.reference);
    const arrival = { contentId, open: () => file.open(), described: file, isRetriable };
    return await receiveFile(context, arrival, signal);
  } finally {
    release();
  }
}

/** Stores the message according to the outcome of its download. Rejects if the file could not be stored here. */
async function storeWith(
  context: ServiceContext,
  receiving: FileReceiving,
  arrival: FileArrival,
  outcome: FirstOutcome,
): Promise<void> {
  const { logger, metrics } = context;
  const facts = { instanceId: receiving.instance.id, networkId: arrival.networkId };
  switch (outcome.kind) {
    case 'repeat':
    case 'no_place':
      return;
    case 'stored':
      if (await arrival.store({ upload: outcome.upload, download: null })) metrics.fileReceived('in_time');
      return;
    case 'refused':
      logger.warn(
        { ...facts, code: outcome.code },
        'the file of a received message was refused, for the reason in code: the message is stored without it',
      );
      await arrival.store({ upload: null, download: null });
      return;
    case 'not_kept':
      logger.error({ ...facts, err: outcome.error }, NOT_STORED);
      throw outcome.error;
    case 'unavailable':
      return storeUnavailable(context, receiving, arrival, outcome.error);
  }
}

const NOT_STORED =
  'the file of a received message could not be stored, so the message is not acknowledged and the network delivers it again: restore the media store; err says what it lacks';

async function storeUnavailable(
  context: ServiceContext,
  receiving: FileReceiving,
  { id, networkId, file: { reference }, store }: FileArrival,
  error: unknown,
): Promise<void> {
  const { logger, clock } = context;
  const { instance, files } = receiving;
  const facts = { instanceId: instance.id, networkId, err: error };
  if (!isKeptReference(reference)) {
    logger.warn(
      facts,
      'the network did not deliver the file of a received message: the message is stored without it, and only its sender can send the file again',
    );
    await store({ upload: null, download: null });
    return;
  }
  const now = clock.now();
  const dueAt = now + downloadRetryDelay(1);
  const download = await pendingDownload(context, messageOf(receiving, id), {
    reference,
    tries: 1,
    dueAt,
    now,
  });
  if (!(await store({ upload: null, download })) || !download) return;
  logger.warn({ ...facts, messageId: id }, NOT_IN_TIME);
  files.lookAt(instance.id, dueAt);
}

function messageOf(
  { instance }: LeasedInstance,
  id: string,
): Pick<Message, 'id' | 'workspaceId' | 'instanceId'> {
  return { id, workspaceId: instance.workspaceId, instanceId: instance.id };
}
