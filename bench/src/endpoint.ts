import { randomUUID } from 'node:crypto';
import { HEALTHY } from '@trunkline/core/spi/storage';
import type { Endpoint } from '@trunkline/core/spi/storage';
import { newId } from './storages.ts';

/** Nothing sends its deliveries. */
export function anEndpoint(workspaceId: string): Endpoint {
  const now = Date.now();
  return {
    id: newId('wh', now),
    workspaceId,
    url: `https://hooks.example.com/${randomUUID()}`,
    description: null,
    events: ['message.sent'],
    status: 'enabled',
    traceContext: false,
    instances: null,
    sealedSecret: 'sealed',
    sealedPreviousSecret: null,
    secretBeginsAt: null,
    secretHint: '…abcd',
    disabledAt: null,
    disabledReason: null,
    health: HEALTHY,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}
