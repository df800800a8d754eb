import { runServerWith } from 'trunkline/run-server';
import type { ServerParts } from 'trunkline/run-server';
import { networkGateway } from './network-gateway.ts';
import { networkPhone } from './network-phone.ts';

/**
 * Runs one process of the cluster: the server of docs/running.md, with the roles in its environment, on the network at
 * `NETWORK_URL`, or on the networks in `GATEWAYS` if it is set.
 */
export function runService(parts: Pick<ServerParts, 'adapt'> = {}): void {
  // The parent process is gone: end cleanly.
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  const { env } = process;
  const networks = env['GATEWAYS'] === undefined ? { networks: sandboxNetwork(env) } : {};
  void runServerWith({ ...networks, ...parts }, { environment: env });
}

type Networks = NonNullable<ServerParts['networks']>;

function sandboxNetwork({ NETWORK_URL: url = '', PROCESS_NAME: owner }: NodeJS.ProcessEnv): Networks {
  return {
    gateways: [networkGateway({ url, owner: owner ?? String(process.pid) })],
    phone: ({ id }) => networkPhone(url, id),
    close() {},
  };
}
