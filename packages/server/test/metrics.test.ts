import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startHarness, untilNotified } from './support/harness.ts';
import { startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** The value of a line, found by what it begins with. */
function valueOf(metrics: string, beginning: string): number | undefined {
  const line = metrics.split('\n').find((one) => one.startsWith(beginning));
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1));
}

it('/metrics shows what the server does, without naming anybody', async () => {
  const { harness, server } = await startHarness();
  const { id } = await server.client.send({ instance: harness.instance });
  await untilNotified(harness, server, id);
  expect((await server.client.request('GET', '/api/v1/messages/msg_none')).status).toBe(404);
  expect((await server.client.request('PROPFIND', '/somewhere/else')).status).toBe(404);

  const response = await fetch(`${server.url}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=UTF-8');
  const metrics = await response.text();
  const value = (beginning: string): number | undefined => valueOf(metrics, beginning);
  expect(value('trunkline_messages_accepted_total{type="text"}')).toBe(1);
  expect(value('trunkline_messages_sent_total{type="text"}')).toBe(1);
  expect(value('trunkline_messages_queue_duration_seconds_count{outcome="sent"}')).toBe(1);
  // instance.connected, and the three of the message.
  expect(value('trunkline_webhooks_attempt_duration_seconds_count{outcome="success"}')).toBe(4);
  expect(value('trunkline_webhooks_lag_seconds_count')).toBe(4);
  expect(value('trunkline_instances_held')).toBe(1);
  const requests = (method: string, route: string, status: number): number | undefined =>
    value(
      `http_server_request_duration_seconds_count{http_request_method="${method}",http_route="${route}",http_response_status_code="${status}"}`,
    );
  expect(requests('POST', '/api/v1/messages', 202)).toBe(1);
  expect(requests('GET', '/api/v1/messages/:message', 404)).toBe(1);
  expect(requests('_OTHER', '/*', 404)).toBe(1);

  // Ids are 26 characters of base32 behind a prefix.
  expect(metrics).not.toMatch(/_[0-7][0-9a-hjkmnp-tv-z]{25}/);
  expect(metrics).not.toContain('somewhere');
  await server.stop();
});

it('/metrics is for those who have the token, where there is one', async () => {
  const METRICS_TOKEN = 'a-token-for-metrics';
  const server = await startServer({ env: { DATA_DIR: join(temporaryDirectory(), 'data'), METRICS_TOKEN } });
  const read = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(`${server.url}/metrics`, { headers })).status;
  expect(await read({ Authorization: `Bearer ${METRICS_TOKEN}` })).toBe(200);
  expect(await read({})).toBe(401);
  expect(await read({ Authorization: METRICS_TOKEN })).toBe(401);
  expect(await read({ Authorization: `Bearer ${METRICS_TOKEN}s` })).toBe(401);
  expect(await read({ Authorization: `Bearer ${METRICS_TOKEN}, Bearer ${METRICS_TOKEN}` })).toBe(401);
  expect(server.stdout() + server.stderr()).not.toContain(METRICS_TOKEN);
  await server.stop();
});
