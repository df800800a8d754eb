import type { WebSocket } from 'ws';
import type {
  GatewayConnection,
  GatewayContext,
  GatewayListener,
  Session,
} from '@trunkline/core/spi/gateway';
import { createSandbox } from '@trunkline/core/sandbox';
import type { Sandbox } from '@trunkline/core/sandbox';
import { createNetworkLog } from './network-log.ts';
import type { NetworkLog } from './network-log.ts';
import type { GatewaySide, NetworkSide } from './protocol.ts';
import { remoteCalls, watchForSilence } from './remote-calls.ts';
import type { RemoteCalls } from './remote-calls.ts';
import { outgoingContent, wireIncoming } from './wire-content.ts';

export interface Network {
  readonly phone: Sandbox['phone'];
  readonly unlink: (instanceId: string) => Promise<void>;
  /** Accepts a gateway's socket for one instance, and ends the instance's earlier connection, like a real network. */
  accept(socket: WebSocket, peer: Peer): void;
  log(): NetworkLog;
}

interface Peer {
  readonly instanceId: string;
  readonly owner: string;
}

interface Accepted {
  readonly id: number;
  replace(): void;
}

export interface NetworkOptions {
  /** The delay of each message to the network, and of each response. 0 by default. */
  readonly latencyMs?: number;
}

export function createNetwork(context: GatewayContext, { latencyMs = 0 }: NetworkOptions = {}): Network {
  const travel = (): Promise<void> =>
    new Promise((resolve) => void context.clock.setTimer(latencyMs, resolve));
  const log = createNetworkLog(context.clock);
  const { gateway, phone } = createSandbox({ journal: { load: () => [], append: log.record } });
  gateway.attach(context);
  const current = new Map<string, Accepted>();

  const accept: Network['accept'] = (socket, { instanceId, owner }) => {
    const { id, connected, closed } = log.opened({ instanceId, owner });
    let connection: GatewayConnection | null = null;

    const end = (): void => {
      closed();
      if (current.get(instanceId) === accepted) current.delete(instanceId);
    };
    const opened = (): GatewayConnection => {
      if (!connection) throw new Error('The connection was not opened yet: call open first.');
      return connection;
    };
    const calls = remoteCalls<GatewaySide, NetworkSide>(socket, {
      async open(...options) {
        connection = await gateway.open(sessionOf(instanceId, calls), listener, ...options);
      },
      async send(message) {
        const content = outgoingContent(message.content, () => calls.readFile(message.networkId));
        await travel();
        const outcome = await opened().send({ ...message, content });
        const { networkId, to } = message;
        log.send({ connection: id, instanceId, networkId, to, outcome: outcome.kind });
        await travel();
        return outcome;
      },
      async answerPasskey(answer) {
        await opened().answerPasskey?.(answer);
      },
      async close() {
        await connection?.close();
        end();
      },
      async logout() {
        await opened().logout();
        end();
      },
    });
    const listener: GatewayListener = {
      qr: (...report) => calls.qr(...report),
      passkey: (...report) => calls.passkey(...report),
      async connected(profile) {
        await calls.connected(profile);
        connected();
      },
      message: async (message) => calls.message(await wireIncoming(message)),
      receipt: (receipt) => calls.receipt(receipt),
      groups: (groups) => calls.groups(groups),
      async closed(reason) {
        end();
        await calls.closed(reason).finally(() => socket.close());
      },
    };
    const accepted: Accepted = {
      id,
      replace() {
        void connection?.close();
        listener.closed({ kind: 'failed', code: 'replaced' }).catch(() => undefined); // the gateway may be unreachable
      },
    };
    socket.on('error', (error) =>
      context.logger.debug({ err: error, instanceId }, 'a connection of the sandbox network broke'),
    );
    socket.on('close', () => {
      void connection?.close();
      end();
    });
    watchForSilence(socket, context.clock);

    const first = current.get(instanceId);
    current.set(instanceId, accepted);
    if (!first) return;
    log.replaced(first.id, id);
    context.logger.warn(
      { instanceId, owner },
      'an instance is connected twice: the first connection ends, as the network allows one',
    );
    first.replace();
  };

  return {
    phone,
    unlink: (instanceId) => gateway.unlink({ instanceId, ...NO_SESSION }),
    accept,
    log: log.read,
  };
}

/** The gateway's process stores the values. */
function sessionOf(instanceId: string, calls: RemoteCalls<GatewaySide, NetworkSide>): Session {
  return {
    instanceId,
    load: () => calls.loadSession(),
    save: (changes) => calls.saveSession(changes),
  };
}

const NO_SESSION: Omit<Session, 'instanceId'> = { load: async () => new Map(), save: async () => {} };
