import type { Instance } from '@trunkline/core/spi/storage';
import { newId } from './storages.ts';

/** Accepts messages, although no gateway has connected it. */
export function connectedInstance(workspaceId: string): Instance {
  const now = Date.now();
  return {
    id: newId('ins', now),
    workspaceId,
    name: 'Bench',
    network: 'sandbox',
    status: 'connected',
    desired: 'running',
    phoneNumber: '15550100',
    profileName: null,
    profilePictureUrl: null,
    capabilities: null,
    lastError: null,
    restriction: null,
    droppedAt: null,
    qr: null,
    passkey: null,
    pairingNumber: null,
    sealedProxyUrl: null,
    sealedCredentials: null,
    pace: null,
    operation: null,
    operationOutcome: null,
    logoutRefused: false,
    statusChangedAt: now,
    linkedAt: now,
    connectedAt: now,
    disconnectedAt: null,
    lastSeenAt: null,
    downSince: null,
    downNotifiedAt: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}
