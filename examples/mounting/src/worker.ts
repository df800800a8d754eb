// A Cloudflare worker (workerd) with the compatibility flag `nodejs_compat`. It cannot keep sockets open, so it only
// serves requests, and another process does the rest. Neither storage of Trunkline runs there, so this worker
// calls the storage of the other process.
import { edgeRuntime } from '@trunkline/core/edge';
import { remoteStorage } from './remote-storage.ts';
import type { Binding, Ports } from './remote-storage.ts';
import { everywherePublic, startService } from './service.ts';

const API_ONLY = { gateway: false, webhooks: false, maintenance: false };
let service: ReturnType<typeof startService> | undefined;

interface Env {
  readonly API_KEY: string;
  /** The other process, and what its storage has. */
  readonly STORAGE: Binding;
  readonly PORTS: Ports;
}

export default {
  async fetch(request: Request, { API_KEY, STORAGE, PORTS }: Env): Promise<Response> {
    // Starts with the first request, because workers have no randomness and no timers outside of a request.
    service ??= startService(edgeRuntime({ dns: everywherePublic }), {
      apiKey: API_KEY,
      roles: API_ONLY,
      storage: remoteStorage(STORAGE, PORTS),
    });
    const { api } = await service;
    return api.fetch(request);
  },
};
