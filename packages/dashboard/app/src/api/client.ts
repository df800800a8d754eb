import { createClient } from '@trunkline/http/client';
import type { TrunklineClient } from '@trunkline/http/client';
import { BASE_PATH } from '../base-path.ts';

const clients = new Map<string, TrunklineClient>();

/** The cached client of a workspace's REST API, which uses the session's cookie. */
export function clientOf(workspaceId: string): TrunklineClient {
  const known = clients.get(workspaceId);
  if (known) return known;
  const client = createClient({
    baseUrl: `${location.origin}${BASE_PATH}/api/workspaces/${encodeURIComponent(workspaceId)}`,
    apiKey: 'session',
    fetch: fetchWithSession,
  });
  clients.set(workspaceId, client);
  return client;
}

/** Omits the client's `Authorization` header, because the cookie identifies the user. */
function fetchWithSession(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete('Authorization');
  return fetch(url, { ...init, headers });
}
