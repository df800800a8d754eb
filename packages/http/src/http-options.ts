import type { TracerProvider } from '@opentelemetry/api';
import { checkOptionNames } from '@trunkline/option-names';
import type { OptionNames } from '@trunkline/option-names';
import * as z from 'zod';
import type { DocsOptions } from './docs-options.ts';
import { rateLimitOption } from './rate-limit-options.ts';
import type { CheckedRateLimit, RateLimitOptions } from './rate-limit-options.ts';
import type { RequestGuard } from './request-guard.ts';

/** The options of `createHttpApp`. */
export interface HttpAppOptions {
  /** The path of the API. Default `/api/v1`. */
  readonly basePath?: string | undefined;
  /**
   * The address of the API for clients, base path included: `https://api.example.com/api/v1`. Links in responses begin
   * with this address. By default, they repeat the address of the request, which is wrong behind a proxy that changes
   * it, such as a proxy that terminates TLS: `X-Forwarded-*` headers are not read, because any client can send them.
   */
  readonly publicUrl?: string | undefined;
  /** The largest JSON body, in bytes. Default 1,048,576. */
  readonly maxJsonBytes?: number | undefined;
  /** How many requests an API key may make; `false` switches the limit off. Default `{ requestsPerMinute: 600 }`. */
  readonly rateLimit?: RateLimitOptions | false | undefined;
  /**
   * Checks each request. If your own routes share the rate limit, create the guard with `createGuard` and that limit.
   * By default, the app creates its own guard with `rateLimit`.
   */
  readonly guard?: RequestGuard | undefined;
  /** The options of the page `/docs`; `false` removes it. Default `{}`: a plain page without scripts. */
  readonly docs?: DocsOptions | false | undefined;
  /**
   * Called with every failure that clients see as INTERNAL_ERROR, and with failures of the rate limit's store, which
   * clients do not see. By default, the logger of the Trunkline logs them.
   */
  readonly onError?: ((error: unknown, request: FailedRequest) => void) | undefined;
  /**
   * Creates the span of each request. By default, the global provider of OpenTelemetry's API, which does nothing if no
   * SDK is installed. If an instrumentation of the server has already created a span, the app uses that span.
   */
  readonly tracerProvider?: TracerProvider | undefined;
}

/** A request that failed through no fault of the client. */
export interface FailedRequest {
  /** The id that the client gets in the header `X-Request-Id` and in the error. */
  readonly requestId: string;
  /** The HTTP method, such as `POST`. */
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
}

export interface CheckedHttpOptions {
  readonly basePath: string;
  readonly publicUrl?: string | undefined;
  readonly maxJsonBytes: number;
  readonly rateLimit: CheckedRateLimit | false;
  readonly guard?: RequestGuard | undefined;
  readonly docs: DocsOptions | false;
  readonly onError?: ((error: unknown, request: FailedRequest) => void) | undefined;
  readonly tracerProvider?: TracerProvider | undefined;
}

const httpOptions: z.ZodType<CheckedHttpOptions, unknown> = z.object({
  basePath: z
    .string()
    .regex(/^(\/[\w.~-]+)*$/, 'Must be a path like /api/v1, without a slash at its end.')
    .default('/api/v1'),
  publicUrl: z
    .url({ protocol: /^https?$/, error: 'Must be a URL like https://api.example.com/api/v1.' })
    .refine((url) => !/[?#]/.test(url), 'Must have no query and no fragment.')
    .refine((url) => !hasCredentials(url), 'Must have no user name and no password.')
    .transform((url) => url.replace(/\/$/, ''))
    .optional(),
  maxJsonBytes: z.int().min(1).default(1_048_576),
  rateLimit: rateLimitOption,
  guard: z.custom<RequestGuard>(isGuard, 'Must be made by createGuard.').optional(),
  docs: z
    .union(
      [z.literal(false), z.strictObject({ scalar: z.custom<DocsOptions['scalar']>(isFunction).optional() })],
      {
        error: 'Must be false, or an object with a function "scalar".',
      },
    )
    .default({}),
  onError: z.custom<CheckedHttpOptions['onError']>(isFunction, 'Must be a function.').optional(),
  tracerProvider: z
    .custom<TracerProvider>(isTracerProvider, 'Must be a TracerProvider of OpenTelemetry.')
    .optional(),
});

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isTracerProvider(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'getTracer' in value &&
    typeof value.getTracer === 'function'
  );
}

function isGuard(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'admit' in value && typeof value.admit === 'function';
}

function hasCredentials(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && parsed.username + parsed.password !== '';
}

const OPTION_NAMES: OptionNames<HttpAppOptions> = {
  basePath: true,
  publicUrl: true,
  maxJsonBytes: true,
  rateLimit: true,
  guard: true,
  docs: true,
  onError: true,
  tracerProvider: true,
};

/** Throws a TypeError that names the first wrong option. */
export function checkHttpOptions(options: HttpAppOptions, caller = 'createHttpApp'): CheckedHttpOptions {
  checkOptionNames(caller, options, OPTION_NAMES);
  const checked = httpOptions.safeParse(options);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  throw new TypeError(`${caller}: the option "${issue?.path.join('.')}" is wrong: ${issue?.message}`);
}
