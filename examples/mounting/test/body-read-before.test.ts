import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { nodeRuntime } from '@trunkline/core/node';
import { HANG_MS } from '@trunkline/test-support';
import { everywherePublic, startService } from '../src/service.ts';
import { listening } from './listening.ts';

const apiKey = 'the-key-of-the-smoke-test';

it.each([
  ['short', 'x'],
  ['longer than is read in one piece', 'x'.repeat(50_000)],
])(
  'a body that express.json() has read gets an error that says how to mount: %s',
  async (_length, filler) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => logged.mockRestore());
    const { api, stop } = await startService(nodeRuntime({ dns: everywherePublic }), { apiKey });
    onTestFinished(stop);
    const yours = express();
    yours.use(express.json());
    const listener = getRequestListener((request) => api.fetch(request), { overrideGlobalObjects: false });
    yours.all('/api/v1/{*rest}', (request, response) => listener(request, response));
    const server = createServer(yours).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    const origin = await listening(server);

    const response = await fetch(`${origin}/api/v1/webhooks`, {
      method: 'POST',
      signal: AbortSignal.timeout(HANG_MS),
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.com/hook', events: ['message.read'], filler }),
    });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      error: {
        code: 'INTERNAL_ERROR',
        message: expect.stringMatching(/express\.json\(\).*Mount Trunkline in front/),
      },
    });
    expect(logged.mock.calls).toEqual([
      [
        expect.stringContaining('trunkline: a request failed'),
        expect.objectContaining({ method: 'POST', path: '/api/v1/webhooks' }),
      ],
    ]);
  },
);
