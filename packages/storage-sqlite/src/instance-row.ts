import type { Instance, LeasedInstance } from '@trunkline/core/spi/storage';
import type { Columns } from './database.ts';
import { flag, integer, integerOrNull, jsonOrNull, text, textOrNull, toJsonOrNull, word } from './row.ts';
import type { Row } from './row.ts';

export function instanceColumns(instance: Instance): Columns {
  return {
    id: instance.id,
    workspace_id: instance.workspaceId,
    created_at: instance.createdAt,
    ...changeableColumns(instance),
  };
}

/** What a write of an instance changes. */
export function changeableColumns(instance: Instance): Columns {
  return {
    name: instance.name,
    status: instance.status,
    desired: instance.desired,
    phone_number: instance.phoneNumber,
    profile_name: instance.profileName,
    profile_picture_url: instance.profilePictureUrl,
    last_error: instance.lastError,
    dropped_at: instance.droppedAt,
    qr: toJsonOrNull(instance.qr),
    pairing_number: instance.pairingNumber,
    operation: toJsonOrNull(instance.operation),
    operation_outcome: toJsonOrNull(instance.operationOutcome),
    logout_refused: Number(instance.logoutRefused),
    status_changed_at: instance.statusChangedAt,
    connected_at: instance.connectedAt,
    disconnected_at: instance.disconnectedAt,
    last_seen_at: instance.lastSeenAt,
    updated_at: instance.updatedAt,
    version: instance.version,
  };
}

export function readInstance(row: Row): Instance {
  return {
    id: text(row, 'id'),
    workspaceId: text(row, 'workspace_id'),
    name: text(row, 'name'),
    status: word(row, 'status'),
    desired: word(row, 'desired'),
    phoneNumber: textOrNull(row, 'phone_number'),
    profileName: textOrNull(row, 'profile_name'),
    profilePictureUrl: textOrNull(row, 'profile_picture_url'),
    lastError: textOrNull(row, 'last_error'),
    droppedAt: integerOrNull(row, 'dropped_at'),
    qr: jsonOrNull(row, 'qr'),
    pairingNumber: textOrNull(row, 'pairing_number'),
    operation: jsonOrNull(row, 'operation'),
    operationOutcome: jsonOrNull(row, 'operation_outcome'),
    logoutRefused: flag(row, 'logout_refused'),
    statusChangedAt: integerOrNull(row, 'status_changed_at'),
    connectedAt: integerOrNull(row, 'connected_at'),
    disconnectedAt: integerOrNull(row, 'disconnected_at'),
    lastSeenAt: integerOrNull(row, 'last_seen_at'),
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
    version: integer(row, 'version'),
  };
}

export function readLeasedInstance(row: Row): LeasedInstance {
  return {
    instance: readInstance(row),
    lease: {
      instanceId: text(row, 'id'),
      owner: text(row, 'lease_owner'),
      epoch: integer(row, 'lease_epoch'),
    },
  };
}
