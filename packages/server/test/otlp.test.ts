import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { until } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

interface Collected {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Protobuf, which contains strings as they are. */
  readonly body: string;
}

/** Records all requests, and accepts them while `state.up` is true. */
async function startCollector() {
  const collected: Collected[] = [];
  const state = { up: true };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      collected.push({ path: request.url, headers: request.headers, body: body.toString('latin1') });
      response.writeHead(state.up ? 200 : 400).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  return { collected, state, url: `http://127.0.0.1:${port}` };
}

it('metrics are sent to a collector, the last ones when the server ends', async () => {
  const collector = await startCollector();
  const server = await startServer({
    env: {
      DATA_DIR: join(temporaryDirectory(), 'data'),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hush',
      OTEL_SERVICE_NAME: 'the messages of Acme',
    },
  });
  expect(await server.stop()).toBe(0);
  const metrics = collector.collected.filter(({ path }) => path === '/v1/metrics');
  expect(metrics).toHaveLength(1);
  expect(metrics[0]).toMatchObject({
    headers: { authorization: 'Bearer hush', 'content-type': 'application/x-protobuf' },
  });
  for (const name of ['trunkline.instances.held', 'process.memory.usage', 'the messages of Acme'])
    expect(metrics[0]?.body).toContain(name);
  expect(server.stdout() + server.stderr()).not.toContain('hush');
});

it('traces are sent to a collector, those of a request that its caller does not record are not', async () => {
  const collector = await startCollector();
  const server = await startServer({
    env: {
      DATA_DIR: join(temporaryDirectory(), 'data'),
      API_KEY: 'a-key-for-the-tests',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRICS_EXPORTER: 'none',
    },
  });
  const trace = (flags: string) => `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`;
  const get = (path: string, flags: string) =>
    fetch(`${server.url}/api/v1${path}`, {
      headers: { Authorization: 'Bearer a-key-for-the-tests', traceparent: trace(flags) },
    });
  expect((await get('/instances', '01')).status).toBe(200);
  expect((await get('/webhooks', '00')).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(collector.collected.map(({ path }) => path)).toEqual(['/v1/traces']);
  expect(collector.collected[0]?.body).toContain('GET /api/v1/instances');
  expect(collector.collected[0]?.body).not.toContain('GET /api/v1/webhooks');
});

it.runIf(isLongForm)('a collector that accepts nothing is logged once, and delays nothing', async () => {
  const collector = await startCollector();
  collector.state.up = false;
  const server = await startServer({
    env: {
      DATA_DIR: join(temporaryDirectory(), 'data'),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
    },
  });
  await until('three exports', () => collector.collected.length >= 3);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  const lines = server.stderr().trim().split('\n');
  expect(lines.filter((line) => line.includes('could not be sent'))).toEqual([
    expect.stringContaining('metrics could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT'),
  ]);
});
