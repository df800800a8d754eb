import type { WebhookInstance } from '@trunkline/receiver';
import type { Capability, Instance, InstanceStatus } from '../domain/instance/instance.ts';
import type { PaceName } from '../domain/instance/pace.ts';
import type { PasskeyRequestOptions } from '../domain/instance/passkey.ts';
import { timestamp, timestampOrNull } from './time.ts';

/** Instance of the REST API (specification, "Instance"). */
export interface InstanceResource {
  /** `ins_…` */
  readonly id: string;
  /** The instance's display name. */
  readonly name: string;
  /** The messaging network that the instance is on, such as `whatsapp`. Not in the API specification. */
  readonly network: string;
  /** The state of the connection; messages are sent only while it is `connected`. */
  readonly status: InstanceStatus;
  /** Digits of the linked number; null if no number is linked. */
  readonly phone_number: string | null;
  /** The name that the account has on the network; null if it is not known. */
  readonly profile_name: string | null;
  /** The address of the account's picture; null if it is not known. */
  readonly profile_picture_url: string | null;
  /** Whether a phone is linked, so that the instance can connect without a QR. */
  readonly paired: boolean;
  /** The kinds of messages that the instance can send, and whether it lists groups. */
  readonly capabilities: readonly Capability[];
  /** Why the instance is not connected, or is restricted, such as `qr_timeout`; null without a reason. */
  readonly last_error: string | null;
  /** The network's current restriction of the number; null if there is none. Not in the API specification. */
  readonly restriction: {
    /** The restriction by the network, such as `cannot_start_chats` or `account_temporarily_banned`. */
    readonly code: string;
    /** When the restriction ends, ISO 8601 with an offset; null if the network does not say. */
    readonly until: string | null;
  } | null;
  /** Whether the instance has a `proxy_url`, which is never shown. Not in the API specification. */
  readonly has_proxy: boolean;
  /** Whether the instance has `credentials`, which are never shown. Not in the API specification. */
  readonly has_credentials: boolean;
  /** The pace that was chosen for the instance; null for that of its gateway. Not in the API specification. */
  readonly pace: PaceName | null;
  /** When the status last changed or was first set, ISO 8601 with an offset; null if not known. */
  readonly status_changed_at: string | null;
  /** When the instance last connected, ISO 8601 with an offset; null if never. */
  readonly connected_at: string | null;
  /** When the connection last ended, ISO 8601 with an offset; null if never. */
  readonly disconnected_at: string | null;
  /**
   * The last sign of life while the instance was connected, ISO 8601 with an offset; null if there was none.
   */
  readonly last_seen_at: string | null;
  /** ISO 8601 with an offset. */
  readonly created_at: string;
  /** ISO 8601 with an offset. */
  readonly updated_at: string;
}

export function instanceResource(instance: Instance, capabilities: readonly Capability[]): InstanceResource {
  return {
    id: instance.id,
    name: instance.name,
    network: instance.network,
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
    has_credentials: instance.sealedCredentials !== null,
    pace: instance.pace,
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
  return Object.fromEntries(filled) as WithoutEmpty<Fields>; // safe: `fields` without null and empty values
}

/**
 * The current pairing QR; `code` is the text in the picture. `pairing_code` is the code to type on the phone instead;
 * null unless the instance was connected with a `pairing_phone_number`.
 */
export interface QrResource {
  /** The QR as an SVG image. */
  readonly svg: string;
  /** The text in the QR, to draw it differently. */
  readonly code: string;
  /** The code to type on the phone instead of scanning; null without a `pairing_phone_number`. */
  readonly pairing_code: string | null;
  /** When the QR expires; ISO 8601 with an offset. */
  readonly expires_at: string;
}

/** The passkey step that the network waits for while it links a number. */
export interface PasskeyResource {
  /**
   * `assertion`: run `script` on `page`, and post the answer. `phone`: the phone finishes the linking. `confirmation`:
   * confirm that the phone shows `code`.
   */
  readonly step: 'assertion' | 'phone' | 'confirmation';
  /**
   * The options for `navigator.credentials.get`, as `PublicKeyCredential.parseRequestOptionsFromJSON` reads them; null
   * unless the step is `assertion`, as are `page` and `script`.
   */
  readonly request_options: PasskeyRequestOptions | null;
  /** The address of a page on which browsers allow the request. */
  readonly page: string | null;
  /** JavaScript for the console of a browser on `page`, which uses the passkey and shows the answer to copy. */
  readonly script: string | null;
  /** The code that the phone shows too; null unless the step is `confirmation`. */
  readonly code: string | null;
  /** When the linking ends unless the step is done; ISO 8601 with an offset. */
  readonly expires_at: string;
}
