import { randomBytes } from 'node:crypto';
import { open, readdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nameDraft } from './name-draft.ts';
import { errorCode } from '../errors/start-error.ts';

/** The maximum number of drafts to try, because other processes that create the same file may remove some. */
const TRIES = 10;

/**
 * Creates a file, readable only by its owner, that appears whole and on disk or not at all, and never replaces another
 * file. Removes drafts left by killed processes. Throws the system's error: EEXIST if something is at the path,
 * including a broken link.
 */
export async function createWhole(path: string, content: string): Promise<void> {
  await removeDrafts(path);
  for (let tried = 1; ; tried += 1) {
    const draft = `${path}.${randomBytes(8).toString('hex')}.part`;
    try {
      await writeDurably(draft, content);
      await nameDraft(draft, path);
      break;
    } catch (error) {
      // Another process took the draft for that of a killed process, and removed it. Each process removes drafts only
      // once, before it writes its own.
      if (errorCode(error) !== 'ENOENT' || tried === TRIES) throw error;
    } finally {
      await unlink(draft).catch(() => undefined);
    }
  }
  await syncDirectory(dirname(path));
}

/**
 * Removes the drafts of processes that were killed while creating the file, because a draft may hold the whole content.
 * A process whose draft is removed while in use creates it again.
 */
export async function removeDrafts(path: string): Promise<void> {
  const [directory, name] = [dirname(path), `${basename(path)}.`];
  const found = await readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const draft of found)
    if (draft.startsWith(name) && /^[0-9a-f]{16}\.part$/.test(draft.slice(name.length)))
      await unlink(join(directory, draft)).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error;
      });
}

async function writeDurably(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names of a directory's files durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
