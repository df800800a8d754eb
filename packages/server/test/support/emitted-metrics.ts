import { createTrunkline, SCOPES, silentLogger } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { REFUSED, TAKEN, testRuntime } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { eventually } from '@trunkline/test-support';
import { expect, onTestFinished, vi } from 'vitest';
import { createServerApp } from '../../src/http/server-app.ts';
import { createServerMetrics } from '../../src/telemetry/server-metrics.ts';
import type { ServerMetrics } from '../../src/telemetry/server-metrics.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const MINUTE = 60_000;
const PNG = new Uint8Array(Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')); // prettier-ignore

/**
 * The labels of every metric that a server emits, by the metric's Prometheus name. To emit all metrics, a service does
 * everything that is counted, on a clock that the test advances.
 */
export async function emittedMetrics(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const metrics = testMetrics();
  await doEverything(metrics, await startService(metrics));
  const labels = new Map<string, Set<string>>();
  for (const { name, labels: own } of await seriesOf(metrics)) {
    const known = labels.get(name) ?? new Set();
    for (const label of own.keys()) known.add(label);
    labels.set(name, known);
  }
  return labels;
}

interface Series {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** The series of a server that has just started, before anything happens. */
export async function initialSeries(): Promise<readonly Series[]> {
  const metrics = testMetrics();
  await startService(metrics);
  return seriesOf(metrics);
}

/** Reads `name="value"` pairs. */
export function readLabels(pairs: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(pairs.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, label = '', value = '']) => [label, value]),
  );
}

function testMetrics(): ServerMetrics {
  const metrics = createServerMetrics({
    dataDirectory: temporaryDirectory(),
    isServed: true,
    readers: [],
  });
  onTestFinished(() => metrics.close());
  return metrics;
}

async function seriesOf(metrics: ServerMetrics): Promise<readonly Series[]> {
  // The delay of the event loop is emitted only after five samples, and a fast run ends before that.
  const text = await eventually(async () => {
    const emitted = await metrics.text();
    expect(emitted).toContain('nodejs_eventloop_delay_p99');
    return emitted;
  });
  return Array.from(
    text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? (\S+)/gim),
    ([, name = '', pairs = '', value]) => ({ name, labels: readLabels(pairs), value: Number(value) }),
  );
}

async function startService(metrics: ServerMetrics) {
  const sandbox = createSandbox();
  const storage = sqliteStorage({ path: ':memory:' });
  const { clock, ...runtime } = testRuntime();
  const trunkline = createTrunkline({
    ...runtime,
    clock,
    storage,
    gateways: [sandbox.gateway],
    logger: silentLogger,
    secretKey: 'a secret key of the tests, long enough',
    meterProvider: metrics.meterProvider,
  });
  await trunkline.start();
  onTestFinished(async () => {
    const stopped = trunkline.stop();
    await clock.advance(MINUTE);
    await stopped;
  });
  return { trunkline, storage, sandbox, clock, runtime };
}

async function doEverything(
  metrics: ServerMetrics,
  { trunkline, storage, sandbox, clock, runtime }: Awaited<ReturnType<typeof startService>>,
): Promise<void> {
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const { token } = await trunkline.admin.apiKeys.create({ workspaceId, name: 'ci', scopes: [...SCOPES] });
  const api = trunkline.workspace(workspaceId);
  await api.webhooks.create({ url: 'https://hooks.example.com/', events: ['message.sent'] });
  const { id: instance } = await api.instances.create();
  await api.instances.connect(instance);
  await clock.advance(100);
  const phone = sandbox.phone(instance);
  await phone.scan();
  await clock.settle();

  runtime.webhookSender.respond(() => REFUSED);
  // The sandbox refuses the second recipient.
  for (const to of ['15550100', '15550003'])
    await api.messages.send({ instance, to, type: 'text', text: 'Hello' });
  await clock.advance(MINUTE);
  runtime.webhookSender.respond(() => TAKEN);
  await clock.advance(2 * MINUTE);
  const about = await phone.receive({ from: '15550199', text: 'mine' });
  await phone.edit({ about, from: '15550666', text: 'forged' });
  await phone.receive({ from: '15550199', file: { type: 'image', content: PNG } });
  await phone.drop();
  await clock.advance(MINUTE);

  const app = createServerApp({
    trunkline,
    storage,
    logger: trunkline.logger,
    phone: ({ id }) => sandbox.phone(id),
    hasSimulatedPhones: true,
    rateLimit: false,
    publicUrl: undefined,
    metrics,
    docs: false,
    dashboard: null,
    mcp: null,
    metricsToken: undefined,
    isDraining: () => false,
  });
  await app.request('/api/v1/instances', { headers: { Authorization: `Bearer ${token}` } });

  trunkline.logger.error({}, 'a line of the test');
  vi.spyOn(storage.leases, 'renew').mockRejectedValue(new Error('The database is out of reach.'));
  await clock.advance(MINUTE);
}
