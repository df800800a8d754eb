import { runServerWith } from 'trunkline/run-server';
import type { ServerParts } from 'trunkline/run-server';
import { networkGateway } from './network-gateway.ts';
import { networkPhone } from './network-phone.ts';

/**
 * Runs one process of the cluster: the server of docs/running.md, by the roles of its environment, with the
 * network of `NETWORK_URL` unless `GATEWAY` names a real one.
 */
export function runService(parts: Pick<ServerParts, 'adapt'> = {}): void {
  const url = process.env['NETWORK_URL'] ?? '';
  // Whoever started it is gone.
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  void runServerWith(
    {
      ...(process.env['GATEWAY'] !== 'baileys' && {
        network: {
          gateway: networkGateway({ url, owner: process.env['PROCESS_NAME'] ?? String(process.pid) }),
          phone: (instanceId) => networkPhone(url, instanceId),
          isElsewhere: false,
          close() {},
        },
      }),
      ...parts,
    },
    { environment: process.env },
  );
}
