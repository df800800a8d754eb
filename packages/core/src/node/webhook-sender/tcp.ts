import { connect, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { SendFailure } from './send-failure.ts';
import type { Target } from './target.ts';

export interface TcpConnection {
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Connects to the first of the target's addresses that responds, within `connectMs` for all of them. Each
 * address gets only its share of the time left, but at least a third of `connectMs`, so that a host with one
 * dead address is still reached.
 */
export async function connectTcp(
  target: Target,
  connectMs: number,
  signal: AbortSignal,
): Promise<TcpConnection> {
  const end = performance.now() + connectMs;
  let failure: SendFailure | undefined;
  for (const [index, address] of target.addresses.entries()) {
    const remaining = end - performance.now();
    if (remaining <= 0) break;
    const share = Math.max(remaining / (target.addresses.length - index), connectMs / 3);
    try {
      return { socket: await connectToAddress(address, target, Math.min(share, remaining), signal), address };
    } catch (error) {
      if (signal.aborted || !(error instanceof SendFailure) || error.code === 'UNSAFE_URL') throw error;
      failure = error;
    }
  }
  throw failure ?? new SendFailure('TIMEOUT', 'There was no time left to connect.');
}

function connectToAddress(
  host: string,
  target: Target,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({ host, port: target.url.port, noDelay: true, autoSelectFamily: false });
    const timer = setTimeout(
      () => fail(new SendFailure('TIMEOUT', `There was no connection within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const abort = (): void => fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });

    // Keep the listener for the socket's whole life, because an error without a listener would end the
    // process.
    socket.on('error', (error) => fail(new SendFailure('CONNECTION_FAILED', error.message, error)));
    socket.once('connect', () => {
      const unexpected = checkPeer(socket, host);
      if (unexpected !== undefined) return fail(unexpected);
      stop();
      resolve(socket);
    });

    function fail(reason: Error): void {
      stop();
      socket.destroy();
      reject(reason);
    }
    function stop(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  });
}

/** Checks that the runtime has connected to the checked address, which not every runtime does. */
function checkPeer(socket: Socket, address: string): SendFailure | undefined {
  const peer = socket.remoteAddress;
  if (peer === undefined)
    return new SendFailure('CONNECTION_FAILED', 'The connection was closed immediately.');
  if (ipaddr.process(peer).toString() === ipaddr.process(address).toString()) return undefined;
  return new SendFailure(
    'UNSAFE_URL',
    'The connection went to another address than the one that was checked.',
  );
}
