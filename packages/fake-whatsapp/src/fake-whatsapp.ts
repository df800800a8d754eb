import type { ClientSettings } from './client-settings.ts';
import type { Content, MediaKind } from './content.ts';
import type { TranscriptEntry } from './transcript.ts';

export type AddressingMode = 'pn' | 'lid';

export interface FakeWhatsAppOptions {
  /** Milliseconds since the epoch; stanzas carry it in seconds. */
  readonly now?: () => number;
}

export interface PersonOptions {
  readonly name?: string;
  /** The person's hidden id, digits. Made up where left out; null where the network knows none. */
  readonly lid?: string | null;
  /** False: the number has no WhatsApp. True by default. */
  readonly onWhatsApp?: boolean;
  /** True: messages from this person come from the LID, without a phone number. */
  readonly hidesNumber?: boolean;
}

/** Someone with a phone. Plain data, so that it can cross a process boundary. */
export interface Person {
  /** Digits. */
  readonly phoneNumber: string;
  readonly name: string;
  /** `5511988887777@s.whatsapp.net` */
  readonly jid: string;
  /** `100000088887777@lid` */
  readonly lidJid: string | null;
}

/** Someone whose phone links a client: the number behind an instance. */
export interface Account extends Person {
  readonly kind: 'account';
}

export interface GroupOptions {
  readonly subject: string;
  readonly members: readonly Person[];
  /** The first member by default. */
  readonly admins?: readonly Person[];
  readonly addressing?: AddressingMode;
  /** Only admins may write. */
  readonly announcement?: boolean;
  /** Digits; made up where left out. */
  readonly id?: string;
}

export interface Group {
  /** `120363000000000001@g.us` */
  readonly jid: string;
  readonly subject: string;
}

export interface InboundOptions {
  /** The network's message id; made up where left out. Given twice, it is the same message sent again. */
  readonly id?: string;
  readonly group?: Group;
  /** How the sender is named to the client; `pn` by default. Groups have their own. */
  readonly addressing?: AddressingMode;
  /** The ciphertext cannot be read. The sender's phone answers the client's retry receipt with one that can. */
  readonly undecryptable?: boolean;
  /** With `undecryptable`: the sender's phone never answers. */
  readonly unansweredRetry?: boolean;
  /** When it was sent, in milliseconds. */
  readonly sentAt?: number;
}

/** What a person or a client's own phone can send. */
export type Outgoing =
  | string
  | {
      readonly type: MediaKind;
      readonly bytes: Uint8Array;
      readonly mimeType: string;
      readonly caption?: string;
      readonly filename?: string;
    }
  | {
      readonly type: 'reaction';
      readonly text: string;
      readonly to: { readonly id: string; readonly fromClient: boolean };
    }
  | { readonly type: 'edit'; readonly id: string; readonly text: string }
  | { readonly type: 'delete'; readonly id: string };

export interface ReceiptOptions {
  /** Whose phone: in groups the participant. */
  readonly by: Person;
  readonly type: 'delivered' | 'read' | 'played';
  /** Network ids, at least one. */
  readonly ids: readonly string[];
  readonly group?: Group;
  readonly addressing?: AddressingMode;
  /** Comes from this device of theirs, not from the phone. */
  readonly device?: number;
}

export interface StreamError {
  /** 515 restart, 503, 500; none where the child says it. */
  readonly code?: number;
  readonly child?: { readonly tag: string; readonly attrs?: Readonly<Record<string, string>> };
}

export interface MessageMatch {
  readonly from?: Account;
  readonly id?: string;
}

/** One message stanza as a client sent it. A resend is a second one with the same id. */
export interface SentMessage {
  readonly id: string;
  /** The sending account's phone number. */
  readonly from: string;
  /** As the client addressed it. */
  readonly to: string;
  /** The recipient's phone number, or null for a group. */
  readonly toPhoneNumber: string | null;
  readonly content: Content;
  /** The phone numbers of those whose phones could decrypt it. */
  readonly readableBy: readonly string[];
  /** The error code it was refused with. */
  readonly refused: number | null;
  readonly receivedAt: number;
}

/** A receipt that a client sent for a message it got. */
export interface ReceivedReceipt {
  readonly from: string;
  readonly to: string;
  readonly ids: readonly string[];
  /** `delivered` where the stanza says nothing; else its own word: `inactive`, `read`, `retry`, `sender`, `peer_msg`, … */
  readonly type: string;
}

export interface LinkedDevice {
  readonly device: number;
  readonly connected: boolean;
}

/** Something that a test can wait for. */
export type Action =
  | { readonly type: 'qr_offered' }
  | { readonly type: 'code_requested'; readonly account: string }
  | { readonly type: 'paired'; readonly account: string }
  /** Logged in, and its offline messages on their way. */
  | { readonly type: 'online'; readonly account: string }
  | { readonly type: 'offline'; readonly account: string }
  | { readonly type: 'login_refused'; readonly account: string; readonly code: number }
  /** The client unlinked itself. */
  | { readonly type: 'removed_companion'; readonly account: string };

/**
 * A WhatsApp Web server on loopback. Takes an unmodified client through pairing, login, messages and
 * unlinking; its people have phones that encrypt and decrypt for real.
 */
export interface FakeWhatsApp {
  /** How to point a client at it; plain data, for another process too. */
  readonly client: ClientSettings;
  /** Makes the clients of this process accept the server and its media host. Answers the undoing. */
  trust(): () => void;

  // The world
  account(phoneNumber: string, options?: PersonOptions): Account;
  person(phoneNumber: string, options?: PersonOptions): Person;
  group(options: GroupOptions): Group;
  /** Tells every linked member, like the network does. */
  renameGroup(group: Group, subject: string): void;
  addToGroup(group: Group, people: readonly Person[]): void;
  removeFromGroup(group: Group, people: readonly Person[]): void;

  // The account's phone
  /** Scans the QR that the client shows. Throws where it is no longer valid. */
  scanQr(account: Account, qrText: string): void;
  /** Types the pairing code that the client shows, once the client has asked for one. */
  enterCode(account: Account, code: string): Promise<void>;
  /** "Log out" under Linked devices: tells the client, and refuses its next login with 401. */
  unlink(account: Account): void;
  linkedDevices(account: Account): readonly LinkedDevice[];
  /** Typed on the phone itself; the client gets its copy. Answers the network id. */
  fromPhone(account: Account, to: Person, message: Outgoing): Promise<string>;

  // What comes in
  /**
   * Sends a message to the account. A client that is not connected gets it as an offline message after its
   * next login; one that never acknowledged it gets it again. Answers the network id.
   */
  inbound(from: Person, to: Account, message: Outgoing, options?: InboundOptions): Promise<string>;
  /** Hands the client a stanza again that it has had, byte for byte. */
  redeliver(to: Account, id: string): void;
  receipt(to: Account, receipt: ReceiptOptions): void;
  /** The person's phone could not read it and asks the client to send it again. */
  requestRetry(to: Account, by: Person, id: string): Promise<void>;

  // What clients sent
  /** Every message stanza so far, in order of arrival. */
  sentMessages(match?: MessageMatch): readonly SentMessage[];
  /** The earliest one that no `nextMessage()` has answered yet; waits for it. */
  nextMessage(match?: MessageMatch): Promise<SentMessage>;
  receipts(from?: Account): readonly ReceivedReceipt[];
  /** Waits for the first receipt that the client sends for this message, past or to come. */
  receiptFor(id: string, type?: string): Promise<ReceivedReceipt>;
  /** Waits for the next one that happens after the call. */
  next(type: Action['type'], account?: Account): Promise<Action>;

  // Disturbances
  /** Messages are taken, their acks kept back. */
  holdAcks(): void;
  /** Sends the acks that are held, to those still connected. */
  releaseAcks(): void;
  /** The account's next message is answered with an error ack, such as 479 or 463, and goes nowhere. */
  refuseNextMessage(from: Account, code: number): void;
  /** The account's next message stanza is lost: no ack, nobody gets it. */
  loseNextMessage(from: Account): void;
  streamError(account: Account, error: StreamError): void;
  /** Another client takes the connection over: 440. */
  replace(account: Account): void;
  /** Every login is answered with `<failure reason>`: 401, 402, 403, 405, 406, 411, 503, … */
  refuseLogin(account: Account, reason: number): void;
  allowLogin(account: Account): void;
  /** Upgrades are answered with this HTTP status, or `silence`: not at all. */
  refuseUpgrades(answer: number | 'silence'): void;
  allowUpgrades(): void;
  /** Queries named like `w:g2/get/query`, `usync/get/usync`, `w:p/get/ping` are never answered; without a name none is. */
  muteQueries(...names: readonly string[]): void;
  unmuteQueries(): void;
  /** The connection ends without a word. */
  drop(account: Account): void;
  /** Half-open: the server reads nothing and writes nothing, and the socket stays. */
  freeze(account: Account): void;
  /** The media host answers this status to the next requests. */
  failMedia(status: number, times?: number): void;
  /** The media host forgets what it has: 404. */
  forgetMedia(): void;

  // The end
  /** What went over the wire, decrypted, newest last. */
  transcript(): readonly TranscriptEntry[];
  /** Throws where a client sent what the server does not know or could not verify. */
  assertClean(): void;
  /** Closes everything, rejects what still waits, then asserts cleanness. */
  stop(): Promise<void>;
}
