import type { oas31 } from 'zod-openapi';

type Headers = Readonly<Record<string, oas31.ReferenceObject>>;

export const RESPONSE_HEADERS: Headers = {
  'X-Request-Id': reference('RequestId'),
  'Cache-Control': reference('CacheControl'),
};

/** The headers of every response to a known key, unless the limit is off. */
export const RATE_LIMIT_HEADERS: Headers = {
  'X-RateLimit-Limit': reference('RateLimitLimit'),
  'X-RateLimit-Remaining': reference('RateLimitRemaining'),
  'X-RateLimit-Reset': reference('RateLimitReset'),
};

export const HEADER_COMPONENTS: Readonly<Record<string, oas31.HeaderObject>> = {
  RequestId: {
    description: "Names this request in the service's log: the caller's own X-Request-Id, or a new one.",
    required: true,
    schema: { type: 'string' },
    example: 'req_01kaj2v0x1y2z3a4b5c6d7e8f9',
  },
  CacheControl: {
    required: true,
    schema: { type: 'string', enum: ['no-store', 'private, no-cache'] },
  },
  RateLimitLimit: {
    description: 'Requests that the API key may make in a minute.',
    schema: { type: 'integer', minimum: 1 },
    example: 600,
  },
  RateLimitRemaining: {
    description: 'How many of them are left.',
    schema: { type: 'integer', minimum: 0 },
    example: 599,
  },
  RateLimitReset: {
    description: 'Unix time when the minute is over.',
    schema: { type: 'integer' },
    example: 1_795_209_312,
  },
  RetryAfter: {
    description: 'Seconds to wait.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
};

function reference(name: string): oas31.ReferenceObject {
  return { $ref: `#/components/headers/${name}` };
}
