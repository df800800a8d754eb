import { expect, it } from 'vitest';
import { sendRetryDelay } from './send-retry.ts';

it('a send without a response is tried again after 1, 2, 4 and 8 seconds, and given up after the fifth', () => {
  expect([1, 2, 3, 4, 5, 6].map(sendRetryDelay)).toEqual([1_000, 2_000, 4_000, 8_000, null, null]);
});
