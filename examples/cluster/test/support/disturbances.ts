import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { ManagedProcess } from '../../src/managed-process.ts';
import { networkPhone } from '../../src/network-phone.ts';
import type { Choices } from './choices.ts';
import type { TestCluster } from './test-cluster.ts';

export interface DisturbanceOptions {
  readonly forMs: number;
  readonly pauseMs: readonly [number, number];
  /** The maximum time that a process is frozen or cut off from Postgres. Must be longer than a lease. */
  readonly outageMs: number;
  readonly instances: readonly string[];
}

/** Start and end in epoch milliseconds. */
export type Interruption = Outage | ProcessEnd | DatabaseOutage | Drop;

export interface Outage extends Period {
  readonly kind: 'frozen' | 'cut_off';
  readonly process: string;
}

/** The time from a process's kill or clean restart until it was ready again. */
interface ProcessEnd extends Period {
  readonly kind: 'killed' | 'restarted';
  readonly process: string;
}

/** Postgres crashed and came back, or connections to it were terminated. */
interface DatabaseOutage extends Period {
  readonly kind: 'database';
}

interface Drop extends Period {
  readonly kind: 'dropped';
  readonly instanceId: string;
}

export interface Period {
  readonly from: number;
  readonly to: number;
}

export function isOutage(interruption: Interruption): interruption is Outage {
  return interruption.kind === 'frozen' || interruption.kind === 'cut_off';
}

interface Harness extends Pick<DisturbanceOptions, 'outageMs' | 'instances'> {
  readonly cluster: TestCluster;
  readonly random: Choices;
  readonly interruptions: Interruption[];
}

type Disturbance = (harness: Harness) => Promise<string>;

/** Each disturbance happens once before any is repeated. */
const DISTURBANCES: readonly Disturbance[] = [
  crashPostgres,
  (harness) => kill(harness, 'gateway'),
  (harness) => freeze(harness, 'gateway'),
  (harness) => kill(harness, 'webhooks'),
  stall,
  terminateConnections,
  (harness) => freeze(harness, 'webhooks'),
  (harness) => kill(harness, 'api'),
  restart,
  stopListening,
  drop,
  (harness) => freeze(harness, 'api'),
];

/** Disturbs the cluster repeatedly, for at least `forMs`. Returns the disturbances. */
export async function disturb(
  cluster: TestCluster,
  { forMs, pauseMs, outageMs, instances }: DisturbanceOptions,
  random: Choices,
): Promise<readonly Interruption[]> {
  const end = performance.now() + forMs;
  const interruptions: Interruption[] = [];
  const first = DISTURBANCES.map((disturbance) => ({ disturbance, place: random.fraction() }));
  first.sort((a, b) => a.place - b.place);
  try {
    while (first.length > 0 || performance.now() < end) {
      const disturbance = first.pop()?.disturbance ?? random.of(DISTURBANCES);
      cluster.note(await disturbance({ cluster, random, outageMs, instances, interruptions }));
      await setTimeout(random.between(...pauseMs));
    }
  } finally {
    for (const { proxy, process } of cluster.services) {
      proxy.resume('pass_on');
      signal(process, 'SIGCONT');
    }
  }
  return asTheyWere(cluster, interruptions);
}

async function kill(harness: Harness, role: string): Promise<string> {
  const process = oneOf(harness, role);
  if (!signal(process, 'SIGKILL')) return `${process.name} is dead`;
  note(harness, { kind: 'killed', process: process.name });
  return `${process.name} is killed`;
}

/** Ends a process cleanly, like a deployment. The cluster restarts it. */
async function restart(harness: Harness): Promise<string> {
  const process = oneOf(harness, '');
  if (!signal(process, 'SIGTERM')) return `${process.name} is dead`;
  note(harness, { kind: 'restarted', process: process.name });
  return `${process.name} is to end`;
}

/** Like a paused virtual machine, the process later continues as if nothing had happened. */
async function freeze(harness: Harness, role: string): Promise<string> {
  const process = oneOf(harness, role);
  const pid = process.pid();
  if (!signal(process, 'SIGSTOP')) return `${process.name} is dead`;
  const ms = outage(harness, 'frozen', process);
  void setTimeout(ms).then(() => process.pid() === pid && signal(process, 'SIGCONT'));
  return `${process.name} stands still for ${ms} ms`;
}

function signal({ pid }: ManagedProcess, name: NodeJS.Signals): boolean {
  const id = pid();
  return id !== undefined && process.kill(id, name);
}

async function drop(harness: Harness): Promise<string> {
  const { cluster, random, instances } = harness;
  const instance = random.of(instances);
  try {
    await networkPhone(cluster.network.url, instance).drop();
    note(harness, { kind: 'dropped', instanceId: instance });
    return `the connection of ${instance} drops`;
  } catch {
    return `${instance} is not connected`;
  }
}

/** Leaves connections between a process and Postgres half open for a while. */
async function stall(harness: Harness): Promise<string> {
  const { cluster, random } = harness;
  const { process, proxy } = random.of(cluster.services);
  const ms = outage(harness, 'cut_off', process);
  const how = random.chance(0.5) ? 'pass_on' : 'cut';
  proxy.stall();
  void setTimeout(ms).then(() => proxy.resume(how));
  return `${process.name} does not reach Postgres for ${ms} ms (${how})`;
}

async function crashPostgres({ cluster, interruptions }: Harness): Promise<string> {
  const from = Date.now();
  await cluster.postgres.crash();
  interruptions.push({ kind: 'database', from, to: Date.now() });
  return 'Postgres has crashed and is back';
}

function terminateConnections(harness: Harness): Promise<string> {
  note(harness, { kind: 'database' });
  return terminate(harness.cluster, "application_name = 'trunkline' AND random() < 0.5");
}

function stopListening({ cluster }: Harness): Promise<string> {
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

function oneOf({ cluster, random }: Harness, role: string): ManagedProcess {
  return random.of(
    cluster.services.map(({ process }) => process).filter(({ name }) => name.startsWith(role)),
  );
}

/** Records an outage of random length. Returns the length. */
function outage(
  { outageMs, interruptions, random }: Harness,
  kind: Outage['kind'],
  { name }: ManagedProcess,
): number {
  const ms = Math.round((outageMs * random.between(1, 4)) / 4);
  interruptions.push({ process: name, kind, from: Date.now(), to: Date.now() + ms });
  return ms;
}

type Momentary = Extract<Interruption, { kind: 'killed' | 'restarted' | 'database' | 'dropped' }>;
type WithoutPeriod<Kind> = Kind extends Period ? Omit<Kind, keyof Period> : never;

/** If the disturbance lasts, `asTheyWere` corrects its end. */
function note({ interruptions }: Harness, what: WithoutPeriod<Momentary>): void {
  const now = Date.now();
  interruptions.push({ ...what, from: now, to: now });
}

/**
 * Corrects the ends of disturbances: a killed or restarted process becomes ready again only later, and a frozen one may
 * have been killed.
 */
function asTheyWere(
  { services }: TestCluster,
  interruptions: readonly Interruption[],
): readonly Interruption[] {
  const now = Date.now();
  return interruptions.map((one) => {
    if (one.kind === 'killed' || one.kind === 'restarted') {
      const service = services.find(({ process }) => process.name === one.process);
      return { ...one, to: service?.readyAt.find((at) => at > one.from) ?? Infinity };
    }
    const killed = interruptions.find(
      (other) =>
        one.kind === 'frozen' &&
        other.kind === 'killed' &&
        other.process === one.process &&
        other.from > one.from,
    );
    return { ...one, to: Math.min(one.to, killed?.from ?? now) };
  });
}
