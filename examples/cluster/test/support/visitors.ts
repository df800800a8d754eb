import { setTimeout } from 'node:timers/promises';
import { until } from '@trunkline/test-support';
import { networkPhone } from '../../src/network-phone.ts';
import type { Choices } from './choices.ts';
import type { Period } from './disturbances.ts';
import type { Load } from './load.ts';
import { call } from './set-up.ts';
import type { TestCluster } from './test-cluster.ts';

/** An instance was linked and meant to be online in this period, in epoch milliseconds. */
export interface Stay extends Period {
  readonly instance: string;
}

export interface Visitors {
  readonly stays: readonly Stay[];
  /** Starts no more visits. Resolves when the current visitors have left. */
  stop(): Promise<void>;
}

interface VisitorOptions {
  readonly visitors: number;
  readonly stayMs: readonly [number, number];
}

/** Longer than any outage and the work repeated after it. */
const STUCK_MS = 240_000;

/**
 * Instances that come and go: each is created, linked and connected, sends a message and stays for a while. Then it is
 * disconnected, sometimes connected again, or deleted.
 */
export function startVisitors(
  cluster: TestCluster,
  load: Load,
  { visitors, stayMs }: VisitorOptions,
  random: Choices,
): Visitors {
  const stays: Stay[] = [];
  let isStopped = false;

  const visitor = async (number: number): Promise<void> => {
    const choose = random.apart(number);
    for (let count = 1; !isStopped; count += 1) {
      const visit = visitWith(choose);
      const instance = await visit.create();
      await visit.connect(instance);
      await stay(instance, `visitor-${number}-message-${count}`, choose);
      if (choose.chance(1 / 3)) {
        await visit.delete(instance);
        continue;
      }
      await visit.disconnect(instance);
      if (choose.chance(0.5)) continue;
      await visit.connect(instance);
      await stay(instance, `visitor-${number}-message-${count}-again`, choose);
      await visit.delete(instance);
    }
  };

  /** Waits until the message is read: an instance that left earlier would miss receipts. */
  const stay = async (instance: string, text: string, choose: Choices): Promise<void> => {
    const from = Date.now();
    const { statusOf } = visitWith(choose);
    const messageId = await load.send({ instance, to: '15550100', text }, choose);
    await until(`${text} is read`, async () => (await statusOf('messages', messageId)) === 'read', STUCK_MS);
    await setTimeout(choose.between(...stayMs));
    stays.push({ instance, from, to: Date.now() });
  };

  const visitWith = (choose: Choices): Visit => visitThrough(cluster, choose);
  const running = Promise.all(Array.from({ length: visitors }, (_, index) => visitor(index + 1)));
  running.catch(() => undefined);

  return {
    stays,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}

interface Visit {
  create(): Promise<string>;
  connect(instance: string): Promise<void>;
  disconnect(instance: string): Promise<void>;
  delete(instance: string): Promise<void>;
  /** Undefined if the API does not respond; `gone` after a 404. */
  statusOf(collection: 'instances' | 'messages', id: string): Promise<string | undefined>;
}

/**
 * Calls random API processes, and repeats all calls except `statusOf` until they succeed, because processes die and are
 * cut off.
 */
function visitThrough(cluster: TestCluster, choose: Choices): Visit {
  const ask = (method: string, path: string, body?: object): ReturnType<typeof call> =>
    call(choose.of(cluster.apiUrls()), method, path, body);

  const statusOf: Visit['statusOf'] = (collection, id) =>
    ask('GET', `/${collection}/${id}`).then(
      ({ status }) => status,
      (error: Error) => (error.message.includes(': 404 ') ? 'gone' : undefined),
    );

  const untilItIs = (
    instance: string,
    wanted: string,
    work: (status: string | undefined) => Promise<unknown>,
  ): Promise<boolean> =>
    until(
      `${instance} is ${wanted}`,
      async () => {
        const status = await statusOf('instances', instance);
        if (status === wanted) return true;
        // If a process dies, the work fails: read the status again before the next attempt.
        await work(status).catch(() => undefined);
        return false;
      },
      STUCK_MS,
    );

  return {
    statusOf,
    create: () =>
      until('an instance is created', () =>
        ask('POST', '/instances', {}).then(
          ({ id }) => id,
          () => undefined,
        ),
      ),
    async connect(instance) {
      await untilItIs(instance, 'connected', async (status) => {
        if (status === 'qr_required') await networkPhone(cluster.network.url, instance).scan();
        else if (status !== 'connecting') await ask('POST', `/instances/${instance}/connect`);
      });
    },
    async disconnect(instance) {
      await untilItIs(instance, 'disconnected', () => ask('POST', `/instances/${instance}/disconnect`));
    },
    async delete(instance) {
      await untilItIs(instance, 'gone', () => ask('DELETE', `/instances/${instance}`));
    },
  };
}
