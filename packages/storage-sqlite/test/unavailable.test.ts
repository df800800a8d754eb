import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isUnavailable } from '@trunkline/core/spi/storage';
import { sqliteStorage } from '../src/index.ts';
import { aMessage, anInstance, aWorkspace, NOW } from '@trunkline/storage-contract/examples';
import { storageContext } from './support/storage-context.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

async function openedAt(
  lockTimeoutMs: number,
): Promise<{ readonly storage: ReturnType<typeof sqliteStorage>; readonly path: string }> {
  const path = join(temporaryDirectory(), 'test.db');
  const storage = sqliteStorage({ path, lockTimeoutMs });
  await storage.open(storageContext);
  onTestFinished(() => storage.close());
  return { storage, path };
}

function otherProgram(path: string): DatabaseSync {
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  return other;
}

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe('a database that cannot serve now', () => {
  it('reports that another program holds its lock, has done nothing, and works when it is called again', async () => {
    const { storage, path } = await openedAt(100);
    const workspace = aWorkspace();
    const instance = anInstance(workspace);
    await storage.workspaces.insert(workspace);
    await storage.instances.insert(instance, null);
    const other = otherProgram(path);
    other.exec('BEGIN IMMEDIATE');
    const message = aMessage(instance);
    const idempotency = { key: 'order-1', fingerprint: 'f', messageId: message.id, createdAt: NOW };
    const acceptance = { message, idempotency, backlogLimit: 5, trialLimit: null };
    const failure = await failureOf(storage.messages.accept(acceptance));
    expect(isUnavailable(failure)).toBe(true);
    expect(String(failure)).toContain('The database is locked');
    expect(await storage.messages.find(workspace.id, message.id)).toBeNull();
    other.exec('COMMIT');
    expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'accepted' });
    expect(await storage.messages.accept(acceptance)).toMatchObject({ kind: 'remembered' });
  });

  it('reports that its disk is full, and only the caller’s transaction that was too large fails', async () => {
    const { storage, path } = await openedAt(100);
    const workspace = aWorkspace();
    const instance = anInstance(workspace);
    await storage.workspaces.insert(workspace);
    await storage.instances.insert(instance, null);
    const caller = otherProgram(path);
    // Limits the file to its present size, which SQLite reports like a full disk.
    caller.exec('PRAGMA max_page_count = 1; BEGIN IMMEDIATE');
    const message = aMessage(instance, { text: 'x'.repeat(1_000_000) });
    const acceptance = { message, idempotency: null, backlogLimit: 5, trialLimit: null };
    const failure = await failureOf(storage.messages.accept(acceptance, caller));
    expect(isUnavailable(failure)).toBe(true);
    expect(String(failure)).toContain('(database or disk is full): make room on the disk.');
    if (caller.isTransaction) caller.exec('ROLLBACK');
    expect(await storage.messages.accept(acceptance)).toEqual({ kind: 'accepted' });
  });

  it('is not confused with a row that exists', async () => {
    const { storage } = await openedAt(100);
    const workspace = aWorkspace();
    await storage.workspaces.insert(workspace);
    const failure = await failureOf(storage.workspaces.insert(workspace));
    expect(failure).toBeInstanceOf(Error);
    expect(isUnavailable(failure)).toBe(false);
  });
});
