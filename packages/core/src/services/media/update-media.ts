import type { Activity } from '../../ports/gateway.ts';
import { noMedia } from '../../ports/media-store.ts';
import type { ServiceContext } from '../context.ts';
import { FencedError } from '../instances/fenced-error.ts';
import { findTarget } from '../messages/find-target.ts';
import type { FileReceiving } from './file-lane.ts';
import { isKeptReference, pendingDownload } from './pending-downloads.ts';

/**
 * Queues the download of a better copy of a message's file, which will replace the file. Counts an update that cannot
 * be applied as skipped, for example if it is not by the author of the message.
 */
export async function updateMedia(
  context: ServiceContext,
  receiving: FileReceiving,
  update: Extract<Activity, { kind: 'media_update' }>,
): Promise<void> {
  const { storage, clock, metrics } = context;
  const { lease, files } = receiving;
  const target = await findTarget(context, receiving, update);
  const isFor =
    typeof target !== 'string' &&
    target.isByAuthor &&
    target.message.type === update.type &&
    target.message.deletedAt === null;
  if (!isFor) return metrics.skipped(`${target === 'unknown' ? target : 'forbidden'}_${update.kind}`);
  const { message } = target;
  const { reference, kind } = update;
  if (!isKeptReference(reference) || context.mediaStore === noMedia) return metrics.skipped(kind);
  // Wait for a download in flight, because its end would remove the row of this one, too.
  while (files.inFlight.has(message.id)) await files.inFlight.get(message.id);
  const now = clock.now();
  const download = await pendingDownload(context, message, { reference, tries: 0, dueAt: now, now });
  if (!download) return;
  if ((await storage.downloads.add(lease, download)) === 'fenced') throw new FencedError(lease.instanceId);
  files.lookAt(message.instanceId, now);
}
