import type { ErrorCode, Scope } from '@trunkline/core';
import { FIELDS } from './resource-fields.ts';

export interface Row {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly scope: Scope | null;
  readonly status: number;
  /** Null if the response has no body. */
  readonly response: Shape | null;
  readonly errors: readonly ErrorCode[];
}

/** The fields of a response, of its `data` (or of each object in it), and of its `meta`. */
export interface Shape {
  readonly fields: string;
  readonly data: string;
  readonly list: boolean;
  readonly meta?: string;
}

const row = (
  method: Row['method'],
  path: string,
  scope: Scope | null,
  status: number,
  response: Shape | null,
  errors: readonly ErrorCode[] = [],
): Row => ({ method, path, scope, status, response, errors });

const one = (data: string): Shape => ({ fields: 'data', data, list: false });
const list = (data: string): Shape => ({ fields: 'data', data, list: true });

const OPERATION: readonly ErrorCode[] = [
  'INSTANCE_NOT_FOUND',
  'INVALID_INSTANCE_STATE',
  'INSTANCE_BUSY',
  'GATEWAY_ERROR',
  'GATEWAY_UNAVAILABLE',
];

const SEND: readonly ErrorCode[] = [
  'INSTANCE_NOT_FOUND',
  'GROUP_NOT_FOUND',
  'INVALID_RECIPIENT',
  'UNSUPPORTED_MESSAGE_TYPE',
  'INSTANCE_NOT_CONNECTED',
  'INVALID_MEDIA_TYPE',
  'MEDIA_TOO_LARGE',
  'PAYLOAD_TOO_LARGE',
  'TRIAL_LIMIT_REACHED',
  'SUBSCRIPTION_REQUIRED',
  'SUBSCRIPTION_PAST_DUE',
  'SEND_BACKLOG',
  'VALIDATION_FAILED',
  'INVALID_IDEMPOTENCY_KEY',
  'IDEMPOTENCY_KEY_REUSED',
];

const MESSAGES: Shape = {
  fields: 'data links meta',
  data: FIELDS.message,
  list: true,
  meta: 'path per_page next_cursor prev_cursor',
};
const DELIVERIES: Shape = {
  fields: 'data meta',
  data: FIELDS.delivery,
  list: true,
  meta: 'next_cursor per_page',
};
const WEBHOOKS: Shape = { fields: 'data meta', data: FIELDS.webhook, list: true, meta: 'configured' };
const WITH_SECRET = `${FIELDS.webhook} secret`;

/**
 * The endpoint table of version 1.0.0 of the specification, copied by hand, because its promises stay in force. Later
 * additions are only in route-table.ts, which derives from the routes.
 */
export const ENDPOINT_TABLE: readonly Row[] = [
  row('GET', '/api-key', null, 200, one('id name scopes workspace')),
  row('GET', '/instances', 'instances:read', 200, list(FIELDS.instance)),
  row('POST', '/instances', 'instances:write', 201, one(FIELDS.instance), [
    'INSTANCE_LIMIT_REACHED',
    'SUBSCRIPTION_REQUIRED',
    'VALIDATION_FAILED',
  ]),
  row('GET', '/instances/{instance}', 'instances:read', 200, one(FIELDS.instance), ['INSTANCE_NOT_FOUND']),
  row('PATCH', '/instances/{instance}', 'instances:write', 200, one(FIELDS.instance), [
    'INSTANCE_NOT_FOUND',
    'VALIDATION_FAILED',
  ]),
  row('DELETE', '/instances/{instance}', 'instances:write', 204, null, [
    'INSTANCE_NOT_FOUND',
    'INSTANCE_BUSY',
    'GATEWAY_ERROR',
    'GATEWAY_UNAVAILABLE',
  ]),
  row('POST', '/instances/{instance}/connect', 'instances:write', 202, one(FIELDS.instance), [
    ...OPERATION,
    'VALIDATION_FAILED',
  ]),
  row('POST', '/instances/{instance}/disconnect', 'instances:write', 200, one(FIELDS.instance), OPERATION),
  row('POST', '/instances/{instance}/logout', 'instances:write', 200, one(FIELDS.instance), OPERATION),
  row('GET', '/instances/{instance}/qr', 'instances:write', 200, one('svg code pairing_code expires_at'), [
    'INSTANCE_NOT_FOUND',
    'QR_NOT_AVAILABLE',
  ]),
  row('GET', '/instances/{instance}/groups', 'instances:read', 200, list(FIELDS.group), [
    'INSTANCE_NOT_FOUND',
  ]),
  row('GET', '/messages', 'messages:read', 200, MESSAGES, ['INSTANCE_NOT_FOUND', 'VALIDATION_FAILED']),
  row('POST', '/messages', 'messages:send', 202, one(FIELDS.message), SEND),
  row('GET', '/messages/{message}', 'messages:read', 200, one(FIELDS.message), ['MESSAGE_NOT_FOUND']),
  row('GET', '/messages/{message}/media', 'messages:read', 200, null, [
    'MESSAGE_NOT_FOUND',
    'MEDIA_NOT_AVAILABLE',
  ]),
  row('GET', '/webhooks', 'webhooks:read', 200, WEBHOOKS),
  row('POST', '/webhooks', 'webhooks:write', 201, one(WITH_SECRET), [
    'INVALID_WEBHOOK_URL',
    'WEBHOOK_LIMIT_REACHED',
    'VALIDATION_FAILED',
  ]),
  row('GET', '/webhooks/{webhook}', 'webhooks:read', 200, one(FIELDS.webhook), ['WEBHOOK_NOT_FOUND']),
  row('PATCH', '/webhooks/{webhook}', 'webhooks:write', 200, one(FIELDS.webhook), [
    'WEBHOOK_NOT_FOUND',
    // Returned if enabling a webhook would exceed the plan's limit (docs/decisions.md, "Workspaces").
    'WEBHOOK_LIMIT_REACHED',
    'INVALID_WEBHOOK_URL',
    'VALIDATION_FAILED',
  ]),
  row('DELETE', '/webhooks/{webhook}', 'webhooks:write', 204, null, ['WEBHOOK_NOT_FOUND']),
  row('POST', '/webhooks/{webhook}/rotate-secret', 'webhooks:write', 200, one(WITH_SECRET), [
    'WEBHOOK_NOT_FOUND',
  ]),
  row('POST', '/webhooks/{webhook}/test', 'webhooks:write', 202, one(FIELDS.delivery), [
    'WEBHOOK_NOT_FOUND',
    'WEBHOOK_DISABLED',
  ]),
  row('GET', '/webhooks/{webhook}/deliveries', 'webhooks:read', 200, DELIVERIES, [
    'WEBHOOK_NOT_FOUND',
    'VALIDATION_FAILED',
  ]),
  row(
    'POST',
    '/webhooks/{webhook}/deliveries/retry-failed',
    'webhooks:write',
    202,
    one('requeued remaining'),
    ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
  ),
  row(
    'GET',
    '/webhook-deliveries/{delivery}',
    'webhooks:read',
    200,
    one(`${FIELDS.delivery} request attempt_log`),
    ['WEBHOOK_DELIVERY_NOT_FOUND'],
  ),
  row('POST', '/webhook-deliveries/{delivery}/retry', 'webhooks:write', 202, one(FIELDS.delivery), [
    'WEBHOOK_DELIVERY_NOT_FOUND',
    'WEBHOOK_RETRY_NOT_ALLOWED',
  ]),
];
