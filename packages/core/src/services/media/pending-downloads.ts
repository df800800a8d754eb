import {
  DOWNLOAD_GIVEN_UP_MS,
  downloadRetryDelay,
  MAX_PENDING_DOWNLOADS,
  MAX_REFERENCE_BYTES,
} from '../../domain/message/download-retry.ts';
import { asMediaType } from '../../domain/message/media-rules.ts';
import { contentIdOf } from '../../domain/message/message.ts';
import type { Message } from '../../domain/message/message.ts';
import type { PendingDownload } from '../../ports/storage/download-store.ts';
import type { Lease } from '../../ports/storage/lease.ts';
import { keepTrying } from '../../runtime/retry.ts';
import { messageResource } from '../../resources/message.ts';
import type { ServiceContext } from '../context.ts';
import { referencePurpose } from '../sealer.ts';
import type { FileOutcome } from './incoming-files.ts';
import { completedMedia } from './inbound-media.ts';
import { discardUnlessTaken, discardUpload } from './uploads.ts';
import type { StoredUpload } from './uploads.ts';

// A file that is late is requested again until it comes or is given up. Only its row in the storage has to
// survive, because whichever process holds the instance continues from that row.

/** How long to retry recording a file; the network may deliver the file only once. */
const COMPLETE_FOR_MS = 10 * 60_000;
const COMPLETE_AGAIN_MS = 1_000;

/** Whether the gateway gave a reference to the file that is short enough to store. */
export function isKeptReference(reference: Uint8Array | undefined): reference is Uint8Array {
  return reference !== undefined && reference.length <= MAX_REFERENCE_BYTES;
}

interface DownloadPlan {
  readonly reference: Uint8Array;
  readonly tries: number;
  readonly dueAt: number;
  readonly now: number;
}

/**
 * The download of a message's file, for the caller to store. Null if the instance already waits for too many
 * files.
 */
export async function pendingDownload(
  { storage, sealer, logger }: ServiceContext,
  { id: messageId, workspaceId, instanceId }: Pick<Message, 'id' | 'workspaceId' | 'instanceId'>,
  { reference, tries, dueAt, now }: DownloadPlan,
): Promise<PendingDownload | null> {
  if (await storage.downloads.isFull(instanceId, MAX_PENDING_DOWNLOADS)) {
    logger.warn(
      { instanceId, messageId, limit: MAX_PENDING_DOWNLOADS },
      'an instance waits for so many files already that the file of another received message is given up: only its sender can send it again; check that this machine reaches the network’s media hosts',
    );
    return null;
  }
  return {
    messageId,
    workspaceId,
    instanceId,
    sealedReference: sealer.seal(reference, referencePurpose(messageId)),
    tries,
    dueAt,
    expiresAt: now + DOWNLOAD_GIVEN_UP_MS,
  };
}

interface Ended {
  readonly lease: Lease;
  readonly pending: PendingDownload;
  readonly message: Message;
  /** Aborted when this process stops working for the instance. */
  readonly signal: AbortSignal;
}

/**
 * Records the outcome of a pending download: the file becomes part of its message, is requested again later,
 * or is given up. An outcome is never recorded twice: if the file has come by another download, or another
 * process holds the instance, the stored file is discarded.
 */
export async function recordDownload(
  context: ServiceContext,
  ended: Ended,
  outcome: FileOutcome,
): Promise<void> {
  const { logger } = context;
  const { pending } = ended;
  const facts = { instanceId: pending.instanceId, messageId: pending.messageId };
  switch (outcome.kind) {
    case 'stored':
      return complete(context, ended, outcome.upload);
    case 'refused':
      if (await context.storage.downloads.remove(pending.instanceId, pending.messageId))
        logger.warn(
          { ...facts, code: outcome.code },
          'the file of a received message came late and was refused, for the reason in code: the message stays as it is',
        );
      return;
    case 'not_kept':
      logger.error(
        { ...facts, err: outcome.error },
        'the file of a received message came late and could not be stored; the gateway requests it again later: restore the media store; err says what it lacks',
      );
      return askAgain(context, ended, outcome.error);
    case 'unavailable':
      logger.debug(
        { ...facts, err: outcome.error, tries: pending.tries + 1 },
        'the file of a received message is still not available; the gateway requests it again later',
      );
      return askAgain(context, ended, outcome.error);
  }
}

async function complete(
  context: ServiceContext,
  { lease, pending, message, signal }: Ended,
  upload: StoredUpload,
): Promise<void> {
  const type = asMediaType(message.type);
  if (type === null || message.media === null) return discardUpload(context, upload);
  const media = completedMedia(message, { type, media: message.media }, upload);
  // The network sent the same file again.
  if (message.media.available && message.media.sha256 === media.sha256) {
    await context.storage.downloads.remove(pending.instanceId, pending.messageId);
    return discardUpload(context, upload);
  }
  const whole = { ...message, media };
  const event = context.newEvent({
    type: message.media.available ? 'message.media_updated' : 'message.media_available',
    workspaceId: message.workspaceId,
    data: { message: messageResource(whole) },
    now: context.clock.now(),
  });
  // If this throws, the file may or may not be part of its message. Keep the file, which a sweep deletes if
  // no message has it.
  const completed = await keepTrying(
    context.clock,
    {
      until: context.clock.now() + COMPLETE_FOR_MS,
      everyMs: COMPLETE_AGAIN_MS,
      isFinal: () => signal.aborted,
    },
    () => context.storage.downloads.complete(lease, { message: whole, event }),
  );
  if (completed !== 'completed') return discardUnlessTaken(context, message, upload);
  if (message.media.available) await discardUpload(context, { contentId: contentIdOf(message) });
  context.metrics.fileReceived('late');
  context.logger.debug(
    { instanceId: pending.instanceId, messageId: pending.messageId, tries: pending.tries },
    'the file of a received message has come late, and is available now',
  );
}

async function askAgain(context: ServiceContext, { lease, pending }: Ended, error: unknown): Promise<void> {
  const tries = pending.tries + 1;
  const dueAt = context.clock.now() + downloadRetryDelay(tries);
  if (dueAt >= pending.expiresAt) return giveUpDownload(context, { ...pending, tries }, error);
  // If another process holds the instance, that process asks again.
  await context.storage.downloads.postpone(lease, { messageId: pending.messageId, tries, dueAt });
}

/** Gives up a file that has not come for a day, and logs that once, with the last error, if any. */
export async function giveUpDownload(
  { storage, logger, metrics }: ServiceContext,
  { instanceId, messageId, tries }: PendingDownload,
  error?: unknown,
): Promise<void> {
  if (!(await storage.downloads.remove(instanceId, messageId))) return;
  metrics.fileReceived('given_up');
  logger.warn(
    { instanceId, messageId, tries, ...(error !== undefined && { err: error }) },
    'the file of a received message did not come for 24 hours and is given up: the message stays as it is; ask its sender to send it again',
  );
}
