import { EventEmitter, once } from 'node:events';
import type { ClientRequest } from 'node:http';
import type { Agent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { callbackify, promisify } from 'node:util';
import { Dispatcher1Wrapper, Agent as UndiciAgent, buildConnector } from 'undici';
import type { Dispatcher } from 'undici';

interface TunnellingAgent {
  connect(
    request: ClientRequest,
    options: { readonly host: string; readonly port: number; readonly secureEndpoint: false },
  ): Promise<Duplex>;
}

type Connect = (options: buildConnector.Options) => Promise<Socket>;

/** Makes a dispatcher for `fetch` that connects through a Node agent. */
export function dispatcherThrough(agent: Agent): Dispatcher {
  const opened = callbackify(isTunnelling(agent) ? throughTunnel(agent) : asAgent(agent));
  const connect: buildConnector.connector = (options, callback) =>
    opened(options, (error: Error | null, socket) =>
      error ? callback(error, null) : callback(null, socket),
    );
  // Node's own fetch may expect an older dispatcher, so wrap this one.
  return new Dispatcher1Wrapper(new UndiciAgent({ connect }));
}

function isTunnelling(agent: Agent): agent is Agent & TunnellingAgent {
  return 'connect' in agent && typeof agent.connect === 'function';
}

function throughTunnel(agent: TunnellingAgent): Connect {
  const secure = promisify(buildConnector({ allowH2: false }));
  return async (options) => {
    const tunnel = await openTunnel(agent, { host: options.hostname, port: portOf(options) });
    const socket = options.protocol === 'https:' ? await secure({ ...options, httpSocket: tunnel }) : tunnel;
    if (!socket) throw new Error('The host did not connect through the proxy.');
    return socket;
  };
}

async function openTunnel(
  agent: TunnellingAgent,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Socket> {
  // A stand-in: the agent uses the request only to emit the proxy's response.
  const request = new EventEmitter();
  let status = 200;
  request.once('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => (status = statusCode));
  const tunnel = await agent.connect(request as ClientRequest, { host, port, secureEndpoint: false });
  if (status !== 200) {
    tunnel.destroy();
    throw new Error(`The proxy did not connect: it responded with HTTP ${String(status)}.`);
  }
  return tunnel as Socket; // the type of a tunnel without TLS
}

function asAgent(agent: Agent): Connect {
  return async (options) => {
    const { hostname: host, servername = host } = options;
    const socket = agent.createConnection({ ...agent.options, host, port: portOf(options), servername });
    if (!socket) throw new Error('The option "socket.agent" of baileysGateway made no connection.');
    await once(socket, 'secureConnect');
    return socket as Socket; // the type of an HTTPS agent's connection
  };
}

function portOf({ port, protocol }: Pick<buildConnector.Options, 'port' | 'protocol'>): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
