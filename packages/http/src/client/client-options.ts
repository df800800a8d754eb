import { checkMisspelling } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';

/** The options of `createClient`. */
export interface ClientOptions {
  /** The address of the API, base path included: `https://api.example.com/api/v1`. */
  readonly baseUrl: string;
  /** The API key: `trk_…`, or the value that you chose for it. */
  readonly apiKey: string;
  /** Makes the requests. The global `fetch` by default. */
  readonly fetch?: ((url: string, init: RequestInit) => Response | Promise<Response>) | undefined;
  /** The maximum number of retries after a 429 or a 503. Default 2; 0 switches retries off. */
  readonly maxRetries?: number | undefined;
  /**
   * The longest wait before a retry, in milliseconds. If a response asks for a longer wait, that response is the call's
   * result. Default 60,000.
   */
  readonly maxRetryWaitMs?: number | undefined;
}

export interface CheckedClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: (url: string, init: RequestInit) => Response | Promise<Response>;
  readonly maxRetries: number;
  readonly maxRetryWaitMs: number;
}

const OPTION_NAMES: OptionNames<ClientOptions> = {
  baseUrl: true,
  apiKey: true,
  fetch: true,
  maxRetries: true,
  maxRetryWaitMs: true,
};

/** Throws a TypeError that names the first option that is missing or wrong. */
export function checkClientOptions(options: ClientOptions): CheckedClientOptions {
  // Allow unknown names, because the result of `startMockTrunkline` is a valid argument and has more fields.
  checkMisspelling('createClient', options, OPTION_NAMES);
  const { baseUrl, apiKey, maxRetries = 2, maxRetryWaitMs = 60_000 } = options;
  // A path alone is relative to the page's origin.
  if (typeof baseUrl !== 'string' || !/^(https?:\/\/[^/?#]+(\/[^?#]*)?|\/(?!\/)[^?#]*)$/i.test(baseUrl)) {
    throw wrong('baseUrl', 'must be like https://api.example.com/api/v1');
  }
  // Characters that a header cannot carry would fail in fetch, with a message that contains the key.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw wrong('apiKey', 'must be printable characters without spaces');
  }
  if (!isCount(maxRetries)) throw wrong('maxRetries', 'must be a whole number, 0 or more');
  if (!isCount(maxRetryWaitMs)) throw wrong('maxRetryWaitMs', 'must be a whole number, 0 or more');
  return {
    baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''),
    apiKey,
    // Looks up `fetch` at each call, to use one that was replaced later (a mock, an instrumentation).
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    maxRetries,
    maxRetryWaitMs,
  };
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

function wrong(option: keyof ClientOptions, why: string): TypeError {
  return new TypeError(`createClient: the option "${option}" is wrong: it ${why}.`);
}
