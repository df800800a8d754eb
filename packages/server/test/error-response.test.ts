import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import { expect, it } from 'vitest';
import { silentLogger } from '@trunkline/core';
import { respondWithErrors } from '../src/errors/error-response.ts';

it('a request that fails outside of the API is logged under the request id of its response', async () => {
  const logged: unknown[] = [];
  const logger = { ...silentLogger, error: (...line: unknown[]) => void logged.push(line) };
  const defect = new Error('hush');
  const app = new Hono();
  app.use(requestId({ generator: () => 'req_1' }));
  app.get('/broken', () => {
    throw defect;
  });
  app.onError(respondWithErrors(logger));
  const response = await app.request('/broken');
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    error: { code: 'INTERNAL_ERROR', message: expect.not.stringContaining('hush'), request_id: 'req_1' },
  });
  expect(logged).toEqual([
    [
      { requestId: 'req_1', method: 'GET', path: '/broken', err: defect },
      expect.stringMatching(/^a request failed/),
    ],
  ]);
});
