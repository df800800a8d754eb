import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { Choices } from './choices.ts';
import type { TestCluster } from './test-cluster.ts';

export interface DisturbanceOptions {
  readonly forMs: number;
  /** Between two of them. */
  readonly pauseMs: readonly [number, number];
  /** How long a process may be cut off from Postgres at most. */
  readonly stallMs: number;
}

interface Scene {
  readonly cluster: TestCluster;
  readonly random: Choices;
  readonly stallMs: number;
}

/** Does something and answers what it was. */
type Disturbance = (scene: Scene) => Promise<string>;

/** Those that stand here more than once are done more often. */
const DISTURBANCES: readonly [Disturbance, ...Disturbance[]] = [
  (scene) => kill(scene, 'gateway'),
  (scene) => kill(scene, 'webhooks'),
  (scene) => kill(scene, 'api'),
  stall,
  terminateConnections,
  stopListening,
  crashPostgres,
  (scene) => kill(scene, 'gateway'),
  (scene) => kill(scene, 'webhooks'),
  (scene) => kill(scene, 'api'),
  stall,
];

/** Disturbs the cluster again and again, in each way at least once where there is time for it. Tells of each. */
export async function disturb(
  cluster: TestCluster,
  { forMs, pauseMs, stallMs }: DisturbanceOptions,
  random: Choices,
): Promise<void> {
  const end = performance.now() + forMs;
  const first = [...DISTURBANCES].slice(0, 7).toSorted(() => random.fraction() - 0.5);
  while (performance.now() < end) {
    const disturbance = first.pop() ?? random.of(DISTURBANCES);
    cluster.note(await disturbance({ cluster, random, stallMs }));
    await setTimeout(random.between(...pauseMs));
  }
  for (const { proxy } of cluster.services) proxy.resume('pass_on');
}

async function kill({ cluster, random }: Scene, role: string): Promise<string> {
  const both = cluster.services.filter(({ process }) => process.name.startsWith(role));
  const { process } = one(both, random);
  const pid = process.pid();
  if (pid !== undefined) globalThis.process.kill(pid, 'SIGKILL');
  return pid === undefined ? `${process.name} is dead already` : `${process.name} is killed`;
}

/** Half-open sockets between a process and Postgres, for a while. */
async function stall({ cluster, random, stallMs }: Scene): Promise<string> {
  const { process, proxy } = one(cluster.services, random);
  const ms = Math.round((stallMs * random.between(1, 4)) / 4);
  const how = random.chance(0.5) ? 'pass_on' : 'cut';
  proxy.stall();
  void setTimeout(ms).then(() => proxy.resume(how));
  return `${process.name} does not reach Postgres for ${ms} ms (${how})`;
}

async function crashPostgres({ cluster }: Scene): Promise<string> {
  await cluster.postgres.crash();
  return 'Postgres has crashed and is back';
}

function terminateConnections({ cluster }: Scene): Promise<string> {
  return terminate(cluster, "application_name = 'trunkline' AND random() < 0.5");
}

function stopListening({ cluster }: Scene): Promise<string> {
  return terminate(cluster, "query ILIKE 'LISTEN%'");
}

async function terminate({ postgres }: TestCluster, which: string): Promise<string> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${which}`,
    );
    return `${rowCount} connections to Postgres are terminated (${which})`;
  } finally {
    await client.end();
  }
}

function one<Item>(items: readonly Item[], random: Choices): Item {
  const [item] = items.slice(random.between(0, items.length - 1));
  if (item === undefined) throw new Error('There is nothing to choose from.');
  return item;
}
