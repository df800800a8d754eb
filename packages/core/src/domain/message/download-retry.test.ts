import { expect, it } from 'vitest';
import { DOWNLOAD_GIVEN_UP_MS, downloadRetryDelay } from './download-retry.ts';

it('a download that fails is repeated after 1, 2, 4, 8, 16 and 32 minutes, then every hour for a day', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((tries) => downloadRetryDelay(tries) / 60_000);
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  expect(DOWNLOAD_GIVEN_UP_MS / 60_000).toBe(24 * 60);
});
