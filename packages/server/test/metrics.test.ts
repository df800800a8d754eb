import { join } from 'node:path';
import { must } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { expect, it } from 'vitest';
import { startHarness, untilNotified } from './support/harness.ts';
import { runServer, startServer } from './support/server-process.ts';
import type { ServerProcess } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** A preloaded module that writes a line when OpenTelemetry's libraries, beyond its API, are loaded. */
const TELL_OF_TELEMETRY = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/^@opentelemetry\\/(?!api$)/.test(specifier)) process.stderr.write('loads ' + specifier + '\\n');
      return next(specifier, context);
    },
  });
`)}`;

function valueOf(metrics: string, beginning: string): number | undefined {
  const line = metrics.split('\n').find((one) => one.startsWith(beginning));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

function metricsUrl(server: Pick<ServerProcess, 'stdout'>): string {
  return must(/^The metrics are at (http:\S+\/metrics)$/m.exec(server.stdout())?.[1]);
}

it("/metrics shows the server's activity, without ids or names", async () => {
  const { harness, server } = await startHarness({ METRICS_ADDRESS: '127.0.0.1:0' });
  const { id } = await server.client.send({ instance: harness.instance });
  await untilNotified(harness, server, id);
  expect((await server.client.request('GET', '/api/v1/messages/msg_none')).status).toBe(404);
  expect((await server.client.request('PROPFIND', '/somewhere/else')).status).toBe(404);

  const response = await fetch(metricsUrl(server));
  expect(response.headers.get('content-type')).toBe('text/plain; charset=UTF-8');
  const metrics = await response.text();
  const value = (beginning: string): number | undefined => valueOf(metrics, beginning);
  expect(value('trunkline_messages_accepted_total{type="text"}')).toBe(1);
  expect(value('trunkline_messages_sent_total{type="text"}')).toBe(1);
  expect(value('trunkline_messages_queue_duration_seconds_count{outcome="sent"}')).toBe(1);
  // One attempt for instance.connected, and one for each of the three events of the message.
  expect(value('trunkline_webhooks_attempt_duration_seconds_count{outcome="success"}')).toBe(4);
  expect(value('trunkline_webhooks_lag_seconds_count')).toBe(4);
  expect(value('trunkline_instances_held{network="sandbox"}')).toBe(1);
  expect(value('trunkline_instances{network="sandbox",status="connected"}')).toBe(1);
  expect(value('trunkline_messages_queued')).toBe(0);
  expect(value('trunkline_disk_available_bytes')).toBeGreaterThan(1_000_000);
  expect(value('process_memory_usage_bytes')).toBeGreaterThan(10_000_000);
  expect(value('v8js_memory_heap_used_bytes{v8js_heap_space_name="old_space"}')).toBeGreaterThan(1_000_000);
  const requests = (method: string, route: string, status: number): number | undefined =>
    value(
      `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`,
    );
  expect(requests('POST', '/api/v1/messages', 202)).toBe(1);
  expect(requests('GET', '/api/v1/messages/:message', 404)).toBe(1);
  expect(requests('_OTHER', '/*', 404)).toBe(1);

  // Ids are 26 characters of base32 after a prefix.
  expect(metrics).not.toMatch(/_[0-7][0-9a-hjkmnp-tv-z]{25}/);
  expect(metrics).not.toContain('somewhere');
  expect((await fetch(new URL('/api/v1/me', metricsUrl(server)))).status).toBe(404);
  expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  await server.stop();
});

it.runIf(isLongForm)(
  'a server that exports nothing serves no metrics, and loads no library for it',
  async () => {
    const loaded = (server: Pick<ServerProcess, 'stderr'>): boolean =>
      server.stderr().includes('loads @opentel');
    const start = (more: Record<string, string>) =>
      startServer({
        env: {
          DATA_DIR: join(temporaryDirectory(), 'data'),
          NODE_OPTIONS: `--import=${TELL_OF_TELEMETRY}`,
          ...more,
        },
        isFromSources: true,
      });
    const silent = await start({});
    expect((await fetch(`${silent.url}/metrics`)).status).toBe(404);
    expect(loaded(silent)).toBe(false);
    await silent.stop();
    const exporting = await start({ METRICS_ADDRESS: '127.0.0.1:0' });
    expect(loaded(exporting)).toBe(true);
    await exporting.stop();
  },
);

it.runIf(isLongForm)('an address for metrics that is in use is reported in one line', async () => {
  const first = await startServer({
    env: { DATA_DIR: join(temporaryDirectory(), 'data'), METRICS_ADDRESS: '127.0.0.1:0' },
  });
  const { port } = new URL(metricsUrl(first));
  const { code, complaints } = await runServer({
    env: { DATA_DIR: join(temporaryDirectory(), 'data'), METRICS_ADDRESS: port },
  });
  expect({ code, complaints: complaints() }).toEqual({
    code: 1,
    complaints: [
      `METRICS_ADDRESS ${port} is in use on 127.0.0.1: stop the program that listens there, or set another port.`,
    ],
  });
  await first.stop();
});

it('/metrics requires the token, next to the API and on its own address', async () => {
  const METRICS_TOKEN = 'a-token-for-metrics';
  const server = await startServer({
    env: { DATA_DIR: join(temporaryDirectory(), 'data'), METRICS_TOKEN, METRICS_ADDRESS: '127.0.0.1:0' },
  });
  for (const url of [`${server.url}/metrics`, metricsUrl(server)]) {
    const read = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(url, { headers })).status;
    expect(await read({ Authorization: `Bearer ${METRICS_TOKEN}` })).toBe(200);
    expect(await read({})).toBe(401);
    expect(await read({ Authorization: METRICS_TOKEN })).toBe(401);
    expect(await read({ Authorization: `Bearer ${METRICS_TOKEN}s` })).toBe(401);
    expect(await read({ Authorization: `Bearer ${METRICS_TOKEN}, Bearer ${METRICS_TOKEN}` })).toBe(401);
  }
  expect(server.stdout() + server.stderr()).not.toContain(METRICS_TOKEN);
  await server.stop();
});
