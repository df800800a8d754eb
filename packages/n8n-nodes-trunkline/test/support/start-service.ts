import { startMockTrunkline } from '@trunkline/http/msw';
import type { MockTrunkline } from '@trunkline/http/msw';
import { setupServer } from 'msw/node';
import type { SetupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { TrunklineApi } from '../../credentials/TrunklineApi.credentials.ts';
import { startN8n } from './n8n.ts';
import type { N8n } from './n8n.ts';

export const BASE_URL = 'https://api.example.com/api/v1';

/** The real service on the sandbox network, and an n8n with a key for it, new for each test. */
export interface Service {
  readonly trunkline: MockTrunkline;
  readonly n8n: N8n;
  readonly server: SetupServer;
  /** Receives webhooks. A test may replace it. */
  receive: (request: Request) => Response | Promise<Response>;
}

export function useService(): () => Service {
  const server = setupServer();
  let service: Service;
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
  afterAll(() => server.close());
  beforeEach(async () => {
    const trunkline = await startMockTrunkline({
      baseUrl: BASE_URL,
      onWebhook: (request) => service.receive(request),
    });
    server.use(...trunkline.handlers);
    const n8n = startN8n(new TrunklineApi(), { baseUrl: `${BASE_URL}/`, apiKey: trunkline.apiKey });
    service = { trunkline, n8n, server, receive: () => new Response(null, { status: 204 }) };
  });
  afterEach(async () => {
    server.resetHandlers();
    await service.trunkline.stop();
  });
  return () => service;
}
