import type { InstanceEventType, MessageEventType, WebhookEventType } from './event-types.ts';
import type { MessageKind, MessagePayload } from './message-kind.ts';

/**
 * The event in a webhook: a union discriminated by `type`. A newer service may send types and fields that are not
 * listed here. They are passed on unchanged, so a `switch` on `type` should ignore unknown types.
 */
export type WebhookEvent = WebhookEventOf<WebhookEventType>;

/** The event of one type, such as `WebhookEventOf<'message.received'>`, or the union of several. */
export type WebhookEventOf<Type extends WebhookEventType> = { [T in Type]: Envelope<T> }[Type];

interface Envelope<Type extends WebhookEventType> {
  /** `evt_…`, the same on every retry and at every endpoint: use it to recognise repeats. */
  readonly id: string;
  /** The type, such as `message.received`, which decides the fields of `data`. */
  readonly type: Type;
  /** In UTC, with microseconds and a `Z`. Events may arrive out of order: `isNewer()` compares them. */
  readonly created_at: string;
  /** `ten_…` */
  readonly workspace_id: string;
  /** The subject of the event, in its state after the event. */
  readonly data: DataOf<Type>;
}

type DataOf<Type extends WebhookEventType> = Type extends MessageEventType
  ? OfMessage
  : Type extends InstanceEventType
    ? {
        /** The instance, in its state after the event. */
        readonly instance: WebhookInstance;
      }
    : Type extends keyof OptInEventData
      ? OptInEventData[Type]
      : {
          /** The endpoint that is tested. */
          readonly webhook: {
            /** `wh_…` */
            readonly id: string;
            /** Where events are sent. */
            readonly url: string;
            /** The owner's note; null if there is none. */
            readonly description: string | null;
          };
        };

/** The data of the events beyond the specification. */
interface OptInEventData {
  /** `message.echo` */
  readonly 'message.echo': OfMessage;
  /** `message.reaction` */
  readonly 'message.reaction': OfMessage & {
    /** The reaction and its author. */
    readonly reaction: WebhookReaction;
  };
  /** `message.poll_voted` */
  readonly 'message.poll_voted': OfMessage & {
    /** The vote, which replaces the person's vote before. */
    readonly vote: WebhookVote;
  };
  /** `message.edited` */
  readonly 'message.edited': OfMessage & {
    /** The person who edited the message, and the time. */
    readonly edit: WebhookDeed;
  };
  /** `message.deleted` */
  readonly 'message.deleted': OfMessage & {
    /** The person who deleted the message, and the time. */
    readonly deletion: WebhookDeed;
  };
  /** `message.action_failed` */
  readonly 'message.action_failed': OfMessage & {
    /** The action, and why it has failed. */
    readonly action: WebhookAction;
  };
  /** `message.undecryptable` */
  readonly 'message.undecryptable': {
    /** The known facts about the message. */
    readonly undecryptable: WebhookUndecryptable;
  };
  /** `message.media_available` */
  readonly 'message.media_available': OfMessage;
  /** `message.media_updated` */
  readonly 'message.media_updated': OfMessage;
  /** `call.received` */
  readonly 'call.received': {
    /** The call. */
    readonly call: WebhookCall;
  };
}

interface OfMessage {
  /** The message, in its state after the event. */
  readonly message: WebhookMessage;
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

/** A reaction to a message. */
export interface WebhookReaction extends WebhookDeed {
  /** Null if the reaction was removed. */
  readonly emoji: string | null;
}

/** A person's present vote in a poll. */
export interface WebhookVote extends WebhookDeed {
  /** The chosen answers, as the poll has them; empty if the vote was taken back. */
  readonly options: readonly string[];
}

/** An action of the instance on a message, which the API has accepted. Times are ISO 8601 with an offset. */
export interface WebhookAction {
  /** `act_…` */
  readonly id: string;
  /** The instance that acts, `ins_…`. */
  readonly instance_id: string;
  /** The message that the action is about, `msg_…`. */
  readonly message_id: string;
  /** The effect of the action on the message. */
  readonly kind: 'reaction' | 'edit' | 'deletion' | 'read_mark';
  /** The emoji of a reaction; null if the action takes the reaction back, and for other kinds. */
  readonly emoji: string | null;
  /**
   * The text or caption after an edit, empty if the edit removes the caption; null for other kinds, and once the message
   * was deleted.
   */
  readonly text: string | null;
  /** The progress of the action: it waits in the queue of the instance, the network has accepted it, or it has failed. */
  readonly status: 'queued' | 'sent' | 'failed';
  /** Why the action failed; null unless its status is `failed`. */
  readonly error: {
    /** The reason as a code. With `send_outcome_unknown`, the network may have carried the action out. */
    readonly code: string;
    /** The reason in words. */
    readonly message: string;
  } | null;
  /** When the API accepted the action. */
  readonly created_at: string;
  /** When the network accepted the action; null until then. */
  readonly sent_at: string | null;
  /** When the action failed; null if it did not fail. */
  readonly failed_at: string | null;
}

/** A message that the service cannot read and does not store. The phone may show it. */
export interface WebhookUndecryptable {
  /** The instance that the message was sent to, `ins_…`. */
  readonly instance_id: string;
  /** The sender; null if the network does not say. */
  readonly contact: WebhookContact | null;
  /** The group, `grp_…`; null in a chat with one person. */
  readonly group_id: string | null;
  /** `view_once`: the network shows the message only on the phone. `no_key`: the sender did not resend it when asked. */
  readonly reason: 'no_key' | 'view_once';
  /** The time by the network's clock; null if the network does not report it. */
  readonly sent_at: string | null;
}

/** A call, which can only be answered on the phone. */
export interface WebhookCall {
  /** The instance that was called, `ins_…`. */
  readonly instance_id: string;
  /** The caller; null if the network does not say. */
  readonly contact: WebhookContact | null;
  /** The group of a group call, `grp_…`; null for a call from one person. */
  readonly group_id: string | null;
  /** Whether it is a video call. */
  readonly video: boolean;
  /** When the call was made, by the network's clock; null if the network does not say. */
  readonly at: string | null;
}

/** The message, in its state after the event. Times are ISO 8601 with an offset. */
export interface WebhookMessage {
  /** `msg_…` */
  readonly id: string;
  /** The receiving or sending instance, `ins_…`. */
  readonly instance_id: string;
  /** Whether the instance received or sent the message. */
  readonly direction: 'inbound' | 'outbound';
  /** `text`, or the type of the file. */
  readonly type: 'text' | 'image' | 'document' | 'audio' | 'video';
  /** The progress of the message. Inbound messages are always `received`. */
  readonly status: 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'received';
  /** Digits of the recipient's number; null in a group, and if the number is not known. */
  readonly to: string | null;
  /** Digits of the sender's number; null if the network hides it. */
  readonly from: string | null;
  /** The group of the message, `grp_…`; null in a chat with one person. */
  readonly group_id: string | null;
  /**
   * The author of an inbound message. The recipient of an outbound message, if it was sent to a `con_…` id or from the
   * phone. Null if the network does not say who that is, or the message was stored before the service kept contacts.
   */
  readonly contact: WebhookContact | null;
  /**
   * `msg_…` of the message in the same chat that this message replies to. Null if this message is not a reply, or if
   * that message is unknown.
   */
  readonly reply_to: string | null;
  /** The kind of message: more specific than `type`, such as `location` or `voice`, or equal to `type`. */
  readonly kind: MessageKind;
  /** The fields of this kind; null if the kind has none. */
  readonly payload: MessagePayload | null;
  /** How an outbound message was sent: by this API, or on a device of the owner. Null if inbound. */
  readonly origin: 'api' | 'device' | null;
  /** The text; null for a file, and once deleted. */
  readonly text: string | null;
  /** The text below the file; null if there is none. */
  readonly caption: string | null;
  /** The file; null for a text. */
  readonly media: WebhookMedia | null;
  /** When the message is to be sent, if it was scheduled with this field; otherwise absent. */
  readonly send_at?: string;
  /** Why the message could not be sent; null unless its status is `failed`. */
  readonly error: {
    /** The reason as a code. With `send_outcome_unknown`, the message may have arrived. */
    readonly code: string;
    /** The reason in words. */
    readonly message: string;
  } | null;
  /** When the message was accepted or arrived. */
  readonly created_at: string;
  /** When the API accepted the message; null if it was received, or sent with the phone. */
  readonly queued_at: string | null;
  /**
   * Inbound: when it was sent, by the network's clock; null if unknown. Outbound: when the network accepted it; null
   * until then.
   */
  readonly sent_at: string | null;
  /** When the message reached the recipient's phone, or the first phone in a group; null until then. */
  readonly delivered_at: string | null;
  /**
   * Outbound: when the recipient, or the first person in a group, read the message. Inbound: when it was marked as read by
   * the API. Null until then.
   */
  readonly read_at: string | null;
  /** When sending failed; null if it did not fail. */
  readonly failed_at: string | null;
  /** When an inbound message arrived; null if outbound. */
  readonly received_at: string | null;
  /** When the sender last replaced the text; null if never. `text` or `caption` then has the new text. */
  readonly edited_at: string | null;
  /** When the sender deleted the message for everyone, which removes its text and file; null if never. */
  readonly deleted_at: string | null;
}

/** A person with whom an instance shares a chat or a group. */
export interface WebhookContact {
  /** `con_…`: POST /messages accepts this id as `to`, even while the number is unknown. */
  readonly id: string;
  /** The name that the person chose; null if unknown. */
  readonly name: string | null;
  /** Digits only. Null while the network hides the number. */
  readonly phone_number: string | null;
  /**
   * Other numbers (digits only) to which messages for this person were sent. The network treats them as the person's
   * own, such as a number with Brazil's ninth digit.
   */
  readonly dialled_numbers: readonly string[];
  /** The person's user name on the network; null if they have none. */
  readonly username: string | null;
}

/** The file of a message. The content is downloaded with GET /messages/{message}/media. */
export interface WebhookMedia {
  /** Whether the content can be downloaded. If not yet, `message.media_available` reports when it becomes available. */
  readonly available: boolean;
  /** The type of the file, such as `image/jpeg`. */
  readonly mime_type: string;
  /** The size in bytes. Null if the content of an inbound file never reached the service. */
  readonly size: number | null;
  /** The name, without directories. */
  readonly filename: string;
  /** The SHA-256 of the content, in hexadecimal digits. Null if `size` is null. */
  readonly sha256: string | null;
}

/** The instance, in its state after the event. Empty fields are left out; id, name and status are always present. */
export interface WebhookInstance {
  /** `ins_…` */
  readonly id: string;
  /** The instance's display name. */
  readonly name: string;
  /** The state of the connection. Messages are sent only while it is `connected`. */
  readonly status:
    'created' | 'connecting' | 'qr_required' | 'connected' | 'disconnected' | 'logged_out' | 'error';
  /** The messaging network that the instance is on, such as `whatsapp`. */
  readonly network?: string;
  /** Digits of the linked number. */
  readonly phone_number?: string;
  /** The name that the account has on the network. */
  readonly profile_name?: string;
  /** The address of the account's picture. */
  readonly profile_picture_url?: string;
  /** Whether a phone is linked, so that no QR code is needed to connect. */
  readonly paired?: boolean;
  /** The kinds of messages and of actions on messages that the instance can send, and what else it can do. */
  readonly capabilities?: readonly (
    | 'text'
    | 'image'
    | 'document'
    | 'audio'
    | 'video'
    | 'locations'
    | 'contacts'
    | 'polls'
    | 'stickers'
    | 'mentions'
    | 'groups'
    | 'reactions'
    | 'edits'
    | 'deletions'
    | 'read_marks'
    | 'typing'
    | 'lookup'
    | 'block'
    | 'group_admin'
  )[];
  /** Why the instance is not connected or is restricted, such as `qr_timeout`. */
  readonly last_error?: string;
  /** A restriction that the network has put on the number, and when it ends if the network says so. */
  readonly restriction?: {
    /** The restriction as a code, such as `cannot_start_chats` or `account_temporarily_banned`. */
    readonly code: string;
    /** When the restriction ends, ISO 8601 with an offset; null if the network does not say. */
    readonly until: string | null;
  };
  /** Whether the instance connects through its own proxy. */
  readonly has_proxy?: boolean;
  /** Whether the instance has `credentials`, which are never shown. */
  readonly has_credentials?: boolean;
  /** The pace at which the instance sends, if one was chosen for it. */
  readonly pace?: 'gentle' | 'off';
  /** ISO 8601 with an offset. */
  readonly status_changed_at?: string;
  /** When the last connection began; ISO 8601 with an offset. */
  readonly connected_at?: string;
  /** When the last connection ended; ISO 8601 with an offset. */
  readonly disconnected_at?: string;
  /** The last sign of life during a connection; ISO 8601 with an offset. */
  readonly last_seen_at?: string;
  /** ISO 8601 with an offset. */
  readonly created_at?: string;
  /** ISO 8601 with an offset. */
  readonly updated_at?: string;
}

/** The event in a body, or why it is invalid. */
export type ReadEventResult =
  | {
      /** Whether the body is an event. */
      readonly ok: true;
      /** The event. */
      readonly event: WebhookEvent;
    }
  | {
      /** Whether the body is an event. */
      readonly ok: false;
      /** `invalid_json` if the body is not JSON; `invalid_event` if it lacks a field of the envelope. */
      readonly reason: 'invalid_json' | 'invalid_event';
    };

/**
 * Reads the event from a body that was verified earlier, for example a body kept in a queue or a table. It checks the
 * five fields of the envelope, but no signature: pass requests from the network to `verify()` or a receiver.
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

// Fatal, and keeps the byte order mark: decoding either fails or keeps the signed bytes exactly.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Checks only the envelope: the service may add types, and fields of `data`, without notice. */
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
