import { expect, test } from 'vitest';
import { oneOfEverything } from './one-of-everything.ts';
import { idOf } from './service.ts';

test('50 concurrent sends with one idempotency key: one 202, forty-nine 200 replays, one message', async () => {
  const { call, send } = await oneOfEverything();
  const seen = await Promise.all(
    Array.from({ length: 50 }, () => send({}, { 'Idempotency-Key': 'order-1' })),
  );
  const reported = seen.map(({ status, headers }) => `${status} ${headers.get('Idempotent-Replayed')}`);
  expect(reported.toSorted()).toEqual([...Array<string>(49).fill('200 true'), '202 null']);
  expect(new Set(seen.map(({ json }) => idOf(json))).size).toBe(1);
  expect(JSON.parse((await call('GET', '/messages?type=text&direction=outbound')).text).data).toHaveLength(1);
});
