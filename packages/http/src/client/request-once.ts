import type { CallResult } from './call-result.ts';
import type { CallOptions } from './remote-api.ts';
import type { ApiRequest } from './request.ts';
import type { Transport } from './transport.ts';

/** The options of calls that are carried out once, even if they are repeated. */
export interface SendOptions extends CallOptions {
  /**
   * By default, a new key for each call. Pass your own key, such as an order number, if a later call may repeat this
   * one, for example after a crash or after NETWORK_ERROR.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Makes a request that the service carries out once for its key. */
export async function requestOnce<Data>(
  transport: Transport,
  request: Pick<ApiRequest, 'method' | 'path' | 'form' | 'json'>,
  { idempotencyKey = newIdempotencyKey(), signal }: SendOptions = {},
): Promise<CallResult<{ readonly data: Data; readonly replayed: boolean }>> {
  const headers = { 'Idempotency-Key': idempotencyKey };
  const response = await transport({ ...request, headers, signal });
  if (!response.ok) return response;
  const replayed = response.headers.get('Idempotent-Replayed') === 'true';
  // The client trusts the service and does not check the response against this type.
  return { ok: true, requestId: response.requestId, data: response.body?.['data'] as Data, replayed };
}

/** A new key for each call. Browsers offer `crypto.randomUUID` only in secure contexts. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
