import type {
  Gateway,
  GatewayConnection,
  GatewayListener,
  IncomingContent,
  IncomingFile,
  IncomingMessage,
  OutgoingContent,
  OutgoingFile,
  OutgoingMessage,
  PasskeyAnswer,
  SendOutcome,
  Session,
} from '@trunkline/core/spi/gateway';

/**
 * A gateway process and the network's process communicate over a WebSocket for each instance, at
 * `/connections/{instance}`. Each side calls the other; a rejection reaches the caller as an error.
 */
export const CONNECTIONS_PATH = '/connections/';

export interface NetworkSide {
  /** Must be the first call. The network then begins to report events. */
  open(...options: OpenArguments): Promise<void>;
  send(message: WireMessage): Promise<SendOutcome>;
  answerPasskey(answer: PasskeyAnswer): Promise<void>;
  close: GatewayConnection['close'];
  logout: GatewayConnection['logout'];
}

/** The reports and requests of the network to a gateway. A report that is rejected is repeated. */
export interface GatewaySide extends Omit<GatewayListener, 'message'> {
  passkey: NonNullable<GatewayListener['passkey']>;
  message(message: WireIncoming): Promise<void>;
  loadSession: Session['load'];
  saveSession: Session['save'];
  /** The next piece of the file of a message that is being sent; null at the end of the file. */
  readFile(networkId: string): Promise<Uint8Array | null>;
}

/** The arguments of `Gateway.open` after the session and the listener. */
export type OpenArguments =
  Parameters<Gateway['open']> extends [Session, GatewayListener, ...infer More] ? More : [];

/** The network requests the file piece by piece while it sends the message. */
export type WireMessage = Omit<OutgoingMessage, 'content'> & {
  readonly content: Wire<OutgoingContent, FileFacts>;
};
type FileFacts = Omit<OutgoingFile, 'open'>;

/** Includes the file, because phones send only small files here. */
export type WireIncoming = Omit<IncomingMessage, 'content'> & {
  readonly content: Wire<IncomingContent, WholeFile>;
};
type WholeFile = Omit<IncomingFile, 'open'> & { readonly bytes: Uint8Array };

/** Content whose file is replaced with a `File` that can be serialised. */
type Wire<Content, File> = Content extends { readonly file: unknown }
  ? Omit<Content, 'file'> & { readonly file: File }
  : Content;
