import { isId } from '../../domain/id.ts';
import type { ServiceContext } from '../context.ts';

const PAGE = 500;
/** The time between two walks through the media store. It is long, because unknown files are rare. */
const WALK_EVERY_MS = 24 * 60 * 60_000;

/**
 * Walks through the media store, a page per call, and reserves files that the storage does not know, as if
 * they were new uploads. They are swept a day later, unless the database is replaced with one that knows them.
 * Such files are left, for example, when the database is restored to an earlier time than the media store.
 */
export function createUnknownFileWalk(context: ServiceContext): () => Promise<void> {
  const { storage, mediaStore, clock, logger } = context;
  let after: string | null = null;
  let walkFrom = clock.elapsed();
  return async () => {
    if (!mediaStore.list || clock.elapsed() < walkFrom) return;
    const { ids, next } = await mediaStore.list({ after, limit: PAGE });
    // A file with another name does not belong to the service.
    const ours = ids.filter((id) => isId('msg', id) || isId('upl', id));
    const count = ours.length === 0 ? 0 : await storage.uploads.reserveUnknown(ours, clock.now());
    if (count > 0)
      logger.warn(
        { count },
        'the media store has files that the database does not name, as after the restore of an older database: they are deleted a day from now; stop the service before if the database is the wrong one',
      );
    after = next;
    if (next === null) walkFrom = clock.elapsed() + WALK_EVERY_MS;
  };
}
