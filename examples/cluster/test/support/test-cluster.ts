import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@trunkline/core';
import { systemClock, systemRandom } from '@trunkline/core/node';
import { startPostgres } from '@trunkline/test-postgres/server';
import type { PostgresServer } from '@trunkline/test-postgres/server';
import { manageProcess } from '../../src/managed-process.ts';
import type { ManagedProcess } from '../../src/managed-process.ts';
import { startNetwork } from '../../src/network/network-server.ts';
import type { NetworkServer } from '../../src/network/network-server.ts';
import { stallableProxy } from './stallable-proxy.ts';
import type { StallableProxy } from './stallable-proxy.ts';

export const API_KEY = 'a-key-for-the-tests';

/** Its connection to Postgres can be disturbed separately. */
interface Service {
  readonly process: ManagedProcess;
  readonly proxy: StallableProxy;
  /** The address of the process's API; undefined while no API is running. */
  readonly url: () => string | undefined;
  /** When the process became ready after each start, in epoch milliseconds. */
  readonly readyAt: readonly number[];
}

/** A test can kill or cut off the processes one by one. Some have wrong clocks. */
export interface TestCluster {
  readonly postgres: PostgresServer;
  readonly network: NetworkServer;
  readonly services: readonly Service[];
  /** The addresses of the APIs; for an API that is starting again, the previous address. */
  apiUrls(): readonly string[];
  note(line: string): void;
  stop(): Promise<void>;
  /** The fatal errors in the output, except those of failed starts. */
  lastWords(): readonly string[];
  /** Writes the output to a file for people. Returns its path. */
  keepOutput(): string;
}

export interface TestClusterOptions {
  /** The factor by which time runs faster for the service. */
  readonly timeFactor: number;
}

const TEN_MINUTES = 600_000;
/** Long enough that messages are usually in flight during a disturbance. */
const LATENCY_MS = 80;

/** Two processes of each role. Three of the six clocks are wrong. */
const SERVICES = [
  { name: 'api-1', roles: 'api', aheadMs: 0 },
  { name: 'api-2', roles: 'api', aheadMs: TEN_MINUTES },
  { name: 'gateway-1', roles: 'gateway', aheadMs: 0 },
  { name: 'gateway-2', roles: 'gateway', aheadMs: -TEN_MINUTES },
  { name: 'webhooks-1', roles: 'webhooks,maintenance', aheadMs: TEN_MINUTES },
  { name: 'webhooks-2', roles: 'webhooks,maintenance', aheadMs: 0 },
] as const;

export async function startTestCluster({ timeFactor }: TestClusterOptions): Promise<TestCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-cluster-test-'));
  const output: string[] = [];
  const note = (line: string): void => void output.push(`${new Date().toISOString()} ${line}`);
  const postgres = await startPostgres();
  const network = await startNetwork(
    0,
    { clock: systemClock(), random: systemRandom(), logger: silentLogger },
    { latencyMs: LATENCY_MS },
  );
  const environment = {
    DATA_DIR: join(directory, 'data'),
    NETWORK_URL: network.url,
    API_KEY,
    SECRET_KEY: randomUUID(),
    HOST: '127.0.0.1',
    PORT: '0',
    RATE_LIMIT: '0',
    WEBHOOK_URL_POLICY: 'local',
    LOG_LEVEL: 'info',
    DATABASE_CONNECTIONS: '5',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    TIME_FACTOR: String(timeFactor),
    TIME_BASE_MS: String(Date.now()),
  };
  const start = async ({ name, roles, aheadMs }: (typeof SERVICES)[number]): Promise<Service> => {
    const proxy = await stallableProxy(postgres.port);
    const database = new URL(postgres.url);
    database.port = String(proxy.port);
    let url: string | undefined;
    const readyAt: number[] = [];
    const process = manageProcess({
      name,
      program: new URL('programs/service.ts', import.meta.url),
      env: {
        ...environment,
        ROLES: roles,
        DATABASE_URL: database.href,
        CLOCK_AHEAD_MS: String(aheadMs),
      },
      readyLine: /(http:\/\/\S+:\d+)\/(?:api\/v1|healthz)$/,
      onReady(found) {
        url = found;
        readyAt.push(Date.now());
      },
      onLine: (line) => note(`[${name}] ${line}`),
    });
    return { process, proxy, readyAt, url: () => (roles === 'api' ? url : undefined) };
  };
  // Only the first process creates the directory and the workspace. Other tests cover concurrent starts.
  const [first, ...others] = SERVICES;
  const services = [await start(first)];
  const stop = async (): Promise<void> => {
    await Promise.all(services.map(({ process }) => process.stop()));
    for (const { proxy } of services) proxy.close();
    network.close();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  await services[0]?.process.ready;
  services.push(...(await Promise.all(others.map(start))));
  await Promise.all(services.map(({ process }) => process.ready));
  return {
    postgres,
    network,
    services,
    apiUrls: () => services.flatMap(({ url }) => url() ?? []),
    note,
    stop,
    // Pino's level 60 is `fatal`. Failed starts do not count: PostgreSQL may be down, and the start is repeated.
    lastWords: () =>
      output.filter((line) => line.includes('{"level":60,') && !line.includes('"the server cannot start: ')),
    keepOutput() {
      const path = join(CACHE, `cluster-${Date.now()}.log`);
      mkdirSync(CACHE, { recursive: true });
      writeFileSync(path, output.join('\n'));
      return path;
    },
  };
}

/** The tests do not delete this directory. */
const CACHE = join(import.meta.dirname, '../../../../node_modules/.cache');
const COMPILE_CACHE = join(CACHE, 'compiled');
