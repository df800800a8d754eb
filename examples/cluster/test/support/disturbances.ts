import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { ManagedProcess } from '../../src/managed-process.ts';
import { networkPhone } from '../../src/network-phone.ts';
import type { Choices } from './choices.ts';
import type { TestCluster } from './test-cluster.ts';

export interface DisturbanceOptions {
  readonly forMs: number;
  /** Between two of them. */
  readonly pauseMs: readonly [number, number];
  /** How long a process may be cut off from Postgres, or stand still, at most: longer than a lease. */
  readonly outageMs: number;
  /** The instances whose connections are dropped. */
  readonly instances: readonly string[];
}

/** A process stood still, or did not reach Postgres, for this time, in epoch milliseconds. */
export interface Outage {
  readonly process: string;
  readonly kind: 'frozen' | 'cut_off';
  readonly from: number;
  readonly to: number;
}

interface Scene extends Pick<DisturbanceOptions, 'outageMs' | 'instances'> {
  readonly cluster: TestCluster;
  readonly random: Choices;
  readonly outages: Outage[];
}

/** Does something and answers what it was. */
type Disturbance = (scene: Scene) => Promise<string>;

/** Each is done once before any is done again. */
const DISTURBANCES: readonly Disturbance[] = [
  crashPostgres,
  (scene) => kill(scene, 'gateway'),
  (scene) => freeze(scene, 'gateway'),
  (scene) => kill(scene, 'webhooks'),
  stall,
  terminateConnections,
  (scene) => freeze(scene, 'webhooks'),
  (scene) => kill(scene, 'api'),
  restart,
  stopListening,
  drop,
  (scene) => freeze(scene, 'api'),
];

/** Disturbs the cluster again and again, and then lets it be. Answers the outages. */
export async function disturb(
  cluster: TestCluster,
  { forMs, pauseMs, outageMs, instances }: DisturbanceOptions,
  random: Choices,
): Promise<readonly Outage[]> {
  const end = performance.now() + forMs;
  const outages: Outage[] = [];
  const first = DISTURBANCES.map((disturbance) => ({ disturbance, place: random.fraction() }));
  first.sort((a, b) => a.place - b.place);
  try {
    while (first.length > 0 || performance.now() < end) {
      const disturbance = first.pop()?.disturbance ?? random.of(DISTURBANCES);
      cluster.note(await disturbance({ cluster, random, outageMs, instances, outages }));
      await setTimeout(random.between(...pauseMs));
    }
  } finally {
    for (const { proxy, process } of cluster.services) {
      proxy.resume('pass_on');
      signal(process, 'SIGCONT');
    }
  }
  return outages;
}

async function kill(scene: Scene, role: string): Promise<string> {
  const process = oneOf(scene, role);
  return signal(process, 'SIGKILL') ? `${process.name} is killed` : `${process.name} is dead already`;
}

/** As a deploy does: it ends in good order, and comes back. */
async function restart(scene: Scene): Promise<string> {
  const process = oneOf(scene, '');
  return signal(process, 'SIGTERM') ? `${process.name} is to end` : `${process.name} is dead already`;
}

/** As a machine under a hypervisor that is paused: it goes on later as if nothing had been. */
async function freeze(scene: Scene, role: string): Promise<string> {
  const process = oneOf(scene, role);
  const pid = process.pid();
  if (!signal(process, 'SIGSTOP')) return `${process.name} is dead already`;
  const ms = outage(scene, 'frozen', process);
  void setTimeout(ms).then(() => process.pid() === pid && signal(process, 'SIGCONT'));
  return `${process.name} stands still for ${ms} ms`;
}

/** Answers whether there was a process to tell. */
function signal({ pid }: ManagedProcess, name: NodeJS.Signals): boolean {
  const id = pid();
  return id !== undefined && process.kill(id, name);
}

async function drop({ cluster, random, instances }: Scene): Promise<string> {
  const instance = random.of(instances);
  try {
    await networkPhone(cluster.network.url, instance).drop();
    return `the connection of ${instance} drops`;
  } catch {
    return `${instance} is not connected`;
  }
}

/** Half-open sockets between a process and Postgres, for a while. */
async function stall(scene: Scene): Promise<string> {
  const { cluster, random } = scene;
  const { process, proxy } = random.of(cluster.services);
  const ms = outage(scene, 'cut_off', process);
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

/** One of the processes of a role. */
function oneOf({ cluster, random }: Scene, role: string): ManagedProcess {
  return random.of(
    cluster.services.map(({ process }) => process).filter(({ name }) => name.startsWith(role)),
  );
}

/** Answers how long it is to last. */
function outage(
  { outageMs, outages, random }: Scene,
  kind: Outage['kind'],
  { name }: ManagedProcess,
): number {
  const ms = Math.round((outageMs * random.between(1, 4)) / 4);
  outages.push({ process: name, kind, from: Date.now(), to: Date.now() + ms });
  return ms;
}
