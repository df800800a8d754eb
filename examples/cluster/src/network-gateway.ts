import { WebSocket } from 'ws';
import type {
  Gateway,
  GatewayConnection,
  GatewayContext,
  GatewayListener,
  OutgoingMessage,
  SendOutcome,
  Session,
} from '@trunkline/core/spi/gateway';
import { createSandbox } from '@trunkline/core/sandbox';
import { CONNECTIONS_PATH } from './network/protocol.ts';
import type { GatewaySide, NetworkSide, OpenArguments } from './network/protocol.ts';
import { remoteCalls, watchForSilence } from './network/remote-calls.ts';
import { incomingContent, outgoingWire } from './network/wire-content.ts';
import { networkPhone } from './network-phone.ts';

/** How long the network may take to accept a connection, and to end one. */
const NETWORK_DEADLINE_MS = 5_000;

interface NetworkAddress {
  /** Such as `http://127.0.0.1:8090`. */
  readonly url: string;
  /** The name of this process in the network's log. */
  readonly owner: string;
}

/**
 * A gateway to a sandbox network in another process, with a WebSocket for each instance. Reports are acknowledged once
 * they are stored, so that those that a killed process had not stored go to the next one.
 */
export function networkGateway(address: NetworkAddress): Gateway {
  const { network, title, linking, isSimulated, capabilities, sendsAtOnce, newMessageId } =
    createSandbox().gateway;
  let attached: GatewayContext | null = null;
  return {
    network,
    title,
    linking,
    ...(isSimulated && { isSimulated }),
    capabilities,
    ...(sendsAtOnce !== undefined && { sendsAtOnce }),
    newMessageId,
    attach(given) {
      attached = given;
    },
    async open(session, listener, ...options: OpenArguments) {
      if (!attached)
        throw new Error(
          'The gateway is not part of a Trunkline yet: give it to createTrunkline in the option "gateways".',
        );
      return openConnection({ ...attached, address, session, listener, options });
    },
    unlink: ({ instanceId }) => networkPhone(address.url, instanceId).forget(),
  };
}

interface ConnectionOptions extends GatewayContext {
  readonly address: NetworkAddress;
  readonly session: Session;
  readonly listener: GatewayListener;
  readonly options: OpenArguments;
}

function openConnection({ clock, logger, ...parts }: ConnectionOptions): GatewayConnection {
  const { address, session, listener, options } = parts;
  const { instanceId } = session;
  const files = new Map<string, () => Promise<Uint8Array | null>>();
  /** Whether the end is already known: the closing socket must not be reported as a loss. */
  let isOver = false;

  const url = new URL(`${CONNECTIONS_PATH}${instanceId}?owner=${address.owner}`, address.url);
  const socket = new WebSocket(url, { handshakeTimeout: NETWORK_DEADLINE_MS });
  const network = remoteCalls<NetworkSide, GatewaySide>(socket, {
    loadSession: () => session.load(),
    saveSession: (changes) => session.save(changes),
    qr: (...report) => listener.qr(...report),
    passkey: async (...report) => listener.passkey?.(...report),
    connected: (profile) => listener.connected(profile),
    message: (message) => listener.message({ ...message, content: incomingContent(message.content) }),
    receipt: (receipt) => listener.receipt(receipt),
    groups: (groups) => listener.groups(groups),
    async closed(reason) {
      isOver = true;
      await listener.closed(reason);
    },
    readFile: async (networkId) => (await files.get(networkId)?.()) ?? null,
  });

  const lost = (error: unknown): void => {
    logger.debug({ err: error, instanceId }, 'a connection to the sandbox network was lost');
    socket.terminate();
    if (isOver) return;
    isOver = true;
    listener
      .closed({ kind: 'dropped', detail: 'connection_lost' })
      .catch((cause: unknown) =>
        logger.warn(
          { err: cause, instanceId },
          'the loss of a connection to the sandbox network could not be recorded: check the database',
        ),
      );
  };
  socket.on('open', () => {
    watchForSilence(socket, clock);
    network.open(...options).catch(lost);
  });
  socket.on('error', lost);
  socket.on('close', lost);

  /** Notifies the network if it is reachable, and closes the socket. */
  const end = async (notify: () => Promise<void>): Promise<void> => {
    isOver = true;
    const cancel = clock.setTimer(NETWORK_DEADLINE_MS, () => socket.terminate());
    try {
      if (socket.readyState === WebSocket.OPEN) await notify();
    } finally {
      cancel();
      socket.terminate();
    }
  };

  return {
    async send(message) {
      const { networkId } = message;
      files.set(networkId, piecesOf(message));
      try {
        return await network.send({ ...message, content: outgoingWire(message.content) });
      } catch (error) {
        return unknown(error);
      } finally {
        files.delete(networkId);
      }
    },
    answerPasskey: (answer) => network.answerPasskey(answer),
    // The network may already have ended the connection.
    close: () => end(() => network.close().catch(() => undefined)),
    logout: () => end(() => network.logout()),
  };
}

/** The network requests one piece after another. */
function piecesOf({ content }: OutgoingMessage): () => Promise<Uint8Array | null> {
  if (!('file' in content)) return async () => null;
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  return async () => {
    reader ??= (await content.file.open()).getReader();
    const { value } = await reader.read();
    return value ?? null;
  };
}

function unknown(error: unknown): SendOutcome {
  return { kind: 'unknown', reason: error instanceof Error ? error.message : 'the network did not respond' };
}
