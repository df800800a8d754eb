import { readResponse, takeEvents, takeFile } from './api-response.ts';
import type { ApiResponse } from './api-response.ts';
import { clientFailure } from './call-result.ts';
import type { Failure } from './call-result.ts';
import type { CheckedClientOptions } from './client-options.ts';
import { initOf, urlOf } from './request.ts';
import type { ApiRequest } from './request.ts';
import { mayRetry, pause, retryWaitMs } from './retry-wait.ts';

/** Makes a request, and repeats it after a 429 or a 503 if `mayRetry` allows that. Always resolves. */
export type Transport = (request: ApiRequest) => Promise<ApiResponse | Failure>;

export function createTransport(options: CheckedClientOptions): Transport {
  return async (request) => {
    const { signal } = request;
    for (let retry = 1; ; retry++) {
      const { result, waitMs } = await attempt(options, request, retry);
      if (waitMs === undefined || retry > options.maxRetries || waitMs > options.maxRetryWaitMs)
        return result;
      await pause(waitMs, signal);
      if (signal?.aborted) return aborted(signal.reason);
    }
  };
}

interface Attempt {
  readonly result: ApiResponse | Failure;
  /** In milliseconds; undefined if the request must not be repeated. */
  readonly waitMs?: number;
}

async function attempt(options: CheckedClientOptions, request: ApiRequest, retry: number): Promise<Attempt> {
  try {
    const response = await options.fetch(urlOf(options.baseUrl, request), initOf(options.apiKey, request));
    const result = await reading(request)(response);
    const code = result.ok ? null : result.error.code;
    if (!mayRetry({ status: response.status, code }, request)) return { result };
    const facts = { retry, now: Date.now(), random: Math.random() };
    return { result, waitMs: retryWaitMs(response.headers.get('Retry-After'), facts) };
  } catch (cause) {
    if (request.signal?.aborted) return { result: aborted(request.signal.reason) };
    return { result: clientFailure('NETWORK_ERROR', NO_RESPONSE, { cause }) };
  }
}

function reading({
  wantsFile,
  wantsEvents,
}: ApiRequest): (response: Response) => ReturnType<typeof takeFile> {
  if (wantsEvents) return takeEvents;
  return wantsFile ? takeFile : readResponse;
}

const NO_RESPONSE =
  'The service did not respond: check baseUrl and the network, and see the cause. The change may have been made anyway.';

function aborted(cause: unknown): Failure {
  return clientFailure('ABORTED', 'The call was ended by its signal. The change may have been made anyway.', {
    cause,
  });
}
