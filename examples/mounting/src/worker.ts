// A Cloudflare worker (workerd) with the compatibility flag `nodejs_compat`. It cannot keep sockets open, so it only
// serves requests, and another process on the same database does the rest.
import { edgeRuntime } from '@trunkline/core/edge';
import { everywherePublic, startService } from './service.ts';

const API_ONLY = { gateway: false, webhooks: false, maintenance: false };
let service: ReturnType<typeof startService> | undefined;

export default {
  async fetch(request: Request, { API_KEY }: { readonly API_KEY: string }): Promise<Response> {
    // Starts with the first request, because workers have no randomness and no timers outside of a request.
    service ??= startService(edgeRuntime({ dns: everywherePublic }), { apiKey: API_KEY, roles: API_ONLY });
    const { api } = await service;
    return api.fetch(request);
  },
};
