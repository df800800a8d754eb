import { CONNECTION_GRACE_MS } from '../../src/domain/instance/instance-state.ts';
import type { InstanceTrigger } from '../../src/domain/instance/instance-state.ts';
import type { Instance, Operation, OperationKind, QrCode } from '../../src/domain/instance/instance.ts';
import type { StoredPasskeyStep } from '../../src/domain/instance/passkey.ts';
import type { LinkedProfile } from '../../src/ports/gateway.ts';
import { NOW, exampleInstance } from './examples.ts';

export const LATER: number = NOW + CONNECTION_GRACE_MS;
export const LINKED: Pick<Instance, 'profileName' | 'profilePictureUrl'> &
  Pick<LinkedProfile, 'phoneNumber'> = {
  phoneNumber: '34600111222',
  profileName: 'Ada',
  profilePictureUrl: 'https://pictures.example/ada',
};
export const QR: QrCode = { sealedCode: 'sealed', sealedPairingCode: null, expiresAt: LATER + 60_000 };
const PASSKEY: StoredPasskeyStep = {
  kind: 'assertion',
  sealedStep: 'sealed',
  expiresAt: LATER + 600_000,
};
export const operation = (kind: OperationKind): Operation => ({ id: 'opr_1', kind, requestedAt: NOW });

/** Every state of an instance that the table in docs/decisions.md distinguishes. */
export const STATES = {
  created: exampleInstance(),
  'connecting, not paired': exampleInstance({ status: 'connecting', desired: 'running' }),
  'connecting, paired': exampleInstance({
    status: 'connecting',
    desired: 'running',
    ...LINKED,
    downSince: NOW,
  }),
  'connecting after a drop': exampleInstance({
    status: 'connecting',
    desired: 'running',
    ...LINKED,
    downSince: NOW,
    droppedAt: NOW,
    lastError: 'connection_lost',
  }),
  qr_required: exampleInstance({ status: 'qr_required', desired: 'running', qr: QR }),
  'qr_required after a drop': exampleInstance({
    status: 'qr_required',
    desired: 'running',
    droppedAt: NOW,
    lastError: 'connection_lost',
  }),
  'qr_required, for a passkey': exampleInstance({
    status: 'qr_required',
    desired: 'running',
    passkey: PASSKEY,
    lastError: 'passkey_required',
  }),
  connected: exampleInstance({
    status: 'connected',
    desired: 'running',
    ...LINKED,
    connectedAt: NOW,
    lastSeenAt: NOW,
  }),
  'connected, restricted': exampleInstance({
    status: 'connected',
    desired: 'running',
    ...LINKED,
    lastError: 'sending_capped',
    restriction: { code: 'sending_capped', until: LATER },
    connectedAt: NOW,
    lastSeenAt: NOW,
  }),
  'disconnected, paired': exampleInstance({ status: 'disconnected', ...LINKED, disconnectedAt: NOW }),
  'disconnected, still trying': exampleInstance({
    status: 'disconnected',
    desired: 'running',
    ...LINKED,
    downSince: NOW,
    disconnectedAt: NOW,
  }),
  'disconnected, not paired': exampleInstance({
    status: 'disconnected',
    lastError: 'qr_timeout',
    disconnectedAt: NOW,
  }),
  'created, with credentials': exampleInstance({ ...LINKED, sealedCredentials: 'sealed before' }),
  'connected, with credentials': exampleInstance({
    status: 'connected',
    desired: 'running',
    ...LINKED,
    sealedCredentials: 'sealed before',
    connectedAt: NOW,
    lastSeenAt: NOW,
  }),
  'disconnected, with credentials': exampleInstance({
    status: 'disconnected',
    ...LINKED,
    sealedCredentials: 'sealed before',
    disconnectedAt: NOW,
  }),
  logged_out: exampleInstance({ status: 'logged_out', disconnectedAt: NOW }),
  'error, paired': exampleInstance({ status: 'error', ...LINKED, lastError: 'banned', disconnectedAt: NOW }),
  'error, for some time': exampleInstance({
    status: 'error',
    desired: 'running',
    ...LINKED,
    lastError: 'banned',
    restriction: { code: 'banned', until: LATER },
    downSince: NOW,
    disconnectedAt: NOW,
  }),
} satisfies Record<string, Instance>;

export const TRIGGERS = {
  connect: { kind: 'connect', pairingNumber: null },
  disconnect: { kind: 'request_operation', operation: operation('disconnect') },
  logout: { kind: 'request_operation', operation: operation('logout') },
  delete: { kind: 'request_operation', operation: operation('delete') },
  passkey_answer: { kind: 'request_operation', operation: operation('passkey_answer') },
  qr: { kind: 'qr', qr: QR },
  passkey: { kind: 'passkey', passkey: PASSKEY },
  qr_timeout: { kind: 'qr_timeout' },
  connected: { kind: 'connected', ...LINKED },
  credentials_given: { kind: 'credentials_given', sealedCredentials: 'sealed', ...LINKED },
  credentials_removed: { kind: 'credentials_removed' },
  dropped: { kind: 'dropped', detail: 'connection_lost' },
  grace_over: { kind: 'grace_over' },
  unlinked: { kind: 'unlinked' },
  failed: { kind: 'failed', code: 'banned' },
  failed_until: { kind: 'failed', code: 'banned', until: LATER + 60_000 },
  restricted: { kind: 'restricted', restriction: { code: 'cannot_start_chats', until: LATER + 60_000 } },
  restriction_over: { kind: 'restriction_over' },
  session_discarded: { kind: 'session_discarded' },
  operation_done: { kind: 'operation_done' },
  operation_failed: { kind: 'operation_failed', error: 'no response' },
} satisfies Record<string, InstanceTrigger>;
