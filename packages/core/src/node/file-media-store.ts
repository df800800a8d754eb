import { constants, createReadStream } from 'node:fs';
import type { Dirent } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { checkOptionNames } from '@trunkline/option-names';
import { checkMediaId } from '../domain/message/media-rules.ts';
import type { MediaPage, MediaPageRequest, MediaStore } from '../ports/media-store.ts';
import { UnavailableError } from '../ports/unavailable-error.ts';

/** The options of `fileMediaStore`. */
export interface FileMediaStoreOptions {
  /** The directory for the files. It is created for the first file, and only this user can read it. */
  readonly directory: string;
}

/**
 * Keeps media in a directory: one file per id, in folders named after the end of the id so that no folder
 * grows large. A file has its final name only when all of it is on disk. Several processes of one service may
 * share the directory, but two services must not, because each deletes the files that its database does not
 * name.
 */
export function fileMediaStore(options: FileMediaStoreOptions): MediaStore {
  checkOptionNames('fileMediaStore', options, { directory: true });
  const { directory } = options;
  if (typeof directory !== 'string' || directory === '') {
    throw new TypeError('fileMediaStore: the option "directory" is missing. Give the path of a directory.');
  }
  // Resolve now, because a later change of the working directory must not move the store.
  const root = resolve(directory);
  const pathOf = (id: string): string => join(root, checkMediaId(id).slice(-2), id);
  const remove = async (path: string): Promise<void> => {
    // A process that died while writing leaves this file.
    await rm(unfinished(path), { force: true });
    await rm(path, { force: true });
  };

  return {
    async put(id, content) {
      const path = pathOf(id);
      try {
        await written(root, () => makeDirectory(dirname(path)));
        const size = await writeDurably(root, unfinished(path), content);
        await written(root, () => rename(unfinished(path), path));
        await written(root, () => syncDirectory(dirname(path)));
        return size;
      } catch (error) {
        // If the cleanup also fails, a later delete removes the file. Report the first error.
        await remove(path).catch(() => undefined);
        throw error;
      }
    },
    async size(id) {
      try {
        const found = await lstat(pathOf(id));
        return found.isFile() ? found.size : null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async get(id, range) {
      const path = pathOf(id);
      try {
        const file = await open(path, READ);
        const stream = createReadStream(path, { fd: file, ...range });
        // The file's own buffer is enough. Data read ahead would be held for each client that stops reading.
        // The cast is safe: the two declarations of web streams differ in name only.
        return Readable.toWeb(stream, { strategy: { highWaterMark: 0 } }) as ReadableStream<Uint8Array>;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    delete: async (id) => remove(pathOf(id)),
    list: (request) => listPage(root, request),
  };
}

/**
 * Lists ids in the order of the folders, then of the ids. A folder is read as a whole, because with a
 * thousand folders each is small.
 */
async function listPage(root: string, { after, limit }: MediaPageRequest): Promise<MediaPage> {
  const last = after ?? '';
  const lastFolder = last.slice(-2);
  const folders = (await entriesOf(root))
    .filter((entry) => entry.isDirectory() && FOLDER.test(entry.name) && entry.name >= lastFolder)
    .map(({ name }) => name)
    .toSorted();
  const ids: string[] = [];
  // Empty folders count too, so that the work of a page is bounded.
  for (const folder of folders.slice(0, limit)) {
    const left = (await idsIn(root, folder)).filter((id) => folder > lastFolder || id > last);
    ids.push(...left.slice(0, limit - ids.length));
    if (ids.length === limit) return { ids, next: ids.at(-1) ?? null };
  }
  // Continue after the last folder read, because the tilde sorts after every id of that folder.
  return { ids, next: folders.length > limit ? `~${folders[limit - 1]}` : null };
}

/**
 * Returns the sorted ids of the files in a folder, including unfinished files. Files with other names are not
 * the store's.
 */
async function idsIn(root: string, folder: string): Promise<readonly string[]> {
  const files = (await entriesOf(join(root, folder))).filter((entry) => entry.isFile());
  const ids = new Set(files.map(({ name }) => name.replace(UNFINISHED, '')));
  return [...ids].filter((id) => MEDIA_ID.test(id) && id.endsWith(folder)).toSorted();
}

/** Lists a directory; empty if there is no such directory. */
async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const FOLDER = /^\w\w$/;
const UNFINISHED = /\.part$/;
const MEDIA_ID = /^\w{3,64}$/;

/** Does not follow links, which could lead to any file of the machine. Windows has no such flag. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

function unfinished(path: string): string {
  return `${path}.part`;
}

async function writeDurably(
  root: string,
  path: string,
  content: ReadableStream<Uint8Array>,
): Promise<number> {
  const file = await written(root, () => open(path, 'w', 0o600));
  let size = 0;
  try {
    for await (const chunk of content) {
      await written(root, () => file.writeFile(chunk));
      size += chunk.byteLength;
    }
    await written(root, () => file.sync());
  } finally {
    await file.close();
  }
  return size;
}

/** Adds the directory and a remedy to errors of the file system. Errors of the content pass unchanged. */
async function written<Result>(root: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException; // safe: node:fs rejects with nothing else
    const what = `The media directory ${root} cannot be written (${code}): ${REMEDY[code] ?? 'check its disk'}.`;
    throw Object.assign(new UnavailableError(what, { cause }), { code });
  }
}

const REMEDY: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full, so make room on it',
  EDQUOT: 'the quota of this user is used up, so raise it or make room',
  EROFS: 'its file system is read-only, so mount it for writing',
  EACCES: 'let the user of this process write there',
  EPERM: 'let the user of this process write there',
  EMFILE: 'this process has too many files open, so raise its limit (ulimit -n)',
};

/** Creates the directory and its missing parents, and makes each durable. */
async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

/** Makes the directory's entries durable. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** A link (`ELOOP`) counts as missing. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP');
}
