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
  SendOutcome,
  Session,
} from '@trunkline/core/spi/gateway';

/**
 * A gateway process and the network's process talk over a WebSocket for each instance, at `/connections/{instance}`.
 * Each side calls the other; what a call rejects with reaches the caller as an error.
 */
export const CONNECTIONS_PATH = '/connections/';

/** What a gateway asks of the network. */
export interface NetworkSide {
  /** First of all. What happens from then on is reported. */
  open(...options: OpenArguments): Promise<void>;
  send(message: WireMessage): Promise<SendOutcome>;
  /** When it resolves, the connection has ended for the network too. */
  close: GatewayConnection['close'];
  logout: GatewayConnection['logout'];
}

/** What the network reports to a gateway, and asks it for. A report that is rejected is made again. */
export interface GatewaySide extends Omit<GatewayListener, 'message'> {
  message(message: WireIncoming): Promise<void>;
  loadSession: Session['load'];
  saveSession: Session['save'];
  /** The next piece of the file of a message that is being sent; null at its end. */
  readFile(networkId: string): Promise<Uint8Array | null>;
}

/** What a gateway is given about how to open a connection. */
export type OpenArguments =
  Parameters<Gateway['open']> extends [Session, GatewayListener, ...infer More] ? More : [];

/** Its file is asked for piece by piece while it is sent. */
export type WireMessage = Omit<OutgoingMessage, 'content'> & {
  readonly content: Wire<OutgoingContent, FileFacts>;
};
type FileFacts = Omit<OutgoingFile, 'open'>;

/** Its file comes with it: what phones send here is small. */
export type WireIncoming = Omit<IncomingMessage, 'content'> & {
  readonly content: Wire<IncomingContent, WholeFile>;
};
type WholeFile = Omit<IncomingFile, 'open'> & { readonly bytes: Uint8Array };

/** Content with its file in another form. */
type Wire<Content, File> = Content extends { readonly file: unknown }
  ? Omit<Content, 'file'> & { readonly file: File }
  : Content;
