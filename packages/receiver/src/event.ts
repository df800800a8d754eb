import type { InstanceEventType, MessageEventType, OptInEventType, WebhookEventType } from './event-types.ts';
import type { MessageKind, MessagePayload } from './message-kind.ts';

/**
 * The event in a webhook: a union discriminated by `type`. A newer service may send types and fields that are not
 * listed here; they are passed on as they are, so a `switch` on `type` should ignore unknown types.
 */
export type WebhookEvent = WebhookEventOf<WebhookEventType>;

/** The event of one type, as in `WebhookEventOf<'message.received'>`, or the union of several. */
export type WebhookEventOf<Type extends WebhookEventType> = { [T in Type]: Envelope<T> }[Type];

interface Envelope<Type extends WebhookEventType> {
  /** `evt_…`, the same on every retry and at every endpoint: use it to recognise repeats. */
  readonly id: string;
  readonly type: Type;
  /** UTC in microseconds with a `Z`. Events may arrive out of order: `isNewer()` compares them. */
  readonly created_at: string;
  /** `ten_…` */
  readonly workspace_id: string;
  readonly data: DataOf<Type>;
}

type DataOf<Type extends WebhookEventType> = Type extends MessageEventType
  ? { readonly message: WebhookMessage }
  : Type extends InstanceEventType
    ? { readonly instance: WebhookInstance }
    : Type extends OptInEventType
      ? OptInEventData[Type]
      : {
          readonly webhook: {
            readonly id: string;
            readonly url: string;
            readonly description: string | null;
          };
        };

/** The data of the events beyond the specification. Each message is in its state after the event. */
interface OptInEventData {
  readonly 'message.echo': { readonly message: WebhookMessage };
  readonly 'message.reaction': { readonly message: WebhookMessage; readonly reaction: WebhookReaction };
  readonly 'message.edited': { readonly message: WebhookMessage; readonly edit: WebhookDeed };
  readonly 'message.deleted': { readonly message: WebhookMessage; readonly deletion: WebhookDeed };
  readonly 'message.undecryptable': { readonly undecryptable: WebhookUndecryptable };
  readonly 'message.media_available': { readonly message: WebhookMessage };
  readonly 'message.media_updated': { readonly message: WebhookMessage };
  readonly 'call.received': { readonly call: WebhookCall };
}

/** An action on a message: its author and its time. */
export interface WebhookDeed {
  /** Null if the owner of the number did it, or if the network does not say who. */
  readonly contact: WebhookContact | null;
  /** Whether the owner of the number did it. */
  readonly own: boolean;
  /** The time by the network's clock; null if the network does not report it. */
  readonly at: string | null;
}

export interface WebhookReaction extends WebhookDeed {
  /** Null if the reaction was removed. */
  readonly emoji: string | null;
}

/** A message that cannot be read here. It is not stored; the phone may show it. */
export interface WebhookUndecryptable {
  readonly instance_id: string;
  readonly contact: WebhookContact | null;
  /** Null in a chat with one person. */
  readonly group_id: string | null;
  /** `view_once`: the network shows it only on the phone. `no_key`: its sender did not send it again when asked. */
  readonly reason: 'no_key' | 'view_once';
  /** The time by the network's clock; null if the network does not report it. */
  readonly sent_at: string | null;
}

/** A call, which can only be answered on the phone. */
export interface WebhookCall {
  readonly instance_id: string;
  readonly contact: WebhookContact | null;
  /** Null for a call from one person to the number. */
  readonly group_id: string | null;
  readonly video: boolean;
  /** When it was made, by the network's clock; null if the network does not say it. */
  readonly at: string | null;
}

/** The message as it was at the event. Times are ISO 8601 with an offset. */
export interface WebhookMessage {
  readonly id: string;
  readonly instance_id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly type: 'text' | 'image' | 'document' | 'audio' | 'video';
  readonly status: 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'received';
  readonly to: string | null;
  readonly from: string | null;
  readonly group_id: string | null;
  /**
   * The author of an inbound message. The recipient of an outbound one, if it was sent to a `con_…` id or from the
   * phone. Null if the network does not say who it is, or the message was stored before contacts were.
   */
  readonly contact: WebhookContact | null;
  /** `msg_…` of the message in the same chat that this one replies to. Null if it replies to none, or to an unknown one. */
  readonly reply_to: string | null;
  /** The kind of message, finer than `type`, such as `location` or `voice`. Otherwise the same as `type`. */
  readonly kind: MessageKind;
  /** The fields of its kind, if it has any. */
  readonly payload: MessagePayload | null;
  /** The sender of an outbound message: this API, or the phone of the instance. Null if it is inbound. */
  readonly origin: 'api' | 'device' | null;
  readonly text: string | null;
  readonly caption: string | null;
  readonly media: WebhookMedia | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly created_at: string;
  readonly queued_at: string | null;
  /** The time by the network's clock at which an inbound message was sent. Null if the network does not report it. */
  readonly sent_at: string | null;
  readonly delivered_at: string | null;
  readonly read_at: string | null;
  readonly failed_at: string | null;
  readonly received_at: string | null;
  /** When its sender last replaced its text: `text` or `caption` is then the new one. */
  readonly edited_at: string | null;
  /** When its sender deleted it for everyone: it then has no text and no file. */
  readonly deleted_at: string | null;
}

/** A person that an instance has a chat or a group with. */
export interface WebhookContact {
  /** `con_…`: POST /messages accepts it as `to`, also while the number is unknown. */
  readonly id: string;
  /** The name that the person gave themselves. */
  readonly name: string | null;
  /** Digits only. Null while the network hides the number. */
  readonly phone_number: string | null;
  /**
   * Other numbers, digits only, that messages to this person were sent to: the network takes them for theirs, such as one
   * with Brazil's ninth digit.
   */
  readonly dialled_numbers: readonly string[];
  readonly username: string | null;
}

/** The file of a message. The content is downloaded with GET /messages/{message}/media. */
export interface WebhookMedia {
  /** Whether the content can be downloaded. If not yet, `message.media_available` reports when it can. */
  readonly available: boolean;
  readonly mime_type: string;
  /** The size in bytes. Null if the content of an inbound file never reached the service. */
  readonly size: number | null;
  readonly filename: string;
  /** The SHA-256 of the content, in hexadecimal digits. Null if `size` is. */
  readonly sha256: string | null;
}

/** The instance as it was at the event. Empty fields are left out, except id, name and status. */
export interface WebhookInstance {
  readonly id: string;
  readonly name: string;
  readonly status:
    'created' | 'connecting' | 'qr_required' | 'connected' | 'disconnected' | 'logged_out' | 'error';
  readonly phone_number?: string;
  readonly profile_name?: string;
  readonly profile_picture_url?: string;
  readonly paired?: boolean;
  readonly capabilities?: readonly ('text' | 'image' | 'document' | 'audio' | 'video' | 'groups')[];
  readonly last_error?: string;
  /** A restriction that the network has put on the number, and its end if the network reports one. */
  readonly restriction?: { readonly code: string; readonly until: string | null };
  /** Whether it connects through a proxy of its own. */
  readonly has_proxy?: boolean;
  readonly status_changed_at?: string;
  readonly connected_at?: string;
  readonly disconnected_at?: string;
  readonly last_seen_at?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
}

export type ReadEventResult =
  | { readonly ok: true; readonly event: WebhookEvent }
  | { readonly ok: false; readonly reason: 'invalid_json' | 'invalid_event' };

/**
 * Reads the event from a body that was verified before, for example one that was kept in a queue or a table. It checks
 * the five fields of the envelope, but no signature: pass requests from the network to `verify()` or a receiver.
 */
export function readEvent(body: Uint8Array | string): ReadEventResult {
  let value: unknown;
  try {
    value = JSON.parse(typeof body === 'string' ? body : decoder.decode(body));
  } catch {
    return { ok: false, reason: 'invalid_json' };
  }
  return isEvent(value) ? { ok: true, event: value } : { ok: false, reason: 'invalid_event' };
}

// Fatal, and keeps the byte order mark: the text matches the signed bytes exactly, or there is an error.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Checks the envelope only: the service may add fields and types to `data` without notice. */
function isEvent(value: unknown): value is WebhookEvent {
  return (
    isObject(value) &&
    typeof value['id'] === 'string' &&
    typeof value['type'] === 'string' &&
    typeof value['created_at'] === 'string' &&
    typeof value['workspace_id'] === 'string' &&
    isObject(value['data'])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
