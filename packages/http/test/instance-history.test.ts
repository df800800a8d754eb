import { expect, it } from 'vitest';
import { idOf, startService } from './service.ts';

it('GET /instances/{instance}/history lists what happened, newest first, page by page', async () => {
  const { call } = await (await startService()).newWorkspace();
  const id = idOf((await call('POST', '/instances')).json);
  await call('POST', `/instances/${id}/connect`);
  const first = await call('GET', `/instances/${id}/history?limit=1`);
  expect(first.status).toBe(200);
  expect(first.json).toMatchObject({
    data: [{ instance_id: id, reason: 'connect_requested', caused_by: 'api' }],
    meta: { per_page: 1, next_cursor: expect.any(String), prev_cursor: null },
  });
  const cursor = String(Object(first.json['meta'])['next_cursor']);
  const second = await call('GET', `/instances/${id}/history?limit=1&cursor=${cursor}`);
  expect(second.json).toMatchObject({ data: [{ reason: 'created', from: null, to: 'created' }] });
});
