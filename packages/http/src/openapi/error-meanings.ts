import type { ErrorCode } from '@trunkline/core';

/** When each code is answered, in a sentence for the reference. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  UNAUTHENTICATED: 'The request has no API key.',
  INVALID_API_KEY: 'The API key is malformed, unknown, revoked or expired.',
  SUBSCRIPTION_REQUIRED: 'The workspace has no subscription.',
  SUBSCRIPTION_PAST_DUE: 'The subscription of the workspace is past due.',
  TRIAL_LIMIT_REACHED: 'The messages of the trial are used up.',
  INSUFFICIENT_SCOPE:
    'The API key lacks the scope, or its member has not verified the e-mail address that webhooks need.',
  WORKSPACE_SUSPENDED: 'The workspace is suspended.',
  WORKSPACE_MISMATCH: 'The API key belongs to another workspace than the one in X-Workspace-Id.',
  INSTANCE_LIMIT_REACHED: 'The plan allows no more instances.',
  WEBHOOK_LIMIT_REACHED: 'The plan allows no more webhook endpoints.',
  NOT_FOUND: 'There is nothing at this path.',
  INSTANCE_NOT_FOUND: 'The workspace has no such instance.',
  GROUP_NOT_FOUND: 'The instance knows no such group.',
  MESSAGE_NOT_FOUND: 'The workspace has no such message.',
  MEDIA_NOT_AVAILABLE: 'The message has no stored file.',
  WEBHOOK_NOT_FOUND: 'The workspace has no such webhook endpoint.',
  WEBHOOK_DELIVERY_NOT_FOUND: 'The workspace has no such delivery.',
  METHOD_NOT_ALLOWED: 'The path has other methods: see the header Allow.',
  INSTANCE_NOT_CONNECTED:
    'No number is linked, or nobody wants it connected: connect the instance. While a linked number reconnects, messages are accepted.',
  INVALID_INSTANCE_STATE: 'The status of the instance does not allow this.',
  INSTANCE_BUSY: 'Another operation on the instance is under way.',
  QR_NOT_AVAILABLE: 'There is a QR only while the status is qr_required.',
  WEBHOOK_DISABLED: 'The webhook endpoint is disabled.',
  WEBHOOK_RETRY_NOT_ALLOWED:
    'The delivery is still being attempted or has succeeded, or its endpoint is disabled or deleted.',
  MEDIA_TOO_LARGE: 'The file is larger than messages of this type may have.',
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  INVALID_MEDIA_TYPE: 'Messages of this type take no such file.',
  VALIDATION_FAILED: 'The request is not valid: see details.fields.',
  INVALID_RECIPIENT: 'The recipient is neither a phone number nor the id of a group.',
  UNSUPPORTED_MESSAGE_TYPE: 'The instance cannot send messages of this type, or not in this content type.',
  INVALID_IDEMPOTENCY_KEY: 'The Idempotency-Key is not 1 to 255 printable ASCII characters without spaces.',
  IDEMPOTENCY_KEY_REUSED: 'The Idempotency-Key was used for another request.',
  INVALID_WEBHOOK_URL: 'The URL of the webhook endpoint does not satisfy the URL rules.',
  RATE_LIMITED: 'The API key made too many requests.',
  SEND_BACKLOG: 'Too many messages of the instance are waiting to be sent.',
  INTERNAL_ERROR:
    'Something went wrong. Quote the request id when you report it. With status 503, the service cannot reach its database or its files at the moment: retry later.',
  GATEWAY_ERROR: 'The messaging network refused or failed. Retry later.',
  GATEWAY_UNAVAILABLE: 'Nothing that could reach the messaging network answered in time. Retry later.',
};
