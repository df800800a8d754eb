import type { Instance, LeasedInstance } from '@trunkline/core/spi/storage';
import { flag, id, integer, integerOrNull, jsonOrNull, text, textOrNull, toJsonOrNull, word } from './row.ts';
import type { Row } from './row.ts';
import type { Columns } from './statements.ts';
import { encodeText, encodeTextOrNull } from './text-encoding.ts';
import { uuidOf } from './uuid.ts';

export function instanceColumns(instance: Instance): Columns {
  return {
    id: uuidOf('ins', instance.id),
    workspace_id: uuidOf('ten', instance.workspaceId),
    created_at: instance.createdAt,
    ...changeableColumns(instance),
  };
}

/** What a write of an instance changes. */
export function changeableColumns(instance: Instance): Columns {
  return {
    name: encodeText(instance.name),
    status: instance.status,
    desired: instance.desired,
    phone_number: encodeTextOrNull(instance.phoneNumber),
    profile_name: encodeTextOrNull(instance.profileName),
    profile_picture_url: encodeTextOrNull(instance.profilePictureUrl),
    last_error: encodeTextOrNull(instance.lastError),
    dropped_at: instance.droppedAt,
    pairing_number: encodeTextOrNull(instance.pairingNumber),
    qr: toJsonOrNull(instance.qr),
    operation: toJsonOrNull(instance.operation),
    operation_outcome: toJsonOrNull(instance.operationOutcome),
    logout_refused: instance.logoutRefused,
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
    id: id(row, 'id', 'ins'),
    workspaceId: id(row, 'workspace_id', 'ten'),
    name: text(row, 'name'),
    status: word(row, 'status'),
    desired: word(row, 'desired'),
    phoneNumber: textOrNull(row, 'phone_number'),
    profileName: textOrNull(row, 'profile_name'),
    profilePictureUrl: textOrNull(row, 'profile_picture_url'),
    lastError: textOrNull(row, 'last_error'),
    droppedAt: integerOrNull(row, 'dropped_at'),
    pairingNumber: textOrNull(row, 'pairing_number'),
    qr: jsonOrNull(row, 'qr'),
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
      instanceId: id(row, 'id', 'ins'),
      owner: text(row, 'lease_owner'),
      epoch: integer(row, 'lease_epoch'),
    },
  };
}
