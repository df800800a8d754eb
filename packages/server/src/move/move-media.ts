import { createHash } from 'node:crypto';
import type { MediaStore } from '@trunkline/core';
import type { MovableDatabase, MoveCursor } from '@trunkline/storage-kit';

const PAGE = 200;
const AT_THE_SAME_TIME = 8;

export interface MovedMedia {
  readonly files: number;
  readonly bytes: number;
  /** The number of files that messages name but the source does not have. */
  readonly missing: number;
}

interface MoveMediaOptions {
  readonly database: MovableDatabase;
  readonly from: MediaStore;
  readonly to: MediaStore;
  readonly signal: AbortSignal;
  onProgress(moved: MovedMedia): void;
}

/**
 * Copies the files of all messages, and compares each copy with its original by SHA-256. Files that already exist are
 * only compared, so that an interrupted copy can be continued.
 */
export async function moveMedia({
  database,
  from,
  to,
  signal,
  onProgress,
}: MoveMediaOptions): Promise<MovedMedia> {
  let moved: MovedMedia = { files: 0, bytes: 0, missing: 0 };
  let cursor: MoveCursor | null = null;
  do {
    const page = await database.read('contents', cursor, PAGE);
    // A file without an instance belongs to no message, and is about to be deleted.
    const ids = page.rows.flatMap((row) => (row['instance_id'] === null ? [] : [String(row['message_id'])]));
    for (let first = 0; first < ids.length; first += AT_THE_SAME_TIME) {
      signal.throwIfAborted();
      const some = ids.slice(first, first + AT_THE_SAME_TIME);
      const sizes = await Promise.all(some.map((id) => moveFile(id, from, to)));
      for (const size of sizes)
        moved =
          size === null
            ? { ...moved, missing: moved.missing + 1 }
            : { ...moved, files: moved.files + 1, bytes: moved.bytes + size };
      onProgress(moved);
    }
    cursor = page.next;
  } while (cursor !== null);
  return moved;
}

/** Returns the file's size; null if the file is missing. */
async function moveFile(id: string, from: MediaStore, to: MediaStore): Promise<number | null> {
  const size = await from.size(id);
  const content = size === null ? null : await from.get(id);
  if (size === null || content === null) return null;
  if ((await to.size(id)) === size) await content.cancel();
  else await to.put(id, content);
  const [original, copy] = await Promise.all([digestOf(from, id), digestOf(to, id)]);
  if (original !== copy)
    throw new Error(
      `The file ${id} is another one at the place that files are moved to: empty that place, or name another one with --media-to.`,
    );
  return size;
}

/** Null if the file is missing. */
async function digestOf(store: MediaStore, id: string): Promise<string | null> {
  const content = await store.get(id);
  if (!content) return null;
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}
