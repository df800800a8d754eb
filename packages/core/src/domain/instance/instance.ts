/** What a gateway can do on an instance (specification, Instance `capabilities`). */
export type Capability = 'text' | 'image' | 'document' | 'audio' | 'video' | 'groups';

export type InstanceStatus =
  'created' | 'connecting' | 'qr_required' | 'connected' | 'disconnected' | 'logged_out' | 'error';

/** What the gateway must carry out before the instance takes another operation. */
export type OperationKind = 'disconnect' | 'logout' | 'delete';

export interface Operation {
  readonly id: string;
  readonly kind: OperationKind;
  readonly requestedAt: number;
}

/** How the last operation ended, for the request that waits for it; `error` is null when it was carried out. */
export interface OperationOutcome {
  readonly id: string;
  readonly error: string | null;
}

/** What links a phone: it is shown as a QR, and as a code to type where that was asked for. Stored sealed. */
export interface QrCode {
  readonly sealedCode: string;
  readonly sealedPairingCode: string | null;
  readonly expiresAt: number;
}

/** One linked phone number. Times are epoch milliseconds. */
export interface Instance {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly status: InstanceStatus;
  /** Whether a gateway is to hold a connection open: kept apart from the status, which tells what is. */
  readonly desired: 'running' | 'stopped';
  /** Digits of the linked number; an instance is paired exactly when it has one. */
  readonly phoneNumber: string | null;
  readonly profileName: string | null;
  readonly profilePictureUrl: string | null;
  readonly lastError: string | null;
  /** When a connection dropped that receivers have not been told about. */
  readonly droppedAt: number | null;
  readonly qr: QrCode | null;
  /** Digits of the phone that is to type a code when the instance pairs; null where a QR is enough. */
  readonly pairingNumber: string | null;
  readonly operation: Operation | null;
  readonly operationOutcome: OperationOutcome | null;
  readonly statusChangedAt: number | null;
  readonly connectedAt: number | null;
  readonly disconnectedAt: number | null;
  readonly lastSeenAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Raised by one with every write; a write names the version that it was decided on. */
  readonly version: number;
}

export function isLive(status: InstanceStatus): boolean {
  return status === 'connecting' || status === 'qr_required' || status === 'connected';
}
