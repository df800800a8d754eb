// Written from the routes by `pnpm openapi`.
import type { Operations } from './operation.ts';

export const OPERATIONS: Operations = {
  apiKey: { get: { method: 'GET', path: '/api-key' } },
  instances: {
    list: { method: 'GET', path: '/instances' },
    create: { method: 'POST', path: '/instances', input: 'json' },
    get: { method: 'GET', path: '/instances/{instance}' },
    update: { method: 'PATCH', path: '/instances/{instance}', input: 'json' },
    delete: { method: 'DELETE', path: '/instances/{instance}' },
    connect: { method: 'POST', path: '/instances/{instance}/connect', input: 'json' },
    disconnect: { method: 'POST', path: '/instances/{instance}/disconnect' },
    logout: { method: 'POST', path: '/instances/{instance}/logout' },
    qr: { method: 'GET', path: '/instances/{instance}/qr' },
    passkey: { method: 'GET', path: '/instances/{instance}/passkey' },
    answerPasskey: { method: 'POST', path: '/instances/{instance}/passkey', input: 'json' },
    confirmPasskey: { method: 'POST', path: '/instances/{instance}/passkey/confirm' },
    groups: { method: 'GET', path: '/instances/{instance}/groups' },
    history: {
      method: 'GET',
      path: '/instances/{instance}/history',
      input: 'query',
      facts: { perPage: 'per_page', nextCursor: 'next_cursor', prevCursor: 'prev_cursor' },
    },
    chats: {
      method: 'GET',
      path: '/instances/{instance}/chats',
      input: 'query',
      facts: { perPage: 'per_page', nextCursor: 'next_cursor', prevCursor: 'prev_cursor' },
    },
    events: {
      method: 'GET',
      path: '/instances/{instance}/events',
      input: 'query',
      facts: { perPage: 'per_page', nextCursor: 'next_cursor', prevCursor: 'prev_cursor' },
    },
  },
  messages: {
    list: {
      method: 'GET',
      path: '/messages',
      input: 'query',
      facts: { perPage: 'per_page', nextCursor: 'next_cursor', prevCursor: 'prev_cursor' },
    },
    send: { method: 'POST', path: '/messages', input: 'json' },
    get: { method: 'GET', path: '/messages/{message}' },
    standing: { method: 'GET', path: '/messages/{message}/standing' },
    media: { method: 'GET', path: '/messages/{message}/media' },
    events: {
      method: 'GET',
      path: '/messages/{message}/events',
      input: 'query',
      facts: { perPage: 'per_page', nextCursor: 'next_cursor', prevCursor: 'prev_cursor' },
    },
  },
  webhooks: {
    list: { method: 'GET', path: '/webhooks', facts: { configured: 'configured' } },
    create: { method: 'POST', path: '/webhooks', input: 'json' },
    get: { method: 'GET', path: '/webhooks/{webhook}' },
    update: { method: 'PATCH', path: '/webhooks/{webhook}', input: 'json' },
    delete: { method: 'DELETE', path: '/webhooks/{webhook}' },
    rotateSecret: { method: 'POST', path: '/webhooks/{webhook}/rotate-secret', input: 'json' },
    test: { method: 'POST', path: '/webhooks/{webhook}/test' },
    deliveries: {
      method: 'GET',
      path: '/webhooks/{webhook}/deliveries',
      input: 'query',
      facts: { nextCursor: 'next_cursor', perPage: 'per_page' },
    },
    retryFailedDeliveries: { method: 'POST', path: '/webhooks/{webhook}/deliveries/retry-failed' },
  },
  deliveries: {
    get: { method: 'GET', path: '/webhook-deliveries/{delivery}' },
    retry: { method: 'POST', path: '/webhook-deliveries/{delivery}/retry' },
    tryNow: { method: 'POST', path: '/webhook-deliveries/{delivery}/try-now' },
  },
  events: {
    stream: { method: 'GET', path: '/events/stream', input: 'query' },
    get: { method: 'GET', path: '/events/{event}' },
    deliveries: { method: 'GET', path: '/events/{event}/deliveries' },
  },
  networks: { list: { method: 'GET', path: '/networks' } },
};
