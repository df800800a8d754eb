import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { APIGatewayProxyResult, LambdaEvent } from 'hono/aws-lambda';
import { expect, it, onTestFinished } from 'vitest';
import { newDatabase } from '@trunkline/test-postgres';
import { eventually } from '@trunkline/test-support';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import { eventV1, eventV2 } from './support/events.ts';
import type { Call } from './support/events.ts';

const apiKey = 'the-key-of-the-tests';

/** How long the handler is frozen, in real time. */
const FROZEN_SECONDS = Number(process.env['LAMBDA_FROZEN_SECONDS'] ?? 0);

it('docs/embed/lambda.md shows the handler of the example, of at most 15 lines', async () => {
  const page = await readFile(new URL('../../../docs/embed/lambda.md', import.meta.url), 'utf8');
  const source = await readFile(new URL('../src/handler.ts', import.meta.url), 'utf8');
  expect(/^```ts\n(.*?)^```$/ms.exec(page)?.[1]).toBe(source);
  expect(source.split('\n').filter((line) => !/^(\/\/.*)?$/.test(line)).length).toBeLessThanOrEqual(15);
});

it('AWS Lambda: the handler serves the API, another process does the rest, and a frozen handler works again', async () => {
  const database = await newDatabase();
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.url, SECRET_KEY: 'x'.repeat(32) };
  const scan = await startServer(env);
  const lambda = startNodeProgram(new URL('support/programs/lambda.ts', import.meta.url), {
    env,
    hasChannel: true,
  });
  onTestFinished(() => lambda.kill());
  await lambda.nextMessage();
  const invoke = async (event: LambdaEvent): Promise<Result> => {
    lambda.send(event);
    return resultOf(await lambda.nextMessage());
  };
  const call = (method: string, path: string, body?: object): Call => ({
    method,
    path: `/api/v1${path}`,
    apiKey,
    ...(body && { body }),
  });

  const created = await invoke(eventV2(call('POST', '/instances', { name: 'Orders' })));
  expect(created.statusCode).toBe(201);
  const instance = created.data.id;
  await invoke(eventV2(call('POST', `/instances/${instance}/connect`)));
  const untilStatus = (path: string, status: string): Promise<void> =>
    eventually(async () => expect((await invoke(eventV2(call('GET', path)))).data.status).toBe(status));
  await untilStatus(`/instances/${instance}`, 'qr_required');
  await scan(instance);
  await untilStatus(`/instances/${instance}`, 'connected');
  const message = { instance, to: '+1 555 0100', type: 'text', text: 'Hello' };
  const accepted = await invoke(eventV2(call('POST', '/messages', message)));
  expect(accepted.statusCode).toBe(202);
  await untilStatus(`/messages/${accepted.data.id}`, 'read');

  // A REST API of API Gateway sends events of version 1.0.
  const listed = await invoke(eventV1(call('GET', '/messages?limit=1')));
  expect([listed.statusCode, listed.body]).toEqual([200, expect.stringContaining(accepted.data.id)]);
  expect((await invoke(eventV1(call('POST', '/messages', { instance })))).statusCode).toBe(422);

  // While the handler is frozen, the database terminates all connections.
  lambda.signal('SIGSTOP');
  expect(await database.endConnections()).toBeGreaterThan(0);
  await setTimeout(FROZEN_SECONDS * 1000);
  lambda.signal('SIGCONT');
  // A request on a terminated connection may fail, so it is repeated until it is accepted.
  let again = '';
  await eventually(async () => {
    const repeated = { ...call('POST', '/messages', { ...message, text: 'Again' }), idempotencyKey: 'again' };
    const { statusCode, data } = await invoke(eventV2(repeated));
    expect(statusCode).toBe(202);
    again = data.id;
  });
  await untilStatus(`/messages/${again}`, 'read');
});

interface Result {
  readonly statusCode: number;
  readonly body: string;
  readonly data: { readonly id: string; readonly status: string };
}

function resultOf(message: unknown): Result {
  const { statusCode, body } = message as APIGatewayProxyResult; // returned by the handler
  return { statusCode, body, data: (JSON.parse(body) as { data: Result['data'] }).data };
}

/**
 * Starts the page's server with the roles that the handler does not have. Returns a function that scans the QR code of
 * an instance.
 */
async function startServer(env: Readonly<NodeJS.ProcessEnv>): Promise<(instance: string) => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'trunkline-lambda-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const server = startNodeProgram(new URL('../../server/start.js', import.meta.url), {
    cwd: directory,
    env: { ...env, PORT: '0', API_KEY: apiKey, ROLES: 'gateway,webhooks,maintenance', LOG_LEVEL: 'warn' },
  });
  onTestFinished(() => server.kill());
  const [origin = ''] = await server.printed(/http:\/\/[\d.:]+/);
  return async (instance) => {
    const response = await fetch(`${origin}/sandbox/instances/${instance}/scan`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    expect([response.status, await response.text()]).toEqual([202, expect.anything()]);
  };
}
