import type { Caller } from './call.ts';
import { path } from './request.ts';
import type { TrunklineClient } from './trunkline-client.ts';

export function deliveryCalls({ call }: Caller): TrunklineClient['deliveries'] {
  return {
    get: (id, options) => call({ method: 'GET', path: path`/webhook-deliveries/${id}`, ...options }),
    retry: (id, options) => call({ method: 'POST', path: path`/webhook-deliveries/${id}/retry`, ...options }),
  };
}
