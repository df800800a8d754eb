import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Storage } from '@trunkline/core/spi/storage';
import { aMessage, NOW } from '@trunkline/storage-contract/examples';
import { accept, sending, storeLeasedInstance } from '@trunkline/storage-contract/fixtures';
import { openStorage } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const SECRET = 'a-text-that-nobody-may-find';

/** How often the text occurs in the database, its log and the log's index. */
function found(path: string, text: string = SECRET): number {
  const files = ['', '-wal', '-shm'].map((end) => `${path}${end}`).filter((file) => existsSync(file));
  return files.reduce((sum, file) => sum + readFileSync(file, 'latin1').split(text).length - 1, 0);
}

/** Stores and changes messages, so that pages are split and rows move. Every tenth message is secret. */
async function fill(storage: Storage): Promise<{ readonly workspaceId: string; readonly ids: string[] }> {
  const { workspace, instance, lease } = await storeLeasedInstance(storage);
  const ids: string[] = [];
  for (let index = 0; index < 1_000; index += 1) {
    const isSecret = index % 10 === 0;
    const text = `${isSecret ? SECRET : 'ordinary'} ${'x'.repeat((index * 37) % 700)}`;
    const message = aMessage(instance, { createdAt: NOW + index, text });
    await accept(storage, message);
    await storage.messages.change(lease, sending(message));
    if (isSecret) ids.push(message.id);
  }
  return { workspaceId: workspace.id, ids };
}

async function erase(storage: Storage, { workspaceId, ids }: Awaited<ReturnType<typeof fill>>) {
  for (let first = 0; first < ids.length; first += 25)
    await storage.erasure.deleteMessages(workspaceId, {
      ids: ids.slice(first, first + 25),
      unfinished: 'deleted',
      limit: 100,
    });
}

describe('a purge', () => {
  it('leaves no byte of deleted rows, however they have moved', async () => {
    const path = join(temporaryDirectory(), 'test.db');
    const storage = await openStorage(path);
    const filled = await fill(storage);
    expect(found(path)).toBeGreaterThan(100);
    await erase(storage, filled);
    expect(await storage.purge?.()).toBeNull();
    expect(found(path)).toBe(0);
    expect(found(path, 'ordinary')).toBeGreaterThan(800);
  });

  it('leaves no word of deleted messages in the index of words', async () => {
    const path = join(temporaryDirectory(), 'test.db');
    const storage = await openStorage(path);
    const { workspace, instance } = await storeLeasedInstance(storage);
    const ids: string[] = [];
    for (let index = 0; index < 1_000; index += 1) {
      const isSecret = index % 100 === 0;
      const text = `${isSecret ? 'Übergeheim' : 'ordinary'} text ${index}`;
      const message = aMessage(instance, { createdAt: NOW + index, text });
      await accept(storage, message);
      if (isSecret) ids.push(message.id);
    }
    for (let pass = await storage.chats.file?.(500); pass?.more; pass = await storage.chats.file?.(500));
    // Two windows have the word as it is in messages, and its beginnings.
    expect(found(path, 'ubergeheim')).toBeGreaterThanOrEqual(10);
    expect(found(path, 'ubergeh')).toBeGreaterThanOrEqual(12);
    await erase(storage, { workspaceId: workspace.id, ids });
    expect(await storage.purge?.()).toBeNull();
    expect(found(path, 'uber')).toBe(0);
    expect(found(path, 'ordi')).toBeGreaterThan(900);
  });

  it('reports where bytes are left while a program reads a state from before the deletion', async () => {
    const path = join(temporaryDirectory(), 'test.db');
    const storage = await openStorage(path);
    const filled = await fill(storage);
    const reader = new DatabaseSync(path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM messages').get();
    await erase(storage, filled);
    expect(await storage.purge?.()).toContain(`${path}-wal`);
    reader.close();
    expect(await storage.purge?.()).toBeNull();
    expect(found(path)).toBe(0);
  });
});
