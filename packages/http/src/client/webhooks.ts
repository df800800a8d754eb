import { dataOf, metaOf } from './call.ts';
import type { Caller } from './call.ts';
import { iterate } from './iterate.ts';
import { path } from './request.ts';
import type { TrunklineClient } from './trunkline-client.ts';

export function webhookCalls({ call, transport }: Caller): TrunklineClient['webhooks'] {
  const deliveries: TrunklineClient['webhooks']['deliveries'] = async (id, query, options) => {
    const answer = await transport({
      method: 'GET',
      path: path`/webhooks/${id}/deliveries`,
      query,
      ...options,
    });
    if (!answer.ok) return answer;
    const meta = metaOf<{ per_page: number; next_cursor: string | null }>(answer.body);
    return {
      ok: true,
      requestId: answer.requestId,
      data: dataOf(answer.body),
      perPage: meta.per_page ?? 0,
      nextCursor: meta.next_cursor ?? null,
    };
  };
  return {
    async list(options) {
      const answer = await transport({ method: 'GET', path: '/webhooks', ...options });
      if (!answer.ok) return answer;
      const { configured = false } = metaOf<{ configured: boolean }>(answer.body);
      return { ok: true, requestId: answer.requestId, data: dataOf(answer.body), configured };
    },
    create: (input, options) => call({ method: 'POST', path: '/webhooks', json: input, ...options }),
    get: (id, options) => call({ method: 'GET', path: path`/webhooks/${id}`, ...options }),
    update: (id, changes, options) =>
      call({ method: 'PATCH', path: path`/webhooks/${id}`, json: changes, ...options }),
    delete: (id, options) => call({ method: 'DELETE', path: path`/webhooks/${id}`, ...options }),
    rotateSecret: (id, options) =>
      call({ method: 'POST', path: path`/webhooks/${id}/rotate-secret`, ...options }),
    test: (id, options) => call({ method: 'POST', path: path`/webhooks/${id}/test`, ...options }),
    deliveries,
    iterateDeliveries: (id, query, options) =>
      iterate((cursor) => deliveries(id, { ...query, cursor }, options), query?.cursor),
    retryFailed: (id, options) =>
      call({ method: 'POST', path: path`/webhooks/${id}/deliveries/retry-failed`, ...options }),
  };
}
