import { afterExit } from '@trunkline/test-postgres/after-exit';
import { makeSharedDirectory } from '@trunkline/test-postgres/shared-directory';
import { freePort } from '@trunkline/test-support/free-port';
import { startBalancer } from './balancer.ts';
import { manageProcess } from './managed-process.ts';
import type { ManagedProcess, ProcessOptions } from './managed-process.ts';

export interface ClusterOptions {
  readonly host: string;
  /** The port of the load balancer; 0 takes any free port. */
  readonly port: number;
  /** If null, the cluster starts its own Postgres. */
  readonly databaseUrl: string | null;
  readonly notify: (name: string, line: string) => void;
}

export interface Cluster {
  /** The load balancer's URL, without a trailing slash. */
  readonly url: string;
  readonly apis: ReadonlyMap<string, string>;
  readonly networkUrl: string;
  readonly processes: readonly ManagedProcess[];
  stop(): Promise<void>;
}

/** The first process upgrades the database. Each role has two processes. */
const SERVICES = [
  { name: 'api-1', roles: 'api' },
  { name: 'api-2', roles: 'api' },
  { name: 'gateway-1', roles: 'gateway' },
  { name: 'gateway-2', roles: 'gateway' },
  { name: 'webhooks-1', roles: 'webhooks,maintenance' },
  { name: 'webhooks-2', roles: 'webhooks,maintenance' },
] as const;

type Program = Omit<ProcessOptions, 'onLine'>;

/** The first API process starts before the others, so that only it creates the workspace. */
export async function startCluster({ host, port, databaseUrl, notify }: ClusterOptions): Promise<Cluster> {
  const started: ManagedProcess[] = [];
  const apis = new Map<string, string>();
  const directory = await makeSharedDirectory('trunkline-cluster-');
  const cleaner = afterExit({ directory });
  const stop = async (): Promise<void> => {
    // Stop the service first, then the programs that it needs, in reverse order of their start.
    const services = started.filter(({ name }) => SERVICES.some((service) => service.name === name));
    await Promise.all(services.map((service) => service.stop()));
    for (const other of started.toReversed()) await other.stop();
    await cleaner.cleanUp();
  };
  const run = (options: Program): ManagedProcess => {
    const managed = manageProcess({
      ...options,
      onLine: (line) => notify(options.name, line),
    });
    started.push(managed);
    return managed;
  };

  const balancer = await startBalancer(port, host);
  try {
    const DATABASE_URL = databaseUrl ?? (await run(postgres(await freePort(), directory)).ready);
    const NETWORK_URL = await run(network(await freePort())).ready;
    for (const { name, roles } of SERVICES) {
      const service = run({
        name,
        program: new URL('service.ts', import.meta.url),
        env: { HOST: '127.0.0.1', PORT: '0', ROLES: roles, DATABASE_URL, NETWORK_URL },
        readyLine: /(http:\/\/\S+:\d+)\/(?:api\/v1|healthz)$/,
        onReady(url) {
          if (roles !== 'api') return;
          apis.set(name, url);
          balancer.use(name, url);
        },
      });
      if (name === SERVICES[0].name) await service.ready;
    }
    await Promise.all(started.map(({ ready }) => ready));
    return {
      url: `http://${host}:${balancer.port}`,
      apis,
      networkUrl: NETWORK_URL,
      processes: started,
      async stop() {
        balancer.close();
        await stop();
      },
    };
  } catch (error) {
    balancer.close();
    await stop();
    throw error;
  }
}

/** Its files are deleted when the cluster stops. */
function postgres(port: number, directory: string): Program {
  return {
    name: 'postgres',
    program: new URL('postgres.ts', import.meta.url),
    env: { POSTGRES_PORT: String(port), POSTGRES_DIRECTORY: directory },
    readyLine: /^Postgres is at (postgres:\S+)$/,
  };
}

function network(port: number): Program {
  return {
    name: 'network',
    program: new URL('network/main.ts', import.meta.url),
    env: { NETWORK_PORT: String(port) },
    readyLine: /^The sandbox network is at (\S+)$/,
  };
}
