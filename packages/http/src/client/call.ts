import type { CallResult } from './call-result.ts';
import type { ApiRequest } from './request.ts';
import type { Transport } from './transport.ts';

/** Makes the requests of one client and reads their `data`. */
export interface Caller {
  readonly transport: Transport;
  /** For answers that have `data` and nothing else that counts. */
  call<Data>(request: ApiRequest): Promise<CallResult<{ readonly data: Data }>>;
}

export function createCaller(transport: Transport): Caller {
  return {
    transport,
    async call<Data>(request: ApiRequest) {
      const answer = await transport(request);
      return answer.ok ? { ok: true, requestId: answer.requestId, data: dataOf<Data>(answer.body) } : answer;
    },
  };
}

/** The types are those that the service itself is written with; answers are not checked against them again. */
export function dataOf<Data>(body: { readonly data?: unknown } | null): Data {
  return body?.data as Data;
}

/** The `meta` of an answer, likewise. */
export function metaOf<Meta>(body: { readonly meta?: unknown } | null): Partial<Meta> {
  return (body?.meta ?? {}) as Partial<Meta>;
}
