import { randomBytes } from 'node:crypto';
import { link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a file for its owner alone, which appears whole and on disk or not at all, and never in the place of another one.
 * Throws what the system says: EEXIST if something is at the path, a link that leads nowhere too.
 */
export async function createWhole(path: string, content: string): Promise<void> {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await writeDurably(draft, content);
    await link(draft, path);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  await syncDirectory(dirname(path));
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

/** Makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
