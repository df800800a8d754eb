import { expect, it } from 'vitest';
import { ERROR_STATUS } from './error-code.ts';

/** The codes in version 1.0.0 of the specification ("Errors"). They must not change. */
const SPECIFIED: Record<number, string> = {
  401: 'UNAUTHENTICATED, INVALID_API_KEY',
  402: 'SUBSCRIPTION_REQUIRED, SUBSCRIPTION_PAST_DUE, TRIAL_LIMIT_REACHED',
  403: 'INSUFFICIENT_SCOPE, WORKSPACE_SUSPENDED, INSTANCE_LIMIT_REACHED, WEBHOOK_LIMIT_REACHED',
  404: 'NOT_FOUND, INSTANCE_NOT_FOUND, GROUP_NOT_FOUND, MESSAGE_NOT_FOUND, WEBHOOK_NOT_FOUND, WEBHOOK_DELIVERY_NOT_FOUND',
  409: 'INSTANCE_NOT_CONNECTED, INVALID_INSTANCE_STATE, INSTANCE_BUSY, QR_NOT_AVAILABLE, WEBHOOK_DISABLED, WEBHOOK_RETRY_NOT_ALLOWED',
  413: 'MEDIA_TOO_LARGE, PAYLOAD_TOO_LARGE',
  415: 'INVALID_MEDIA_TYPE',
  422: 'VALIDATION_FAILED, INVALID_RECIPIENT, UNSUPPORTED_MESSAGE_TYPE, INVALID_IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_REUSED, INVALID_WEBHOOK_URL',
  429: 'RATE_LIMITED, SEND_BACKLOG',
  502: 'GATEWAY_ERROR',
  503: 'GATEWAY_UNAVAILABLE',
};
/** Codes whose status the specification leaves open, as docs/decisions.md decides them. */
const DECIDED = {
  WORKSPACE_MISMATCH: 403,
  METHOD_NOT_ALLOWED: 405,
  INTERNAL_ERROR: 500,
  MEDIA_NOT_AVAILABLE: 404,
};

it('every code of the specification exists, with its status', () => {
  const rows = Object.entries(SPECIFIED).flatMap(([status, codes]) =>
    codes.split(', ').map((code) => [code, Number(status)]),
  );
  expect(ERROR_STATUS).toMatchObject({ ...Object.fromEntries(rows), ...DECIDED });
});
