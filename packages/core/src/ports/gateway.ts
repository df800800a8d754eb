import type { GroupReport } from '../domain/instance/group.ts';
import type { Capability } from '../domain/instance/instance.ts';
import type { MediaType } from '../domain/message/media-rules.ts';
import type { MessageError } from '../domain/message/message.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { Random } from './random.ts';

/**
 * Connects Trunkline to a messaging network. A gateway keeps no durable state of its own: it stores what must survive
 * in the `Session` that it gets. The supervisor does the reconnecting, the backoff and the leases.
 */
export interface Gateway {
  /** `text`, and what else the network carries. An instance shows them, and the service refuses to send anything else. */
  readonly capabilities: readonly Capability[];
  /** Called once, before anything else, with the clock, the randomness and the logger of the service. */
  attach(context: GatewayContext): void;
  /**
   * Returns an id for a new outbound message in the network's own form, made from 16 bytes that look random and belong
   * only to this message. If the id ends with all of these bytes in hexadecimal, or with the first 9, it leads back to
   * the message. With any other form, the storage has to index the id of every outbound message, which makes it slower
   * to accept one.
   */
  newMessageId(bytes: Uint8Array): string;
  /**
   * Starts to connect, or to pair if the session is empty. Resolves immediately, and reports what happens to
   * `listener`.
   */
  open(session: Session, listener: GatewayListener, options?: OpenOptions): Promise<GatewayConnection>;
  /** Unlinks a number that has no open connection. Rejects if the network could not be reached. */
  unlink(session: Session): Promise<void>;
}

export interface OpenOptions {
  /**
   * The number, in digits, of a phone on which a code is typed instead of scanning the QR: the pairing then shows both.
   * Null for the QR alone. A gateway to a network without such codes ignores it.
   */
  readonly pairingNumber: string | null;
}

export interface GatewayContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface GatewayConnection {
  send(message: OutgoingMessage): Promise<SendOutcome>;
  /** Closes the connection and keeps the session. Nothing is reported afterwards. */
  close(): Promise<void>;
  /** Unlinks the number, then closes. Rejects if the network could not be reached. */
  logout(): Promise<void>;
}

/**
 * What a gateway stores for one instance: small named values, encrypted at rest, and written under the lease with which
 * the session was opened.
 */
export interface Session {
  readonly instanceId: string;
  load(): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Writes in one transaction; null deletes a value. Rejects if another process holds the instance now: then close the
   * connection.
   */
  save(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void>;
}

export interface OutgoingMessage {
  /** Chosen beforehand and the same on every resend, so that the network can recognise a repeat. */
  readonly networkId: string;
  /** The recipient: the digits of a number, or the network's id of a group. */
  readonly to: string;
  readonly isGroup: boolean;
  readonly content: OutgoingContent;
}

export type OutgoingContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: MediaType; readonly caption: string | null; readonly file: OutgoingFile };

export interface OutgoingFile {
  readonly mimeType: string;
  readonly filename: string;
  readonly size: number;
  /** The content from its beginning. It may be called several times. */
  open(): Promise<ReadableStream<Uint8Array>>;
}

export type SendOutcome =
  /** The network has accepted the message. */
  | { readonly kind: 'accepted' }
  /** The network will never accept it. */
  | { readonly kind: 'refused'; readonly error: MessageError }
  /**
   * Nothing was written to the network, because the connection had ended. The message is sent on the next connection,
   * and this counts as no try.
   */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** The network did not respond, and may have accepted the message. It is sent again under the same id. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface IncomingMessage {
  readonly networkId: string;
  /** The network's id of the sender. Together with the network id of the message, it identifies a repeat. */
  readonly senderId: string;
  /** The sender's number in digits, or null if the network hides it. */
  readonly from: string | null;
  readonly groupNetworkId: string | null;
  readonly content: IncomingContent;
}

export type IncomingContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: MediaType; readonly caption: string | null; readonly file: IncomingFile };

export interface IncomingFile {
  /** The type that the network reports. If the first bytes have a type that the service knows, it uses that instead. */
  readonly mimeType: string;
  readonly filename: string | null;
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

export interface LinkedProfile {
  readonly phoneNumber: string;
  readonly profileName: string | null;
  readonly profilePictureUrl: string | null;
}

export type ClosedReason =
  /** The connection was lost, or refused for now. The service connects again after a while. */
  | {
      readonly kind: 'dropped';
      readonly detail: string;
      /** The service waits at least this many milliseconds, even if its usual wait is shorter. */
      readonly notBeforeMs?: number;
    }
  /** The network asks for a new connection immediately, for example after pairing. */
  | { readonly kind: 'restart' }
  /** Nobody scanned the QR. */
  | { readonly kind: 'qr_timeout' }
  /** The phone unlinked the instance. */
  | { readonly kind: 'unlinked' }
  /** The instance cannot continue: banned, replaced, version refused. `code` becomes `last_error`. */
  | { readonly kind: 'failed'; readonly code: string };

/**
 * What a gateway reports about one connection. Each promise resolves when the report is stored: only then may the
 * gateway acknowledge it to the network. If it rejects, the report is not stored, and the network has to deliver it
 * again.
 */
export interface GatewayListener {
  /**
   * The text of the QR, which is valid until `expiresAt`; with `pairingCode` if the connection was opened with a
   * `pairingNumber`.
   */
  qr(code: string, expiresAt: number, pairingCode?: string): Promise<void>;
  connected(profile: LinkedProfile): Promise<void>;
  /** The connection has ended, and reports nothing more. */
  closed(reason: ClosedReason): Promise<void>;
  /**
   * For a message with a file, it resolves when the file is stored, which may take minutes: meanwhile, report what
   * comes after it. If it rejects, the file could not be stored; the connection can still be used.
   */
  message(message: IncomingMessage): Promise<void>;
  receipt(receipt: MessageReceipt): Promise<void>;
  /**
   * Groups that are new or have changed; other groups stay as they are. With `full`, these are all groups that the
   * number is in: it has left all others.
   */
  groups(groups: readonly GroupReport[], extent?: GroupsExtent): Promise<void>;
}
