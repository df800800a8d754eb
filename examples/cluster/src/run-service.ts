import { runServerWith } from 'trunkline/run-server';
import type { ServerParts } from 'trunkline/run-server';
import { networkGateway } from './network-gateway.ts';
import { networkPhone } from './network-phone.ts';
import { whatsAppElsewhere } from './whatsapp-elsewhere.ts';

/**
 * Runs one process of the cluster: the server of docs/running.md, with the roles in its environment, on the network at
 * `NETWORK_URL`, or on WhatsApp if `GATEWAY` is `baileys`.
 */
export function runService(parts: Pick<ServerParts, 'adapt'> = {}): void {
  // The parent process is gone: end cleanly.
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  const { env } = process;
  const network = env['GATEWAY'] === 'baileys' ? whatsApp(env['ROLES']) : sandboxNetwork(env);
  void runServerWith({ ...(network && { network }), ...parts }, { environment: env });
}

type Network = NonNullable<ServerParts['network']>;

function sandboxNetwork({ NETWORK_URL: url = '', PROCESS_NAME: owner }: NodeJS.ProcessEnv): Network {
  return {
    gateway: networkGateway({ url, owner: owner ?? String(process.pid) }),
    phone: (instanceId) => networkPhone(url, instanceId),
    isElsewhere: false,
    close() {},
  };
}

/** Undefined for the role `gateway`: the server's own network loads Baileys. */
function whatsApp(roles = 'gateway'): Network | undefined {
  if (roles.split(',').some((role) => role.trim() === 'gateway')) return undefined;
  return { gateway: whatsAppElsewhere(), phone: null, isElsewhere: false, close() {} };
}
