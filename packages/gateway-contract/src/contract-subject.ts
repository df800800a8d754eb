import type { Gateway, MediaType } from '@trunkline/core';
import type { Capability } from '@trunkline/core/spi/gateway';

/** The gateway under test: `describeGatewayContract({ name: 'sandbox', start })`. */
export interface GatewaySubject {
  readonly name: string;
  /**
   * The features that the network lacks, each with the reason: `{ groups: 'SMS has no groups' }`. Tests of them are
   * skipped, with the reason in their titles; others prove that the service does without.
   */
  readonly missing?: Readonly<Partial<Record<OptionalFeature, string>>>;
  /** Starts a network for one test. */
  start(): Promise<TestNetwork>;
}

/** The features that a network may lack: all declared capabilities except text, and some that are not declared. */
export type OptionalFeature =
  | Exclude<Capability, 'text'>
  /** A code to type on the phone, next to the QR. */
  | 'pairing_codes'
  /** A file of a received message can be downloaded later, by its reference. */
  | 'file_references'
  /** Reports of what was delivered and read: without them, messages stay `sent`. */
  | 'receipts'
  /** Reports of what is written on the phone, of reactions, edits, deletions and calls. */
  | 'activities'
  /** Some messages are shown only on the phone: a gateway can report no more than that they came. */
  | 'undecryptable';

export interface TestNetwork {
  /** The gateway, not attached yet. */
  readonly gateway: Gateway;
  /** The phone numbers of two people. */
  readonly people: {
    /** A person who receives messages and reads them. */
    readonly reader: string;
    /** A person to whom the network refuses to send. */
    readonly refused: string;
  };
  /** The phone that is linked to an instance, and the people who write to it. */
  phone(instanceId: string): TestPhone;
  stop(): Promise<void>;
}

export interface TestPhone {
  readonly phoneNumber: string;
  /** Scans a QR. */
  scan(code: string): Promise<void>;
  /** Types a pairing code. */
  enterCode(code: string): Promise<void>;
  /** A person writes to the number; a message to a number whose connection is closed waits. Returns the network id. */
  receive(message: {
    readonly from: string;
    /** The text, or the caption of the file. */
    readonly text: string;
    readonly file?: { readonly type: MediaType; readonly mimeType: string; readonly content: Uint8Array };
    readonly groupNetworkId?: string;
  }): Promise<string>;
  /** The number is added to a new group. Returns the network's id of the group. */
  addGroup(name: string): Promise<string>;
  /** The number is removed from a group, whether or not its connection is open. */
  leaveGroup(networkId: string): Promise<void>;
  /** Actions of people other than writing to the instance. Absent if `missing` names them. */
  readonly activities?: TestActivities;
  /** The connection is lost. */
  drop(): Promise<void>;
  /** The owner unlinks the device. */
  unlink(): Promise<void>;
  /** The network refuses the device for good, and says so on its connection or on the next one. */
  fail(): Promise<void>;
  /** The messages that the network accepted from the instance, oldest first. A repeat does not count again. */
  accepted(): readonly SentToNetwork[];
}

/** `about` is the network id of a message in the chat with `from`. */
export interface TestActivities {
  /** The owner of the number writes on the phone. Returns the network id. */
  write(message: { readonly to: string; readonly text: string }): Promise<string>;
  /** Null removes the reaction. */
  react(reaction: {
    readonly from: string;
    readonly about: string;
    readonly emoji: string | null;
  }): Promise<void>;
  edit(edit: { readonly from: string; readonly about: string; readonly text: string }): Promise<void>;
  delete(deletion: { readonly from: string; readonly about: string }): Promise<void>;
  call(call: { readonly from: string }): Promise<void>;
  /**
   * A person sends a message that only the phone shows. Returns the network id. Absent if `missing` names
   * `undecryptable`.
   */
  receiveUndecryptable?(message: { readonly from: string }): Promise<string>;
}

export interface SentToNetwork {
  readonly networkId: string;
  /** The digits of a number, or the network's id of a group. */
  readonly to: string;
  /** The text, or the caption of the file. */
  readonly text: string;
  readonly file: { readonly type: MediaType; readonly mimeType: string; readonly size: number } | null;
}
