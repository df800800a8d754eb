// A worker of Cloudflare (workerd) with the compatibility flag `nodejs_compat`. It has no sockets to keep open: it
// serves requests, and another process on the same database does the rest.
import { edgeRuntime } from '@trunkline/core/edge';
import { everywherePublic, startService } from './service.ts';

const API_ONLY = { gateway: false, webhooks: false, maintenance: false };
let service: ReturnType<typeof startService> | undefined;

export default {
  async fetch(request: Request, { API_KEY }: { readonly API_KEY: string }): Promise<Response> {
    // Not before the first request: outside of one, workers have neither randomness nor timers.
    service ??= startService(edgeRuntime({ dns: everywherePublic }), { apiKey: API_KEY, roles: API_ONLY });
    const { api } = await service;
    return api.fetch(request);
  },
};
