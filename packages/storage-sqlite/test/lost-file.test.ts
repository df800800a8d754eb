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
  it('that was deleted under the storage takes nothing any more, a second later at the latest', async () => {
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

  it('that was moved is used again once it is back', async () => {
    const { path, accept } = await opened();
    renameSync(path, `${path}.away`);
    second();
    await expect(accept('first')).rejects.toThrow('was deleted, moved or replaced');
    renameSync(`${path}.away`, path);
    second();
    expect(await accept('first')).toEqual({ kind: 'accepted' });
  });

  it.each([
    ['that an older one was copied over in place', (path: string) => copyFileSync(`${path}.old`, path)],
    ['that was emptied in place', (path: string) => truncateSync(path)],
  ])('%s takes nothing any more', async (_, overwrite) => {
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

  it('that SQLite itself has shortened stays in use', async () => {
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

  it('that was replaced takes nothing any more', async () => {
    const { path, accept } = await opened();
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    second();
    await expect(accept('first')).rejects.toThrow('was deleted, moved or replaced');
  });
});
