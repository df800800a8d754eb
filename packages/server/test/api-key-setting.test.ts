import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { runServer, startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { API_KEY, testClient } from './support/test-client.ts';

describe('API_KEY', () => {
  const other = 'quite-another-key-for-the-tests';

  it('is installed with every scope, stays, is replaced by another, and does not come back', async () => {
    const DATA_DIR = join(temporaryDirectory(), 'data');
    const startWith = async (key?: string) => {
      const server = await startServer({ env: { DATA_DIR, ...(key !== undefined && { API_KEY: key }) } });
      const statusOf = async (asked: string) =>
        (await testClient(server.url, asked).request('GET', '/api/v1/api-key')).status;
      const statuses = [await statusOf(API_KEY), await statusOf(other)];
      await server.stop();
      expect(server.shownKey()).toBeUndefined();
      expect(server.stdout()).not.toContain(key ?? 'a key');
      return statuses;
    };
    expect(await startWith(API_KEY)).toEqual([200, 401]);
    if (isLongForm) {
      expect(await startWith(API_KEY)).toEqual([200, 401]);
      expect(await startWith()).toEqual([200, 401]);
    }
    expect(await startWith(other)).toEqual([401, 200]);
    const { code, complaints } = await runServer({ env: { DATA_DIR, API_KEY } });
    expect(code).toBe(1);
    expect(complaints()).toEqual([
      'API_KEY was replaced by another one before, and cannot come back: take a new value.',
    ]);
  });

  it.runIf(isLongForm)('exists next to the key of the first start', async () => {
    const DATA_DIR = join(temporaryDirectory(), 'data');
    const first = await startServer({ env: { DATA_DIR }, isAtTerminal: true });
    await first.stop();
    const second = await startServer({ env: { DATA_DIR, API_KEY } });
    const [shown, given] = [testClient(second.url, first.shownKey()), testClient(second.url)];
    const instance = await given.createInstance();
    expect((await shown.request('GET', `/api/v1/instances/${instance.id}`)).status).toBe(200);
    await second.stop();
  });
});
