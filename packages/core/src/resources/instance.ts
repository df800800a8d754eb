import type { WebhookInstance } from '@trunkline/receiver';
import type { Group } from '../domain/instance/group.ts';
import type { Capability, Instance, InstanceStatus } from '../domain/instance/instance.ts';
import { timestamp, timestampOrNull } from './time.ts';

/** Instance of the REST API (specification, "Instance"). */
export interface InstanceResource {
  readonly id: string;
  readonly name: string;
  readonly status: InstanceStatus;
  readonly phone_number: string | null;
  readonly profile_name: string | null;
  readonly profile_picture_url: string | null;
  readonly paired: boolean;
  readonly capabilities: readonly Capability[];
  readonly last_error: string | null;
  /** The network's current restriction of the number, and its end if the network says it. An addition of ours. */
  readonly restriction: { readonly code: string; readonly until: string | null } | null;
  /** Whether it has a `proxy_url`, which is never shown. An addition of ours. */
  readonly has_proxy: boolean;
  readonly status_changed_at: string | null;
  readonly connected_at: string | null;
  readonly disconnected_at: string | null;
  readonly last_seen_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export function instanceResource(instance: Instance, capabilities: readonly Capability[]): InstanceResource {
  return {
    id: instance.id,
    name: instance.name,
    status: instance.status,
    phone_number: instance.phoneNumber,
    profile_name: instance.profileName,
    profile_picture_url: instance.profilePictureUrl,
    paired: instance.phoneNumber !== null,
    capabilities: [...capabilities],
    last_error: instance.lastError,
    restriction: instance.restriction && {
      code: instance.restriction.code,
      until: timestampOrNull(instance.restriction.until),
    },
    has_proxy: instance.sealedProxyUrl !== null,
    status_changed_at: timestampOrNull(instance.statusChangedAt),
    connected_at: timestampOrNull(instance.connectedAt),
    disconnected_at: timestampOrNull(instance.disconnectedAt),
    last_seen_at: timestampOrNull(instance.lastSeenAt),
    created_at: timestamp(instance.createdAt),
    updated_at: timestamp(instance.updatedAt),
  };
}

/** The instance in an event: as in REST, without empty fields (specification, "Request the receiver gets"). */
export function instanceEventObject(
  instance: Instance,
  capabilities: readonly Capability[],
): WebhookInstance {
  const { id, name, status, ...optional } = instanceResource(instance, capabilities);
  return { id, name, status, ...withoutEmpty(optional) };
}

export type WithoutEmpty<Fields> = { readonly [Name in keyof Fields]?: NonNullable<Fields[Name]> };

function withoutEmpty<Fields extends object>(fields: Fields): WithoutEmpty<Fields> {
  const filled = Object.entries(fields).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(filled) as WithoutEmpty<Fields>; // the entries of `fields`, less those that are null
}

/**
 * The current pairing QR; `code` is the text in the picture. `pairing_code` is the code to type on the phone instead;
 * null unless the instance was connected with a `pairing_phone_number`.
 */
export interface QrResource {
  readonly svg: string;
  readonly code: string;
  readonly pairing_code: string | null;
  readonly expires_at: string;
}

export interface GroupResource {
  readonly id: string;
  readonly name: string;
  readonly participants_count: number;
  readonly synced_at: string;
}

export function groupResource(group: Group): GroupResource {
  return {
    id: group.id,
    name: group.name,
    participants_count: group.participantsCount,
    synced_at: timestamp(group.syncedAt),
  };
}
