import { expect, it } from 'vitest';
import { until } from '@trunkline/test-support';
import { startServer } from './support/server-process.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';
import { testClient } from './support/test-client.ts';

/** Unique texts, so that each is found wherever the service prints it. */
const SECRETS = {
  API_KEY: 'secret-of-the-api-key-0123456789',
  SECRET_KEY: 'secret-that-seals-everything-0123456789',
  METRICS_TOKEN: 'secret-of-the-metrics-0123456789',
  DASHBOARD_TOKEN: 'secret-of-the-dashboard-0123456789',
};

it("neither the log at its finest level nor a crash reveals a secret, a text or a person's number", async () => {
  const nowhere = 'http://127.0.0.1:9';
  const server = await startServer({
    cwd: temporaryDirectory(),
    env: {
      ...SECRETS,
      LOG_LEVEL: 'trace',
      WEBHOOK_URL_POLICY: 'local',
      SMTP_URL: 'smtp://mailer:secret-of-the-mail@127.0.0.1:9',
      MAIL_TO: 'ops@example.com',
      OTEL_EXPORTER_OTLP_ENDPOINT: nowhere,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret-of-the-collector',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
    },
  });
  const client = testClient(server.url, SECRETS.API_KEY);
  const { id: instance } = await client.createInstance();
  await client.connect(instance);
  const webhook = await client.registerWebhook(`${nowhere}/?token=secret-of-the-receiver`, ['message.sent']);
  expect(webhook).toHaveProperty('secret');
  await client.send({ instance, to: '15557654321', text: 'a secret of two people' });
  await client.request('POST', `/sandbox/instances/${instance}/messages`, {
    body: { from: '15557654321', type: 'text', text: 'another secret of theirs' },
  });
  const asked = [
    [`${server.url}/api/v1/instances?x=secret-in-a-query`, 'secret-that-is-no-key-0123456789'],
    [`${server.url}/metrics`, 'secret-that-is-no-token-0123456789'],
    [`${server.url}/metrics`, SECRETS.METRICS_TOKEN],
  ] as const;
  for (const [url, token] of asked) await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  for (const token of [SECRETS.DASHBOARD_TOKEN, 'secret-that-is-wrong-0123456789'])
    await fetch(`${server.url}/dashboard/api/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ token }),
    });
  await until('a webhook and an export have failed', () =>
    Promise.resolve(['CONNECTION_FAILED', 'ECONNREFUSED'].every((text) => server.stderr().includes(text))),
  );
  server.signal('SIGUSR2');
  expect(await server.ended()).toBe(1);

  expect(server.stderr()).toContain('an unexpected error ends the server');
  const printed = server.stdout() + server.stderr();
  expect(printed).not.toMatch(/secret-|secret of|whsec_|15557654321/);
});
