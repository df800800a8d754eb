import { expect, it } from 'vitest';
import * as z from 'zod';
import { until } from '@trunkline/test-support';
import type { NetworkLog } from '../src/network/network-log.ts';
import { choices } from './support/choices.ts';
import { darkness, length } from './support/darkness.ts';
import { disturb } from './support/disturbances.ts';
import type { DisturbanceOptions } from './support/disturbances.ts';
import { startLoad } from './support/load.ts';
import { numbersOf } from './support/numbers.ts';
import { missing, violations } from './support/oracle.ts';
import type { Evidence } from './support/oracle.ts';
import { startReceiver } from './support/receivers.ts';
import { setUp } from './support/set-up.ts';
import { watchStatuses } from './support/status-watch.ts';
import { startTestCluster } from './support/test-cluster.ts';
import { startVisitors } from './support/visitors.ts';

/**
 * How many minutes of real time the cluster is disturbed. If unset, a few seconds, and the service's time runs three
 * times as fast, which shortens leases and the waits between retries.
 */
const MINUTES = Number(process.env['CLUSTER_MINUTES'] ?? 0);
interface Form extends Omit<DisturbanceOptions, 'instances'> {
  /** The factor by which time runs faster for the service. */
  readonly timeFactor: number;
  /**
   * The window in which an endpoint may get 120 requests, in real time. If time runs faster, it is a second shorter
   * than the service's minute, because a request leaves up to a second of real time after its claim.
   */
  readonly minuteMs: number;
  /** More clients would send more than an endpoint can take. */
  readonly senders: number;
  readonly loadMs: readonly [number, number];
  readonly visitors: number;
  readonly stayMs: readonly [number, number];
  /** How long an instance may be unable to send after its gateway died, if another gateway exists. */
  readonly darkMs: number;
}

/** The run continues until more messages than this are accepted: fewer would prove little. */
const MESSAGES_LEAST = 10;

/** Printed on failure. Set CLUSTER_SEED to it to repeat the same choices. */
const SEED = Number(process.env['CLUSTER_SEED'] ?? Date.now() % 1_000_000);

const form: Form =
  MINUTES > 0
    ? {
        timeFactor: 1,
        minuteMs: 60_000,
        forMs: MINUTES * 60_000,
        pauseMs: [500, 8_000],
        outageMs: 60_000,
        senders: 3,
        loadMs: [500, 4_000],
        visitors: 4,
        stayMs: [1_000, 20_000],
        darkMs: 5_000,
      }
    : {
        timeFactor: 3,
        minuteMs: 19_000,
        forMs: 12_000,
        pauseMs: [200, 1_200],
        outageMs: 12_000,
        senders: 3,
        loadMs: [500, 1_500],
        visitors: 1,
        stayMs: [200, 2_000],
        // Long enough for a busy machine, but shorter than a lease.
        darkMs: 8_000,
      };

it(
  'A cluster that is killed, cut off and misled in every way loses nothing, repeats nothing and keeps its limits',
  { timeout: form.forMs + 600_000 },
  async () => {
    const random = choices(SEED);
    const cluster = await startTestCluster({ timeFactor: form.timeFactor });
    const receivers = await Promise.all([
      startReceiver('first', { events: ['message.sent', 'message.failed'] }, random.apart(1)),
      startReceiver('slow', { events: ['message.delivered'], delayMs: [200, 1_000] }, random.apart(2)),
      startReceiver('failing', { events: ['message.read'], failing: 0.2 }, random.apart(3)),
      startReceiver('inbound', { events: ['message.received'] }, random.apart(4)),
      startReceiver('both', { events: ['message.failed', 'message.received'] }, random.apart(5)),
    ]);
    try {
      const [first] = cluster.services;
      const addresses = { url: first?.url() ?? '', networkUrl: cluster.network.url };
      const instances = await setUp(addresses, { receivers, instances: 4 });

      const { senders, loadMs: pauseMs } = form;
      const load = startLoad(cluster, { instances, senders, pauseMs }, random.apart(6));
      const watch = watchStatuses(load, cluster.apiUrls, random.apart(8));
      const visitors = startVisitors(cluster, load, form, random.apart(9));
      const from = Date.now();
      const interruptions = await disturb(cluster, { ...form, instances }, random.apart(7));
      // On a busy machine, outages may cover most of these seconds.
      await until(
        'messages are accepted and received again',
        () => load.accepted.length > MESSAGES_LEAST && load.inbound.length > 0,
      );
      await Promise.all([load.stop(), visitors.stop()]);
      const residents = instances.map((instance) => ({ instance, from, to: Date.now() }));

      const evidence = async (): Promise<Evidence> => ({
        load,
        receivers,
        log: await readLog(cluster.network.url),
        interruptions,
        stays: [...residents, ...visitors.stays],
        statuses: watch.statuses,
      });
      let left: readonly string[] = [];
      await until(
        'everything is done',
        async () => {
          left = missing(await evidence());
          return left.length === 0;
        },
        300_000,
      ).catch(() => undefined);
      await watch.stop();
      const wrong = [...violations(await evidence(), form.minuteMs), ...cluster.lastWords()];
      const numbers = numbersOf(await evidence());
      cluster.note(numbers);
      expect({ left, wrong }).toEqual({ left: [], wrong: [] });
      const afterDeath = darkness(await evidence()).filter(({ cause }) => cause === 'killed');
      expect(afterDeath.filter((dark) => length(dark) > form.darkMs)).toEqual([]);
      if (MINUTES > 0) console.info(`${numbers}\nThe log is ${cluster.keepOutput()}`);
    } catch (error) {
      console.error(`CLUSTER_SEED=${SEED}, the log is ${cluster.keepOutput()}`);
      throw error;
    } finally {
      await cluster.stop();
      for (const receiver of receivers) receiver.close();
    }
  },
);

async function readLog(networkUrl: string): Promise<NetworkLog> {
  const response = await fetch(`${networkUrl}/log`);
  return z.custom<NetworkLog>().parse(await response.json());
}
