import { copyFileSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isUnavailable } from '@trunkline/core/spi/storage';
import { aMessage, anInstance, aWorkspace, NOW } from '@trunkline/storage-contract/examples';
import { sqliteStorage } from '../src/index.ts';
import { connectTo } from './support/open-storage.ts';
import { storageContext } from './support/storage-context.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const second = (): unknown => vi.advanceTimersByTime(1_000);

async function opened() {
  const directory = temporaryDirectory();
  const path = join(directory, 'test.db');
  const storage = sqliteStorage({ path });
  await storage.open(storageContext);
  onTestFinished(() => storage.close());
  const workspace = aWorkspace();
  const instance = anInstance(workspace);
  await storage.workspaces.insert(workspace);
  await storage.instances.insert(instance, null);
  const accept = (key: string) => {
    const message = aMessage(instance);
    const idempotency = { key, fingerprint: 'f', messageId: message.id, createdAt: NOW };
    return storage.messages.accept({ message, idempotency, backlogLimit: 5, trialLimit: null });
  };
  const files = (): readonly string[] => readdirSync(directory).filter((name) => name.startsWith('test.db'));
  return { directory, path, storage, workspace, accept, files };
}

describe('a database file', () => {
  it('accepts nothing more, within a second, if it was deleted under the storage', async () => {
    const { directory, storage, workspace, accept, files } = await opened();
    expect(await accept('first')).toEqual({ kind: 'accepted' });
    for (const name of files()) rmSync(join(directory, name));
    second();
    const failure = await accept('second').catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    expect(String(failure)).toContain('was deleted, moved or replaced');
    await expect(storage.workspaces.find(workspace.id)).rejects.toThrow('was deleted');
    await expect(storage.replaceSetting('readiness', 'asked')).rejects.toThrow('was deleted');
  });

  it('is used again once it is back, if it was moved', async () => {
    const { path, accept } = await opened();
    renameSync(path, `${path}.away`);
    second();
    await expect(accept('first')).rejects.toThrow('was deleted, moved or replaced');
    renameSync(`${path}.away`, path);
    second();
    expect(await accept('first')).toEqual({ kind: 'accepted' });
  });

  it.each([
    ['an older one was copied over it in place', (path: string) => copyFileSync(`${path}.old`, path)],
    ['it was emptied in place', (path: string) => truncateSync(path)],
  ])('accepts nothing more if %s', async (_, overwrite) => {
    const { path, storage, workspace, accept } = await opened();
    await storage.purge?.();
    copyFileSync(path, `${path}.old`);
    for (let count = 0; count < 200; count += 1)
      await storage.workspaces.insert(aWorkspace({ name: 'w'.repeat(1_000) }));
    await storage.purge?.();
    second();
    expect(await accept('first')).toEqual({ kind: 'accepted' });
    const { ino } = statSync(path);
    overwrite(path);
    expect(statSync(path).ino).toBe(ino);
    second();
    const failure = await accept('second').catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    expect(String(failure)).toContain('was overwritten by a shorter one');
    second();
    await expect(storage.workspaces.find(workspace.id)).rejects.toThrow('restore a backup');
  });

  it('stays in use if SQLite itself has shortened it', async () => {
    const { path, storage, accept } = await opened();
    for (let count = 0; count < 200; count += 1)
      await storage.workspaces.insert(aWorkspace({ name: 'w'.repeat(1_000) }));
    await storage.purge?.();
    second();
    expect(await accept('first')).toEqual({ kind: 'accepted' });
    const { size } = statSync(path);
    connectTo(path).exec("DELETE FROM workspaces WHERE name LIKE 'www%'; VACUUM");
    await storage.purge?.();
    expect(statSync(path).size).toBeLessThan(size);
    second();
    expect(await accept('second')).toEqual({ kind: 'accepted' });
  });

  it('accepts nothing more if it was replaced', async () => {
    const { path, accept } = await opened();
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    second();
    await expect(accept('first')).rejects.toThrow('was deleted, moved or replaced');
  });
});
