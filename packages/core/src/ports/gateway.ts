import type { MessageKindAndPayload } from '@trunkline/receiver';
import type { ContactReport } from '../domain/contact/contact.ts';
import type { GroupReport } from '../domain/instance/group.ts';
import type { GroupOutcome, GroupRequest } from '../domain/instance/group-request.ts';
import type { Restriction } from '../domain/instance/restriction.ts';
import type { ChatAddress } from '../domain/instance/chat-address.ts';
import type { TypingState } from '../domain/instance/instance-call.ts';
import type { NumberLookup } from '../domain/instance/number-lookup.ts';
import type { Capability } from '../domain/instance/instance.ts';
import type { Pace } from '../domain/instance/pace.ts';
import type { PasskeyAnswer, PasskeyStep } from '../domain/instance/passkey.ts';
import type { MediaType } from '../domain/message/media-rules.ts';
import type { ActionCapability } from '../domain/message/message-action.ts';
import type { MessageError, MessageType } from '../domain/message/message.ts';
import type { Clock } from './clock.ts';
import type { PagePreview } from './link-previewer.ts';
import type { Logger } from './logger.ts';
import type { Random } from './random.ts';

/**
 * Connects Trunkline to a messaging network. A gateway keeps durable state only in the `Session` that it gets. The
 * service reconnects, backs off and holds the leases.
 */
export interface Gateway {
  /**
   * The name by which instances choose this network, such as `whatsapp`: 1 to 32 lower-case letters, digits and `_`,
   * beginning with a letter. It is stored with each instance, so it never changes.
   */
  readonly network: string;
  /** The name of the network for people, such as `WhatsApp`. */
  readonly title: string;
  /** How an instance is linked, in the order in which to offer it. */
  readonly linking: readonly LinkMethod[];
  /** The values that link an instance: at least one if `linking` has `credentials`, and absent otherwise. */
  readonly credentials?: readonly CredentialField[];
  /** Whether requests can control the phones of this network, because they are simulated. Absent means false. */
  readonly isSimulated?: boolean;
  /**
   * Whether other processes connect the instances of this network. This process then only serves requests for them,
   * checks their credentials, and takes no leases on them. Absent means false.
   */
  readonly connectsElsewhere?: boolean;
  /**
   * `text`, and the other abilities of the gateway. Instances show these capabilities; the service refuses to send
   * anything else.
   */
  readonly capabilities: readonly Capability[];
  /**
   * How long after a message was sent the network allows an action on it, in milliseconds, by the capability of the
   * action. Without a value, there is no limit.
   */
  readonly actionsWithinMs?: Readonly<Partial<Record<ActionCapability, number>>>;
  /** Whether the gateway connects through `OpenOptions.proxyUrl`. If absent or false, instances cannot have proxies. */
  readonly acceptsProxy?: boolean;
  /**
   * How many messages of one instance the gateway sends at the same time, each to another recipient: 1 to 1,000. If
   * absent, 1. Each of them has to respond within the time limit of a send, which includes every wait in the gateway.
   */
  readonly sendsAtOnce?: number;
  /** Called once, before anything else, with the clock, the randomness and the logger of the service. */
  attach(context: GatewayContext): void;
  /**
   * Returns an id for a new outbound message in the network's own form, made from 16 bytes that look random and belong
   * only to this message. If the id ends with all of these bytes in hexadecimal, or with the first 9, the id leads back
   * to the message. With any other form, the storage has to index the id of every outbound message, which makes
   * acceptance slower.
   */
  newMessageId(bytes: Uint8Array): string;
  /**
   * Starts to connect, or to pair if the session is empty. Resolves immediately, and reports all events to `listener`.
   */
  open(session: Session, listener: GatewayListener, options?: OpenOptions): Promise<GatewayConnection>;
  /**
   * Asks the network whether these credentials are valid, before they are stored. They are complete, and have no other
   * names than `credentials`. Rejects if the network could not be reached. Required if `linking` has `credentials`.
   */
  checkCredentials?(
    credentials: Credentials,
    options?: Pick<OpenOptions, 'proxyUrl'>,
  ): Promise<CredentialsCheck>;
  /**
   * Whether a value of a session is about this person, decided only by the value's name, so that such values are found
   * and erased. Absent if the gateway keeps no such values.
   */
  isSessionValueOf?(name: string, person: PersonOnNetwork): boolean;
  /** Unlinks a number that has no open connection. Rejects if the network could not be reached. */
  unlink(session: Session, options?: UnlinkOptions): Promise<void>;
}

/**
 * How a number is linked: by a QR that its phone scans, by a code that is typed on the phone, or by credentials that the
 * network gave out for it.
 */
export type LinkMethod = 'qr' | 'pairing_code' | 'credentials';

/** A named value of the credentials that link an instance. */
export interface CredentialField {
  /** 1 to 32 lower-case letters, digits and `_`, beginning with a letter, such as `access_token`. */
  readonly name: string;
  /** Whether forms hide the value while it is typed. Every value is sealed, and never shown. */
  readonly secret: boolean;
  /** Whether credentials without this value are refused. */
  readonly required: boolean;
  /** Says in a sentence which value this is, and where to find it. */
  readonly about: string;
}

/** Credentials by their names, without the optional ones that were not given. */
export type Credentials = Readonly<Record<string, string>>;

export type CredentialsCheck =
  | { readonly kind: 'valid'; readonly profile: LinkedProfile }
  /** `message` says in a sentence what to give instead, and repeats no value. */
  | { readonly kind: 'refused'; readonly message: string };

/** All known identifiers of a person to erase. */
export interface PersonOnNetwork {
  /** Digits. */
  readonly numbers: ReadonlySet<string>;
  /** The network's ids of the person. */
  readonly networkIds: ReadonlySet<string>;
  /** The network's ids of the messages that were sent to the person. */
  readonly messageIds: ReadonlySet<string>;
}

export interface OpenOptions {
  /**
   * The number, in digits, of a phone on which a code is typed instead of scanning the QR: the pairing then shows both.
   * Null shows only the QR. A gateway to a network without such codes ignores the number.
   */
  readonly pairingNumber: string | null;
  /**
   * The address of the proxy that everything of this instance goes through: `http:`, `https:` or `socks5:`, perhaps
   * with a user name and a password. A customer chose it, so keep it out of logs and errors. If null or absent, no such
   * proxy is used; never present if the gateway does not accept proxies.
   */
  readonly proxyUrl?: string | null;
  /**
   * The credentials that link the instance. Null or absent if it was linked in another way. If `linking` is only
   * `credentials`, a connection always has them.
   */
  readonly credentials?: Credentials | null;
}

/** How to reach the network to unlink a number. */
export type UnlinkOptions = Pick<OpenOptions, 'proxyUrl' | 'credentials'>;

export interface GatewayContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface GatewayConnection {
  /**
   * The pace at which the service sends on this connection, unless another was chosen for the instance. Absent means
   * that messages are sent as fast as the network accepts them.
   */
  readonly pace?: Pace;
  send(message: OutgoingMessage): Promise<SendOutcome>;
  /**
   * Carries out an action on a message, with the same outcomes as those of a message. Called one after another, and
   * with the messages to the same recipient, in the order of their acceptance. Required for the capabilities
   * `reactions`, `edits`, `deletions` and `read_marks`.
   */
  act?(action: OutgoingAction): Promise<SendOutcome>;
  /**
   * Shows a chat that the number is typing or recording, or no longer. Resolves once that is on its way; rejects if the
   * network could not be reached. Never asks the network who a person is: to a person whom it would have to ask about, it
   * shows nothing. Required for the capability `typing`.
   */
  showTyping?(chat: ChatAddress, state: TypingState): Promise<void>;
  /**
   * Asks the network about these different numbers, at most 50 and in digits, in one query if possible: a result for each,
   * in any order. Rejects if the network does not say. The service asks one after another, and limits how many a day.
   * Required for the capability `lookup`.
   */
  lookUp?(numbers: readonly string[]): Promise<readonly NumberLookup[]>;
  /**
   * Blocks a person for the number, or no longer. Resolves once the network has done it, or if it was so before; rejects
   * if the network refuses it or could not be reached. Required for the capability `block`.
   */
  setBlocked?(person: ChatAddress, isBlocked: boolean): Promise<void>;
  /**
   * Carries out a request about a group. The service makes changes one after another, and limits how many. If this
   * rejects, a change counts as perhaps made, and is not repeated: when nothing can have reached the network, resolve with
   * `not_done` instead. Required for the capability `group_admin`.
   */
  manageGroup?(request: GroupRequest): Promise<GroupOutcome>;
  /**
   * Opens the file of a received message by its `reference`, even if an earlier connection reported the reference.
   * Rejects if the file is not available now. Absent if the network's files have no references.
   */
  openFile?(reference: Uint8Array): Promise<ReadableStream<Uint8Array>>;
  /**
   * Passes a person's answer to the step that was last reported to `GatewayListener.passkey`, and resolves once the
   * network has accepted it; the step that follows has been reported by then. Rejects if the network refuses or
   * does not respond, in words for the person, or if the network waits for another step. Absent if the network asks for
   * no passkeys.
   */
  answerPasskey?(answer: PasskeyAnswer): Promise<void>;
  /** Closes the connection and keeps the session. Nothing is reported afterwards. */
  close(): Promise<void>;
  /** Unlinks the number, then closes. Rejects if the network could not be reached. */
  logout(): Promise<void>;
}

/**
 * The values that a gateway stores for one instance: small, named, encrypted at rest, and written under the lease with
 * which the session was opened.
 */
export interface Session {
  readonly instanceId: string;
  load(): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Reads the values with these names; names without a value are absent. For a gateway that stores more than it wants
   * to keep in memory. Trunkline's own sessions have this method and `names`.
   */
  read?(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  names?(page: SessionNamesPage): Promise<readonly string[]>;
  /**
   * Writes in one transaction; null deletes a value. Rejects if another process holds the instance now, in which case
   * the gateway has to close the connection.
   */
  save(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void>;
}

/** Selects a part of the names of an instance's stored values, in an order that the storage chooses and keeps. */
export interface SessionNamesPage {
  /** Only names that begin with this prefix are listed; empty for all. */
  readonly prefix: string;
  /** The last name of the previous page, which may have been deleted since; null for the first page. */
  readonly after: string | null;
  /** A page with fewer names is the last page. */
  readonly limit: number;
}

/** A message, or an action on a message, on its way to a chat. */
interface Outgoing extends ChatAddress {
  /** Chosen beforehand and the same on every resend, so that the network can recognise a repeat. */
  readonly networkId: string;
}

/** An action on a message, in the chat of that message. */
export interface OutgoingAction extends Outgoing {
  readonly about: MessageOnNetwork;
  readonly deed: Deed;
}

/** A message by the names that the network has for it and for its author. */
export interface MessageOnNetwork {
  readonly networkId: string;
  /** The network's id of the author; null if the instance wrote the message. */
  readonly senderId: string | null;
}

/** The change that an action makes to its message. */
export type Deed =
  /** Null takes the reaction back. */
  | { readonly kind: 'reaction'; readonly emoji: string | null }
  /**
   * Replaces the text of a message of the instance, or the caption of its file, which is empty to remove it. `mentions`
   * are those of the message.
   */
  | ({ readonly kind: 'edit'; readonly type: MessageType; readonly text: string } & Pick<
      OutgoingMessage,
      'mentions'
    >)
  /** Deletes a message of the instance for everyone in its chat. */
  | { readonly kind: 'deletion' }
  /**
   * Marks a received message as read, and these earlier unread ones that the instance received in its chat, newest first, at
   * most 200. A repeat changes nothing.
   */
  | { readonly kind: 'read_mark'; readonly earlier: readonly MessageOnNetwork[] };

export interface OutgoingMessage extends Outgoing {
  /** The message that this one replies to, in the same chat. */
  readonly replyTo?: QuotedMessage | null;
  /**
   * How long to show the recipient that the text is being typed before it is sent, in milliseconds; absent if not at all.
   * A network that cannot show it ignores this.
   */
  readonly typingMs?: number;
  /**
   * The kind, if it is finer than the type of the content, with its payload. Only kinds that the gateway declares as a
   * capability (`locations`, `contacts`, `polls`, `stickers`) occur. The content then is what it becomes for readers who
   * know nothing of the kind: a text in words, or an image.
   */
  readonly detail?: OutgoingDetail;
  /** The people whom the text or the caption mentions. Absent without the capability `mentions`. */
  readonly mentions?: readonly OutgoingMention[];
  readonly content: OutgoingContent;
}

/** The kinds of messages that only their `detail` distinguishes from others. */
export type OutgoingDetail = Extract<
  MessageKindAndPayload,
  { readonly kind: 'location' | 'contact' | 'poll' | 'sticker' }
>;

/** A person whom a text mentions. */
export interface OutgoingMention {
  /** The word after the `@` in the text: digits, or the id of a contact. The network's own form replaces it. */
  readonly written: string;
  /** Digits; null if the network hides them. */
  readonly number: string | null;
  /** The network's id of the person; null if it is not known. */
  readonly networkId: string | null;
}

/** A message as a reply quotes it. */
export interface QuotedMessage extends MessageOnNetwork {
  /**
   * The text that the recipient's app shows of the message: its text or caption, perhaps shortened; empty if it has
   * neither.
   */
  readonly text: string;
}

/** Content without a file always has a `text`, for networks and people that know nothing but texts. */
export type OutgoingContent =
  | {
      readonly type: 'text';
      readonly text: string;
      /**
       * A preview of the first link. Null if one is wanted, but the page has none or could not be fetched: another send
       * of the message may have one, and a network that knows repeats should send the same content again.
       */
      readonly preview?: LinkPreview | null;
    }
  | {
      readonly type: MediaType;
      readonly caption: string | null;
      readonly file: OutgoingFile;
      /** Whether audio is shown and played as a recorded voice message. */
      readonly voice?: boolean;
    };

/** The preview of a link in a text. */
export interface LinkPreview extends PagePreview {
  /** The link, as the text has it. */
  readonly url: string;
}

export interface OutgoingFile {
  readonly mimeType: string;
  readonly filename: string;
  readonly size: number;
  /** Returns the content from the beginning. May be called several times. */
  open(): Promise<ReadableStream<Uint8Array>>;
}

export type SendOutcome = SendResult & {
  /**
   * The recipient as the network registers them, if the network gives them a number that differs from the dialled
   * number, or gives no number. The dialled and the registered recipient are one person from then on.
   */
  readonly recipient?: ContactReport;
};

type SendResult =
  /** The network has accepted the message. */
  | { readonly kind: 'accepted' }
  /** The network will never accept the message. */
  | { readonly kind: 'refused'; readonly error: MessageError }
  /**
   * Nothing was written to the network, or the network has reported that it did not take the message. Without
   * `retryAfterMs`, the connection had ended: the message is sent on the next connection, and no attempt is counted.
   * With `retryAfterMs`, the network does not take this message for now: the message is sent again after that time or
   * later, and messages to other recipients do not wait for it. If the network never takes the message, the message
   * fails with `error`.
   */
  | {
      readonly kind: 'not_sent';
      readonly reason: string;
      readonly retryAfterMs?: number;
      readonly error?: MessageError;
    }
  /** The network did not respond, and may have accepted the message. The message is sent again under the same id. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface IncomingMessage {
  readonly networkId: string;
  /** The network's id of the sender. Together with the network id of the message, it identifies a repeat. */
  readonly senderId: string;
  /** The sender's number in digits, or null if the network hides it. */
  readonly from: string | null;
  readonly groupNetworkId: string | null;
  /**
   * The author. Absent or null if the network does not say more than `senderId` and `from`. Its strings are unchecked,
   * and may have any length.
   */
  readonly contact?: ContactReport | null;
  /** When the message was sent, by the network's clock, in epoch milliseconds; null if the network does not say. */
  readonly sentAt?: number | null;
  /** The network id of the message that this one replies to. */
  readonly replyTo?: string | null;
  /** The kind, finer than the type of the content, with its payload; if absent, the kind is that type. */
  readonly detail?: MessageKindAndPayload;
  readonly content: IncomingContent;
}

/** An event in a chat that is neither a message to the instance nor a receipt. */
export type Activity =
  /** The owner of the number wrote a message on the phone, or on another linked device. */
  | {
      readonly kind: 'echo';
      readonly networkId: string;
      /** The recipient's number in digits; null in a group, or if the network hides it. */
      readonly to: string | null;
      readonly groupNetworkId: string | null;
      /** The recipient; null in a group. */
      readonly contact: ContactReport | null;
      readonly sentAt: number | null;
      readonly replyTo: string | null;
      readonly detail?: MessageKindAndPayload;
      readonly content: IncomingContent;
    }
  /** `emoji` is null if the reaction was removed. */
  | (ActivityOnMessage & { readonly kind: 'reaction'; readonly emoji: string | null })
  /**
   * A vote in a poll, which replaces the person's votes before `at`: the chosen answers, as `payload.options` of the poll
   * has them; empty if the vote was taken back.
   */
  | (ActivityOnMessage & { readonly kind: 'vote'; readonly options: readonly string[] })
  /** Replaces the text or the caption. */
  | (ActivityOnMessage & { readonly kind: 'edit'; readonly text: string })
  /** A message of another person can be deleted only by an admin of the group, which the gateway has to check. */
  | (ActivityOnMessage & { readonly kind: 'deletion' })
  /**
   * A better copy of the file of a message, which its author's phone sends later, such as a picture in HD. The copy
   * replaces the file once `GatewayConnection.openFile` has downloaded it by its `reference` of at most 16 KiB.
   */
  | (ActivityOnMessage & {
      readonly kind: 'media_update';
      readonly type: MediaType;
      readonly reference: Uint8Array;
    })
  /** A message that cannot be decrypted arrived; the sender's phone did not send it again, or cannot. */
  | {
      readonly kind: 'undecryptable';
      readonly networkId: string;
      readonly senderId: string;
      readonly groupNetworkId: string | null;
      readonly contact: ContactReport | null;
      readonly sentAt: number | null;
      /** `view_once`: the network shows the message only on the phone. */
      readonly reason: 'no_key' | 'view_once';
    }
  /** A call to the number, reported once. */
  | {
      readonly kind: 'call';
      readonly networkId: string;
      readonly contact: ContactReport | null;
      readonly groupNetworkId: string | null;
      readonly video: boolean;
      readonly at: number | null;
    };

/**
 * An act of a person on a message. The service checks that the message is in this chat and, if that matters, who wrote
 * it.
 */
export interface ActivityOnMessage {
  /** The network's id of the message that the act is about. */
  readonly about: string;
  /** The author of that message, as the report of this act names them; null if the instance is the author. */
  readonly author: string | null;
  /** The chat: the network's id of a group, or null for the chat with `contact`. */
  readonly groupNetworkId: string | null;
  /** The person who acted, or the other side of the chat if the owner of the number acted (`own`). */
  readonly contact: ContactReport | null;
  readonly own: boolean;
  readonly at: number | null;
}

export type IncomingContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: MediaType; readonly caption: string | null; readonly file: IncomingFile };

export interface IncomingFile {
  /**
   * The type that the network reports. If the service recognises the type of the first bytes, it uses that type
   * instead.
   */
  readonly mimeType: string;
  readonly filename: string | null;
  /**
   * The value that `GatewayConnection.openFile` needs to download the file later, perhaps in another process: at most
   * 16 KiB. The service keeps the value sealed until it has the file or gives the file up.
   */
  readonly reference?: Uint8Array;
  /** Downloads the content. Rejects if it is not available. */
  open(): Promise<ReadableStream<Uint8Array>>;
}

export interface GroupsExtent {
  readonly full: boolean;
}

export interface MessageReceipt {
  readonly networkId: string;
  readonly status: 'delivered' | 'read';
}

/** Null means that the account has no such value. An absent field keeps its known value. */
export interface LinkedProfile {
  readonly phoneNumber: string;
  readonly profileName?: string | null | undefined;
  readonly profilePictureUrl?: string | null | undefined;
  /** The gateway's capabilities that this number has; null for all of them. */
  readonly capabilities?: readonly Capability[] | null | undefined;
}

export type ClosedReason = ClosedFor & {
  /** The network's own code, such as a status of `428`. The history keeps its first 64 characters. */
  readonly networkCode?: string;
};

type ClosedFor =
  /** The connection was lost, or refused for now. The service connects again after a while. */
  | {
      readonly kind: 'dropped';
      readonly detail: string;
      /** The service waits at least this many milliseconds, even if its usual wait is shorter. */
      readonly notBeforeMs?: number;
    }
  /** The network asks the gateway to connect again immediately, for example after pairing. */
  | { readonly kind: 'restart' }
  /** The QR was not scanned in time. */
  | { readonly kind: 'qr_timeout' }
  /** The phone or the network unlinked the instance. */
  | { readonly kind: 'unlinked' }
  /**
   * The instance cannot continue, for example because it was banned or replaced, or the gateway's version was refused.
   * `code` becomes `last_error`. With `until`, in epoch milliseconds, the network forbids connections until then, and
   * the service connects again automatically.
   */
  | { readonly kind: 'failed'; readonly code: string; readonly until?: number };

/**
 * The reports of a gateway about one connection. Each promise resolves when the report is stored, and only then may the
 * gateway acknowledge the report to the network. If a promise rejects, the report is not stored, and the network has to
 * deliver it again. While the storage fails, messages, receipts, groups and activities are pending until they are
 * stored or the connection ends. A gateway keeps the connection open in that time, and bounds how much it accepts from
 * the network.
 */
export interface GatewayListener {
  /**
   * The text of the QR, which is valid until `expiresAt`; with `pairingCode` if the connection was opened with a
   * `pairingNumber`.
   */
  qr(code: string, expiresAt: number, pairingCode?: string): Promise<void>;
  /**
   * The network links this number only with the passkey of its account, and waits for this step until `expiresAt`. Each
   * report replaces the QR and the previous step. If the time passes, close the connection as failed with the code
   * `passkey_required`.
   */
  passkey?(step: PasskeyStep, expiresAt: number): Promise<void>;
  connected(profile: LinkedProfile): Promise<void>;
  /** The connection has ended, and reports nothing more. */
  closed(reason: ClosedReason): Promise<void>;
  /**
   * For a message with a file, resolves when the file is stored; keep reporting later events in the meantime. The
   * service waits at most half a minute for a file with a `reference`, and then stores the message without the file;
   * any other file may take minutes. A rejection means that the file could not be stored; the connection can still be
   * used.
   */
  message(message: IncomingMessage): Promise<void>;
  receipt(receipt: MessageReceipt): Promise<void>;
  /**
   * Groups that are new or have changed; other groups stay as they are. With `full`, these are all groups that the
   * number is in, and it has left all others. Leave out facts that the network does not report, so that the known facts
   * stay.
   */
  groups(groups: readonly GroupReport[], extent?: GroupsExtent): Promise<void>;
  /**
   * As with a message, acknowledge the activity to the network once the promise resolves. Report an act on a message
   * after the message itself.
   */
  activity?(activity: Activity): Promise<void>;
  /** Counts an arrival that is neither stored nor reported, by its kind. */
  skipped?(kind: string): void;
  /** The restriction of the number from now on; null if the network allows everything again. */
  restricted?(restriction: Restriction | null): Promise<void>;
}
