import { runServerWith } from 'trunkline/run-server';
import type { ServerParts } from 'trunkline/run-server';
import { networkGateway } from './network-gateway.ts';
import { networkPhone } from './network-phone.ts';
import { whatsAppElsewhere } from './whatsapp-elsewhere.ts';

/**
 * Runs one process of the cluster: the server of docs/running.md, with the roles in its environment. The network is the
 * one at `NETWORK_URL`, or WhatsApp if `GATEWAY` is `baileys`.
 */
export function runService(parts: Pick<ServerParts, 'adapt'> = {}): void {
  // Ends cleanly when the parent process is gone.
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

/** Undefined for a process with the role `gateway`, which uses the server's own network and so loads Baileys. */
function whatsApp(roles = 'gateway'): Network | undefined {
  if (roles.split(',').some((role) => role.trim() === 'gateway')) return undefined;
  return { gateway: whatsAppElsewhere(), phone: null, isElsewhere: false, close() {} };
}
