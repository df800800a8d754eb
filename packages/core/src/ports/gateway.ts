import type { GroupReport } from '../domain/instance/group.ts';
import type { Capability } from '../domain/instance/instance.ts';
import type { MediaType } from '../domain/message/media-rules.ts';
import type { MessageError } from '../domain/message/message.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { Random } from './random.ts';

/**
 * The way to the messaging network. A gateway keeps no durable state of its own: what must survive goes
 * through the `Session` it is given. Reconnecting, backoff and leases are the supervisor's.
 */
export interface Gateway {
  /** `text`, and what else the network carries. An instance shows them, and the service refuses to send anything else. */
  readonly capabilities: readonly Capability[];
  /** Called once, before anything else, with what the service runs on. */
  attach(context: GatewayContext): void;
  /**
   * An id for a new outbound message in the network's own form, from 16 bytes that look random and are this message's
   * alone. An id that ends with all of them in hexadecimal, or with the first 9, leads back to the message; with any
   * other form the storage indexes the id of every outbound message, which makes accepting one dearer.
   */
  newMessageId(bytes: Uint8Array): string;
  /**
   * Starts to connect, or to pair where the session is empty. Resolves immediately; what happens is reported to
   * `listener`.
   */
  open(session: Session, listener: GatewayListener, options?: OpenOptions): Promise<GatewayConnection>;
  /** Unlinks a number that has no connection open. Rejects when the network could not be reached. */
  unlink(session: Session): Promise<void>;
}

export interface OpenOptions {
  /**
   * Digits of a phone that will type a code rather than scan a QR: a pairing then shows both. Null is a QR alone. A gateway to
   * a network without such codes ignores it.
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
  /** Unlinks the number, then closes. Rejects when the network could not be reached. */
  logout(): Promise<void>;
}

/** What a gateway stores for one instance: small named values, sealed at rest, written under the lease that it was opened with. */
export interface Session {
  readonly instanceId: string;
  load(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** One transaction; null deletes. Rejects when another process holds the instance now: then close. */
  save(changes: ReadonlyMap<string, Uint8Array | null>): Promise<void>;
}

export interface OutgoingMessage {
  /** Chosen beforehand and the same on every resend, so that the network can recognise a repeat. */
  readonly networkId: string;
  /** Digits, or the network's own name of a group. */
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
  /** The content from its beginning; may be called again. */
  open(): Promise<ReadableStream<Uint8Array>>;
}

export type SendOutcome =
  /** The network has accepted the message. */
  | { readonly kind: 'accepted' }
  /** The network will never take it. */
  | { readonly kind: 'refused'; readonly error: MessageError }
  /** Nothing was written to the network, as the connection ended before: sent when there is one again, and no try is counted. */
  | { readonly kind: 'not_sent'; readonly reason: string }
  /** No response: it may or may not have been taken. Sent again under the same id. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface IncomingMessage {
  readonly networkId: string;
  /** The network's name of the sender: with the network id it identifies a repeat. */
  readonly senderId: string;
  /** Digits, or null where the network hides the number. */
  readonly from: string | null;
  readonly groupNetworkId: string | null;
  readonly content: IncomingContent;
}

export type IncomingContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: MediaType; readonly caption: string | null; readonly file: IncomingFile };

export interface IncomingFile {
  /** As the network says; our own look at the first bytes wins where it knows the type. */
  readonly mimeType: string;
  readonly filename: string | null;
  /** Downloads the content. Rejects when it cannot be had. */
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
  /** Lost or refused for now: connect again after a while. */
  | {
      readonly kind: 'dropped';
      readonly detail: string;
      /** Not before this many milliseconds, however short the usual wait would be. */
      readonly notBeforeMs?: number;
    }
  /** The network asks for a new connection immediately, as after pairing. */
  | { readonly kind: 'restart' }
  /** Nobody scanned the QR. */
  | { readonly kind: 'qr_timeout' }
  /** The phone unlinked the instance. */
  | { readonly kind: 'unlinked' }
  /** Cannot go on: banned, replaced, version refused. `code` becomes `last_error`. */
  | { readonly kind: 'failed'; readonly code: string };

/**
 * What a gateway reports about one connection. A promise settles when the report is stored: only then may the
 * gateway acknowledge it to the network. A rejection means that it is not stored; the network is to deliver it again.
 */
export interface GatewayListener {
  /** What to scan until `expiresAt`; `pairingCode` where the connection was opened for a number that types one. */
  qr(code: string, expiresAt: number, pairingCode?: string): Promise<void>;
  connected(profile: LinkedProfile): Promise<void>;
  /** The connection is gone and reports nothing more. */
  closed(reason: ClosedReason): Promise<void>;
  /**
   * One with a file settles when that is stored, which may take minutes: report what comes after it meanwhile. Where it
   * rejects, the file could not be stored here; the connection is as good as before.
   */
  message(message: IncomingMessage): Promise<void>;
  receipt(receipt: MessageReceipt): Promise<void>;
  /**
   * Groups that appeared or changed; a group that is not named stays as it is. With `full`, these are all that the
   * number is in: it has left those that are not named.
   */
  groups(groups: readonly GroupReport[], extent?: GroupsExtent): Promise<void>;
}
