import type { Caller } from './call.ts';
import { path } from './request.ts';
import type { TrunklineClient } from './trunkline-client.ts';

export function instanceCalls({ call }: Caller): TrunklineClient['instances'] {
  return {
    list: (options) => call({ method: 'GET', path: '/instances', ...options }),
    create: (input = {}, options) => call({ method: 'POST', path: '/instances', json: input, ...options }),
    get: (id, options) => call({ method: 'GET', path: path`/instances/${id}`, ...options }),
    update: (id, input, options) =>
      call({ method: 'PATCH', path: path`/instances/${id}`, json: input, ...options }),
    delete: (id, options) => call({ method: 'DELETE', path: path`/instances/${id}`, ...options }),
    connect: (id, input = {}, options) =>
      call({ method: 'POST', path: path`/instances/${id}/connect`, json: input, ...options }),
    disconnect: (id, options) =>
      call({ method: 'POST', path: path`/instances/${id}/disconnect`, ...options }),
    logout: (id, options) => call({ method: 'POST', path: path`/instances/${id}/logout`, ...options }),
    qr: (id, options) => call({ method: 'GET', path: path`/instances/${id}/qr`, ...options }),
    groups: (id, options) => call({ method: 'GET', path: path`/instances/${id}/groups`, ...options }),
  };
}
