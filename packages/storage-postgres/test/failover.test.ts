import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { isUnavailable } from '@trunkline/core/spi/storage';
import type { Storage, Workspace } from '@trunkline/core/spi/storage';
import { anInstance, aWorkspace } from '@trunkline/storage-contract/examples';
import { startPostgres } from '@trunkline/test-postgres';
import { eventually } from '@trunkline/test-support';
import type { PostgresTransaction } from '../src/index.ts';
import { openStorage } from './support/open-storage.ts';
import { stallingProxy } from './support/stalling-proxy.ts';
import { storageContext } from './support/storage-context.ts';

const CONNECTIONS = 5;

it('after a failover, calls reject as unavailable until the address leads to the new primary, and no connection stays with the old one', async () => {
  const old = await startPostgres({ fsync: false });
  onTestFinished(() => old.stop());
  const address = await stallingProxy(old.url);
  const log: { readonly level: string; readonly message: string }[] = [];
  const logged = (level: string) => (_: object, message: string) => void log.push({ level, message });
  const logger = {
    debug: logged('debug'),
    info: logged('info'),
    warn: logged('warn'),
    error: logged('error'),
  };
  const lostListener = (level: string): number =>
    log.filter((line) => line.level === level && line.message.startsWith('the connection that gets signals'))
      .length;
  const storage = await openStorage(
    { url: address.url, name: 'trunkline' },
    { maxConnections: CONNECTIONS },
    { ...storageContext, logger },
  );
  const workspace = aWorkspace();
  await storage.workspaces.insert(workspace);

  const primary = await old.failOver();
  onTestFinished(() => primary.stop());
  for (const outcome of await writes(storage, workspace)) {
    expect(outcome).toMatchObject({ status: 'rejected' });
    expect(outcome.status === 'rejected' && isUnavailable(outcome.reason)).toBe(true);
  }
  await eventually(() => expect(lostListener('debug')).toBeGreaterThan(1));
  expect(lostListener('warn')).toBe(1);

  address.leadTo(primary.url);
  await eventually(async () => {
    for (const outcome of await writes(storage, workspace))
      expect(outcome).toMatchObject({ status: 'fulfilled' });
  });
  await eventually(async () => {
    expect(await connections(primary.url, '%LISTEN%')).toBe(1);
    expect(await connections(old.url)).toBe(0);
  });
  expect(await storage.workspaces.find(workspace.id)).toEqual(workspace);
});

/** Makes more concurrent writes than there are connections, some of one statement and some of several. */
async function writes(
  storage: Storage<PostgresTransaction>,
  workspace: Workspace,
): Promise<readonly PromiseSettledResult<unknown>[]> {
  return Promise.allSettled(
    Array.from({ length: CONNECTIONS }, () => [
      storage.workspaces.insert(aWorkspace()),
      storage.instances.insert(anInstance(workspace), null),
    ]).flat(),
  );
}

/**
 * The number of the storage's connections whose latest statement is like `query`; by default, all connections count.
 */
async function connections(url: string, query = '%'): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query(
    "SELECT FROM pg_stat_activity WHERE application_name = 'trunkline' AND query LIKE $1",
    [query],
  );
  await client.end();
  return rowCount ?? 0;
}
