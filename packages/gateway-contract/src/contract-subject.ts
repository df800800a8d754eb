import type { Gateway, MediaType } from '@trunkline/core';
import type {
  Capability,
  Credentials,
  OutgoingAction,
  OutgoingDetail,
  PasskeyCredential,
  PasskeyRequestOptions,
  TypingState,
} from '@trunkline/core/spi/gateway';

/** The gateway under test: `describeGatewayContract({ name: 'sandbox', start })`. */
export interface GatewaySubject {
  readonly name: string;
  /**
   * The features that the network lacks, each with the reason: `{ groups: 'SMS has no groups' }`. Their tests are
   * skipped, with the reason in the title; other tests prove that the service works without them.
   */
  readonly missing?: Readonly<Partial<Record<OptionalFeature, string>>>;
  /** For a network that links numbers by credentials, not by a QR: those of the number of each phone. */
  readonly credentials?: {
    readonly valid: Credentials;
    /** Credentials that the network refuses. */
    readonly refused: Credentials;
  };
  /** Starts a network for one test. */
  start(): Promise<TestNetwork>;
}

/** The features that a network may lack: all capabilities except text, and some features that are not declared. */
export type OptionalFeature =
  | Exclude<Capability, 'text'>
  /** A code to type on the phone, in addition to the QR. */
  | 'pairing_codes'
  /** Accounts to which a number is linked only with their passkey. */
  | 'passkeys'
  /** People who ask an admin to be let into a group. */
  | 'join_requests'
  /** Downloads of a received message's file on a later connection, by its reference. */
  | 'file_references'
  /** Reports of delivered and read messages. Without these reports, messages stay `sent`. */
  | 'receipts'
  /** Reports of messages written on the phone, and of reactions, edits, deletions and calls. */
  | 'activities'
  /** Votes in polls. */
  | 'votes'
  /** Messages that only the phone shows: a gateway can report only that they arrived. */
  | 'undecryptable';

export interface TestNetwork {
  /** The gateway, not attached yet. */
  readonly gateway: Gateway;
  /** The phone numbers of two people. */
  readonly people: {
    /** A person who receives messages and reads them. */
    readonly reader: string;
    /** A person to whom the network refuses to send. With the capability `lookup`, this number is not on the network. */
    readonly refused: string;
  };
  /** An instance's phone, which also acts for the people who write to the number. */
  phone(instanceId: string): TestPhone;
  stop(): Promise<void>;
}

export interface TestPhone {
  readonly phoneNumber: string;
  /** Scans a QR. Never called if the subject has `credentials`. */
  scan(code: string): Promise<void>;
  /** Types a pairing code. */
  enterCode(code: string): Promise<void>;
  /** An account that is linked only with its passkey. Absent if `missing` names `passkeys`. */
  readonly passkey?: TestPasskey;
  /** Sends a message to the number; the network keeps it while the connection is closed. Returns the network id. */
  receive(message: {
    readonly from: string;
    /** The text, or the caption of the file. */
    readonly text: string;
    readonly file?: { readonly type: MediaType; readonly mimeType: string; readonly content: Uint8Array };
    readonly groupNetworkId?: string;
  }): Promise<string>;
  /** Adds the number to a new group. Returns the network's id of the group. */
  addGroup(name: string): Promise<string>;
  /** Removes the number from a group, even while the instance's connection is closed. */
  leaveGroup(networkId: string): Promise<void>;
  /** A person asks to be let into a group of the number. Absent if `missing` names `join_requests`. */
  askToJoin?(networkId: string, phoneNumber: string): Promise<void>;
  /** Actions that are not messages to the instance. Absent if `missing` names `activities`. */
  readonly activities?: TestActivities;
  /** Breaks the connection. */
  drop(): Promise<void>;
  /** Unlinks the device as its owner. */
  unlink(): Promise<void>;
  /** Makes the network refuse the device for good, on this connection or the next. */
  fail(): Promise<void>;
  /** The messages that the network accepted from the instance, oldest first. Repeats do not count. */
  accepted(): readonly SentToNetwork[];
  /** The same for actions on messages. Absent if `missing` names the capability of each action. */
  acted?(): readonly ActedOnNetwork[];
  /** The network ids of messages to the number that the instance marked as read. Absent if `missing` names `read_marks`. */
  read?(): readonly string[];
  /** The numbers of the people whom the number has blocked. Absent if `missing` names `block`. */
  blocked?(): readonly string[];
  /** The states that chats were shown, in this order. Absent if `missing` names `typing`. */
  typing?(): readonly TypingOnNetwork[];
}

export interface TestPasskey {
  /** Scans a QR for the account. */
  scan(code: string): Promise<void>;
  /** Answers a request as a browser would on the page of the request. */
  sign(options: PasskeyRequestOptions): Promise<PasskeyCredential>;
}

/** `about` is the network id of a message in the chat with `from`. */
export interface TestActivities {
  /** Writes as the owner of the number, on the phone. Returns the network id. */
  write(message: { readonly to: string; readonly text: string }): Promise<string>;
  /** Null removes the reaction. */
  react(reaction: {
    readonly from: string;
    readonly about: string;
    readonly emoji: string | null;
  }): Promise<void>;
  /** Votes in a poll of the instance. Absent if `missing` names `votes`. */
  vote?(vote: {
    readonly from: string;
    readonly about: string;
    readonly options: readonly string[];
  }): Promise<void>;
  edit(edit: { readonly from: string; readonly about: string; readonly text: string }): Promise<void>;
  delete(deletion: { readonly from: string; readonly about: string }): Promise<void>;
  call(call: { readonly from: string }): Promise<void>;
  /**
   * Sends a message that only the phone shows, from a person. Returns the network id. Absent if `missing` names
   * `undecryptable`.
   */
  receiveUndecryptable?(message: { readonly from: string }): Promise<string>;
}

/** An action on a message that the network accepted. */
export interface ActedOnNetwork {
  readonly networkId: string;
  /** The network's id of the message. */
  readonly about: string;
  /** Whether the instance wrote that message. */
  readonly isOwn: boolean;
  readonly deed: OutgoingAction['deed'];
}

/** That a chat was shown what the instance does. */
export interface TypingOnNetwork {
  /** The digits of a number, or the network's group id. */
  readonly to: string;
  readonly state: TypingState;
}

export interface SentToNetwork {
  readonly networkId: string;
  /** The digits of a number, or the network's group id. */
  readonly to: string;
  /** The text, or the caption of the file. */
  readonly text: string;
  readonly file: { readonly type: MediaType; readonly mimeType: string; readonly size: number } | null;
  /** The kind, if it is finer than a text or a file; the tests then ignore the `text`. */
  readonly detail?: OutgoingDetail;
  /** The digits of the people whom the text mentions; absent without any. */
  readonly mentions?: readonly string[];
}
