/**
 * The one table of all error codes of the API: those of the specification ("Errors"), and a few of ours. Types,
 * responses, the OpenAPI document and the reference derive from it. The statuses that the specification leaves open are
 * decided in `docs/decisions.md`.
 */
const TABLE = {
  UNAUTHENTICATED: { status: 401, meaning: 'The request has no API key.' },
  INVALID_API_KEY: { status: 401, meaning: 'The API key is malformed, unknown, revoked or expired.' },
  SUBSCRIPTION_REQUIRED: { status: 402, meaning: 'The workspace has no subscription.' },
  SUBSCRIPTION_PAST_DUE: { status: 402, meaning: 'The subscription of the workspace is past due.' },
  TRIAL_LIMIT_REACHED: { status: 402, meaning: 'The messages of the trial are used up.' },
  INSUFFICIENT_SCOPE: {
    status: 403,
    meaning:
      'The API key lacks the scope, or its member has not verified the email address that webhooks need.',
    exampleDetails: { required_scope: 'instances:read' },
  },
  WORKSPACE_SUSPENDED: { status: 403, meaning: 'The workspace is suspended.' },
  WORKSPACE_MISMATCH: {
    status: 403,
    meaning: 'The API key belongs to another workspace than the one in X-Workspace-Id.',
  },
  INSTANCE_LIMIT_REACHED: { status: 403, meaning: 'The plan allows no more instances.' },
  WEBHOOK_LIMIT_REACHED: { status: 403, meaning: 'The plan allows no more webhook endpoints.' },
  NOT_FOUND: { status: 404, meaning: 'There is nothing at this path.' },
  INSTANCE_NOT_FOUND: { status: 404, meaning: 'The workspace has no such instance.' },
  GROUP_NOT_FOUND: { status: 404, meaning: 'The instance knows no such group.' },
  MESSAGE_NOT_FOUND: { status: 404, meaning: 'The workspace has no such message.' },
  CONTACT_NOT_FOUND: { status: 404, meaning: 'The workspace has no such contact.' },
  MEDIA_NOT_AVAILABLE: { status: 404, meaning: 'The message has no stored file.' },
  WEBHOOK_NOT_FOUND: { status: 404, meaning: 'The workspace has no such webhook endpoint.' },
  EVENT_NOT_FOUND: { status: 404, meaning: 'The workspace has had no such event in the last 30 days.' },
  WEBHOOK_DELIVERY_NOT_FOUND: { status: 404, meaning: 'The workspace has no such delivery.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path has other methods: see the header Allow.' },
  INSTANCE_NOT_CONNECTED: {
    status: 409,
    meaning:
      'No number is linked, or nobody wants it connected: connect the instance. While a linked number reconnects, messages are accepted, but nothing that is not queued.',
  },
  INVALID_INSTANCE_STATE: { status: 409, meaning: 'The status of the instance does not allow this.' },
  INSTANCE_BUSY: {
    status: 409,
    meaning: 'Another operation on the instance is in progress: repeat the request when it has ended.',
  },
  INVALID_MESSAGE_STATE: {
    status: 409,
    meaning: 'The status of the message does not allow this.',
  },
  GROUP_CHANGE_REFUSED: {
    status: 409,
    meaning:
      'The messaging network refused this for the group: details.reason says why, such as not_admin or invite_invalid.',
    exampleDetails: { reason: 'not_admin' },
  },
  OUTCOME_UNKNOWN: {
    status: 409,
    meaning:
      'The messaging network may have done this or not: look at the group before you repeat it. With an Idempotency-Key, a repeat is safe and does nothing again.',
  },
  QR_NOT_AVAILABLE: { status: 409, meaning: 'There is a QR only while the status is qr_required.' },
  PASSKEY_NOT_AVAILABLE: {
    status: 409,
    meaning:
      'The network does not wait for a passkey of the instance, for another step of it, or no longer: see last_error.',
  },
  WEBHOOK_DISABLED: { status: 409, meaning: 'The webhook endpoint is disabled.' },
  WEBHOOK_RETRY_NOT_ALLOWED: {
    status: 409,
    meaning:
      'The delivery is still being attempted or has succeeded, or its endpoint is disabled or deleted.',
  },
  MEDIA_TOO_LARGE: { status: 413, meaning: 'The file is larger than messages of this type may have.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is too large.' },
  INVALID_MEDIA_TYPE: {
    status: 415,
    meaning: 'Messages of this type take no such file, or the body is compressed (`Content-Encoding`).',
  },
  VALIDATION_FAILED: {
    status: 422,
    meaning: 'The request is not valid: see details.fields.',
    exampleDetails: { fields: { body: ['Must be a JSON object.'] } },
  },
  INVALID_RECIPIENT: {
    status: 422,
    meaning: 'The recipient is neither a phone number nor the id of a group.',
  },
  UNSUPPORTED_MESSAGE_TYPE: {
    status: 422,
    meaning: 'The instance cannot send messages of this type, or not in this content type.',
  },
  INVALID_IDEMPOTENCY_KEY: {
    status: 422,
    meaning: 'The Idempotency-Key is not 1 to 255 printable ASCII characters without spaces.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, meaning: 'The Idempotency-Key was used for another request.' },
  INVALID_WEBHOOK_URL: {
    status: 422,
    meaning: 'The URL of the webhook endpoint does not satisfy the URL rules.',
  },
  RATE_LIMITED: {
    status: 429,
    meaning:
      'The API key made too many requests, or the instance was asked too often for typing, lookups, blocks or changes of groups.',
    exampleDetails: { retry_after: 12, limit: 600, reset: 1_795_209_312 },
  },
  SEND_BACKLOG: {
    status: 429,
    meaning: 'Too many messages of the instance are waiting to be sent.',
    exampleDetails: { retry_after: 30, limit: 1000, reset: 1_795_209_330 },
  },
  STREAM_LIMIT_REACHED: {
    status: 429,
    meaning: 'Too many event streams are open.',
    exampleDetails: { retry_after: 30, limit: 100, reset: 1_795_209_330 },
  },
  INTERNAL_ERROR: {
    status: 500,
    meaning:
      'Something went wrong. Quote the request id when you report it. With status 503, the service cannot reach its database or its files at the moment: retry later.',
  },
  GATEWAY_ERROR: { status: 502, meaning: 'The messaging network refused or failed. Retry later.' },
  GATEWAY_UNAVAILABLE: {
    status: 503,
    meaning: 'Nothing that could reach the messaging network responded in time. Retry later.',
  },
} as const;

/** The codes of refusals, as in REST responses. */
export type ErrorCode = keyof typeof TABLE;

interface ErrorFacts {
  /** The HTTP status. */
  readonly status: number;
  /** When the code is returned, in a sentence for the reference. */
  readonly meaning: string;
  /** The `details` of the code's example in the OpenAPI document. */
  readonly exampleDetails?: object;
}

export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorFacts>> = TABLE;

export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = statusesOf(ERROR_CODES);

function statusesOf<Code extends string>(facts: Readonly<Record<Code, ErrorFacts>>): Record<Code, number> {
  const statuses = Object.entries<ErrorFacts>(facts).map(([code, { status }]) => [code, status]);
  return Object.fromEntries(statuses) as Record<Code, number>; // it has the keys of `facts`
}
