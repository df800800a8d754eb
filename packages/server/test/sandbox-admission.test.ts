import { describe, expect, it, onTestFinished } from 'vitest';
import { createTrunkline, SCOPES } from '@trunkline/core';
import type { Logger, Scope } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { testRuntime } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { createServerApp } from '../src/http/server-app.ts';

interface Logged {
  readonly level: string;
  readonly message: string;
}

async function ready({ scopes = SCOPES, limit = 600 }: { scopes?: readonly Scope[]; limit?: number } = {}) {
  const sandbox = createSandbox();
  const storage = sqliteStorage({ path: ':memory:' });
  const runtime = testRuntime();
  const secretKey = 'a secret key of the tests, long enough';
  const trunkline = createTrunkline({ ...runtime, storage, gateways: [sandbox.gateway], secretKey });
  await trunkline.start();
  onTestFinished(async () => {
    const stopped = trunkline.stop();
    await runtime.clock.advance(1_000);
    await stopped;
  });
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const { token } = await trunkline.admin.apiKeys.create({ workspaceId, name: 'ci', scopes });
  const { id } = await trunkline.workspace(workspaceId).instances.create();

  const logged: Logged[] = [];
  const log = (level: string) => (_: object, message: string) => void logged.push({ level, message });
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const app = createServerApp({
    trunkline,
    storage,
    logger,
    phone: ({ id }) => sandbox.phone(id),
    hasSimulatedPhones: true,
    rateLimit: { requestsPerMinute: limit },
    publicUrl: undefined,
    metrics: null,
    docs: false,
    dashboard: null,
    mcp: null,
    metricsToken: undefined,
    isDraining: () => false,
  });

  /** `pulled` counts the chunks read. `breaksOff` ends the body like a client that disconnects. */
  const body = (breaksOff = false) => {
    const seen = { pulled: 0 };
    const stream = new ReadableStream({
      pull(controller) {
        seen.pulled += 1;
        if (breaksOff && seen.pulled > 2) controller.error(new Error('aborted'));
        else controller.enqueue(new Uint8Array(65_536));
      },
    });
    return { stream, seen };
  };
  const drop = async (stream?: ReadableStream, key = token, instance = id) =>
    app.request(`/sandbox/instances/${instance}/drop`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      ...(stream && { body: stream, duplex: 'half' }),
    });
  return { app, token, logged, body, drop, trunkline, workspaceId };
}

describe("The sandbox's controls", () => {
  it.each<[string, Parameters<typeof ready>[0], number, string]>([
    ['a stranger', {}, 401, 'INVALID_API_KEY'],
    ['a key that may only read instances', { scopes: ['instances:read'] }, 403, 'INSUFFICIENT_SCOPE'],
    ['a key that may do all but write instances', { scopes: ['messages:send'] }, 403, 'INSUFFICIENT_SCOPE'],
    ['a key that has used up its requests', { limit: 1 }, 429, 'RATE_LIMITED'],
  ])('refuse %s before they read the body', async (who, options, status, code) => {
    const { body, drop, token } = await ready(options);
    if (status === 429) await drop();
    const { stream, seen } = body();
    const refused = await drop(stream, who === 'a stranger' ? 'trk_nobody' : token);
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ error: { code } });
    if (status === 429) expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(seen.pulled).toBeLessThanOrEqual(1); // prefetched by the stream
  });

  it('refuse a suspended workspace', async () => {
    const { drop, trunkline, workspaceId } = await ready();
    await trunkline.admin.workspaces.suspend(workspaceId);
    expect(await (await drop()).json()).toMatchObject({ error: { code: 'WORKSPACE_SUSPENDED' } });
  });

  it('count together with the requests of the API', async () => {
    const { app, drop, token } = await ready({ limit: 2 });
    expect((await drop()).headers.get('X-RateLimit-Remaining')).toBe('1');
    const read = () => app.request('/api/v1/instances', { headers: { Authorization: `Bearer ${token}` } });
    expect((await read()).status).toBe(200);
    expect((await read()).status).toBe(429);
    expect((await drop()).status).toBe(429);
  });

  it('read no more than 1 MB if no file is accepted', async () => {
    const { body, drop } = await ready();
    const { stream, seen } = body();
    expect((await drop(stream)).status).toBe(413);
    expect(seen.pulled).toBeLessThanOrEqual(20);
  });

  it('treat a body that breaks off as a disconnected client, not as a failure of the server', async () => {
    const { body, drop, logged } = await ready();
    expect((await drop(body(true).stream)).status).toBe(422);
    expect(logged).toEqual([{ level: 'debug', message: 'a request ended before its body was complete' }]);
  });

  it('do not know the instance of another workspace', async () => {
    const { drop, trunkline } = await ready();
    const { id: other } = await trunkline.admin.workspaces.create({ name: 'Other' });
    const { id } = await trunkline.workspace(other).instances.create();
    const refused = await drop(undefined, undefined, id);
    expect([refused.status, await refused.json()]).toMatchObject([
      404,
      { error: { code: 'INSTANCE_NOT_FOUND' } },
    ]);
  });
});
