import { accepts } from 'hono/accepts';
import type { ErrorCode } from '@trunkline/core';
import { data, NOTHING } from '../answer.ts';
import { unchecked } from './route.ts';
import type { Route } from './route.ts';

const SVG = 'image/svg+xml';
const QR_TYPES = ['application/json', SVG];

const OPERATION_ERRORS: readonly ErrorCode[] = [
  'INSTANCE_NOT_FOUND',
  'INVALID_INSTANCE_STATE',
  'INSTANCE_BUSY',
  'GATEWAY_ERROR',
  'GATEWAY_UNAVAILABLE',
];

export const instanceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/instances',
    summary: 'Lists all instances, oldest first',
    scope: 'instances:read',
    success: { status: 200, body: 'InstanceList' },
    errors: [],
    handle: async ({ api }) => data(await api.instances.list()),
  },
  {
    method: 'POST',
    path: '/instances',
    summary: 'Creates an instance',
    scope: 'instances:write',
    body: 'InstanceInput',
    success: { status: 201, body: 'InstanceAnswer' },
    errors: ['INSTANCE_LIMIT_REACHED', 'SUBSCRIPTION_REQUIRED', 'VALIDATION_FAILED'],
    handle: async ({ api, body }) => data(await api.instances.create(unchecked(body))),
  },
  {
    method: 'GET',
    path: '/instances/{instance}',
    summary: 'Reads an instance',
    scope: 'instances:read',
    success: { status: 200, body: 'InstanceAnswer' },
    errors: ['INSTANCE_NOT_FOUND'],
    handle: async ({ api, id }) => data(await api.instances.get(id)),
  },
  {
    method: 'PATCH',
    path: '/instances/{instance}',
    summary: 'Renames an instance',
    scope: 'instances:write',
    body: 'InstanceInput',
    success: { status: 200, body: 'InstanceAnswer' },
    errors: ['INSTANCE_NOT_FOUND', 'VALIDATION_FAILED'],
    handle: async ({ api, id, body }) => data(await api.instances.update(id, unchecked(body))),
  },
  {
    method: 'DELETE',
    path: '/instances/{instance}',
    summary: 'Closes the connection of an instance and removes it',
    scope: 'instances:write',
    success: { status: 204, body: null },
    errors: ['INSTANCE_NOT_FOUND', 'INSTANCE_BUSY', 'GATEWAY_ERROR', 'GATEWAY_UNAVAILABLE'],
    handle: async ({ api, id }) => {
      await api.instances.delete(id);
      return NOTHING;
    },
  },
  {
    method: 'POST',
    path: '/instances/{instance}/connect',
    summary: 'Starts to connect an instance; the first time it is paired by its QR or a code',
    scope: 'instances:write',
    body: 'ConnectInput',
    success: { status: 202, body: 'InstanceAnswer' },
    errors: [...OPERATION_ERRORS, 'VALIDATION_FAILED'],
    handle: async ({ api, id, body }) => data(await api.instances.connect(id, unchecked(body))),
  },
  {
    method: 'POST',
    path: '/instances/{instance}/disconnect',
    summary: 'Disconnects an instance and keeps its session',
    scope: 'instances:write',
    success: { status: 200, body: 'InstanceAnswer' },
    errors: OPERATION_ERRORS,
    handle: async ({ api, id }) => data(await api.instances.disconnect(id)),
  },
  {
    method: 'POST',
    path: '/instances/{instance}/logout',
    summary: 'Unlinks the number of an instance and discards its session',
    scope: 'instances:write',
    success: { status: 200, body: 'InstanceAnswer' },
    errors: OPERATION_ERRORS,
    handle: async ({ api, id }) => data(await api.instances.logout(id)),
  },
  {
    method: 'GET',
    path: '/instances/{instance}/qr',
    summary: 'Reads the QR to scan, while the status is qr_required',
    scope: 'instances:write',
    success: { status: 200, body: 'QrAnswer', contentTypes: QR_TYPES, noStore: true },
    errors: ['INSTANCE_NOT_FOUND', 'QR_NOT_AVAILABLE'],
    handle: async ({ api, id, c }) => {
      const qr = await api.instances.qr(id);
      const type = accepts(c, { header: 'Accept', supports: QR_TYPES, default: 'application/json' });
      return type === SVG ? { headers: { 'Content-Type': SVG }, body: qr.svg } : data(qr);
    },
  },
  {
    method: 'GET',
    path: '/instances/{instance}/groups',
    summary: 'Lists the groups of an instance by name',
    scope: 'instances:read',
    success: { status: 200, body: 'GroupList' },
    errors: ['INSTANCE_NOT_FOUND'],
    handle: async ({ api, id }) => data(await api.instances.groups(id)),
  },
];
