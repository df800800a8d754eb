import { serve } from '@hono/node-server';
import type { ServerType } from '@hono/node-server';
import type { Api } from './service.ts';

/** Serves the API on plain Node, without a framework. */
export function nodeServer(api: Api, port: number): ServerType {
  return serve({ fetch: (request) => api.fetch(request), hostname: '127.0.0.1', port });
}
