import { ClientError } from '@trunkline/http/client';
import type { ApiError } from '@trunkline/http/client';
import { BASE_PATH } from '../base-path.ts';

interface OwnRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request to the dashboard's own API, which the typed client of the REST API does not cover. Resolves with the
 * `data` of the response, or rejects with a ClientError.
 */
export async function request<Data>(
  path: string,
  { method = 'GET', body, signal }: OwnRequest = {},
): Promise<Data> {
  const response = await respond(path, {
    method,
    headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const requestId = response.headers.get('X-Request-Id');
  if (response.status === 204) return undefined as Data; // callers ignore the result of such routes
  const content: unknown = await response.json().catch(() => null);
  if (response.ok && isObject(content) && 'data' in content) return content['data'] as Data; // the route's type
  throw new ClientError(errorIn(content, response.status, requestId));
}

async function respond(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${BASE_PATH}/api/${path}`, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ClientError({
      code: 'NETWORK_ERROR',
      status: null,
      message: 'The service did not respond. Check the network, and that the service runs.',
      requestId: null,
      details: {},
      cause,
    });
  }
}

function errorIn(content: unknown, status: number, requestId: string | null): ApiError {
  const error = isObject(content) ? content['error'] : undefined;
  if (isObject(error) && typeof error['code'] === 'string') {
    return {
      code: error['code'] as ApiError['code'], // or a newer code: see ApiError
      status,
      message: String(error['message']),
      requestId: typeof error['request_id'] === 'string' ? error['request_id'] : requestId,
      details: isObject(error['details']) ? error['details'] : {},
    };
  }
  const message = `The response (HTTP ${status}) is not from the service: check the proxies in between.`;
  return { code: 'UNEXPECTED_RESPONSE', status, message, requestId, details: {} };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
