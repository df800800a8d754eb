import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTrunkline, silentLogger } from '@trunkline/core';
import type { Trunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { manualClock } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { eventually, must } from '@trunkline/test-support';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import { createNextTrunkline } from '../src/index.ts';
import type { NextTrunkline, NextTrunklineOptions } from '../src/index.ts';

const options = (more: Partial<NextTrunklineOptions> = {}): NextTrunklineOptions => ({
  storage: sqliteStorage({ path: ':memory:' }),
  gateways: [createSandbox({ scansQrs: true }).gateway],
  secretKey: 'of the tests, with thirty-two characters',
  logger: silentLogger,
  ...more,
});
const { gateways, secretKey } = options();

beforeEach(() => {
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });
});

/** The exports of an app's file. The service is stopped after the test. */
function app<Transaction = never>(
  configure: () => NextTrunklineOptions<Transaction>,
  create = createNextTrunkline,
): NextTrunkline<Transaction> {
  const made = create(configure);
  onTestFinished(() => made.stop());
  return made;
}

/** Another bundle of Next.js, which has its own copy of the package. */
async function inOtherBundle(configure: () => NextTrunklineOptions): Promise<NextTrunkline> {
  vi.resetModules();
  const copy = await import('../src/index.ts');
  expect(copy.createNextTrunkline).not.toBe(createNextTrunkline);
  return app(configure, copy.createNextTrunkline);
}

const request = (token = ''): Request =>
  new Request('http://localhost/api/v1/instances', { headers: { Authorization: `Bearer ${token}` } });

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-nextjs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('createNextTrunkline', () => {
  it('runs one service for all bundles, which their concurrent first calls start once', async () => {
    const configure = vi.fn(options);
    const routes = app(configure);
    const instrumentation = await inOtherBundle(configure);
    expect(configure).not.toHaveBeenCalled();

    const [response, one, another] = await Promise.all([
      routes.handlers.GET(request()),
      routes.trunkline(),
      instrumentation.trunkline(),
      instrumentation.register(),
    ]);
    expect([response.status, another]).toEqual([401, one]);
    expect(configure).toHaveBeenCalledTimes(1);

    // A hot reload evaluates the app's file again.
    expect(await (await inOtherBundle(configure)).trunkline()).toBe(one);
    expect(configure).toHaveBeenCalledTimes(1);
  });

  it('serves the API of the service', async () => {
    const { handlers, trunkline } = app(options);
    const { workspaces, apiKeys } = (await trunkline()).admin;
    const { id: workspaceId } = await workspaces.create({ name: 'Acme' });
    const { token } = await apiKeys.create({ workspaceId, name: 'Tests', scopes: ['instances:read'] });
    const response = await handlers.GET(request(token));
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ data: [] })]);
    for (const method of ['DELETE', 'HEAD', 'PATCH', 'POST'] as const) {
      const other = new Request('http://localhost/api/v1/nowhere', { method });
      expect((await handlers[method](other)).status, method).toBe(404);
    }
  });

  it('passes the service on before it starts, so that its first event has a handler', async () => {
    const handled: string[] = [];
    const { trunkline } = app(() =>
      options({
        beforeStart: (service: Trunkline) => {
          service.on('instance.connected', ({ type }) => void handled.push(type), { name: 'tests' });
        },
      }),
    );
    const { admin, workspace } = await trunkline();
    const { instances } = workspace((await admin.workspaces.create({ name: 'Acme' })).id);
    await instances.connect((await instances.create({ name: 'Orders' })).id);
    await eventually(() => expect(handled).toEqual(['instance.connected']));
  });

  it('starts nothing during `next build`, and says what to do if a page asks for it', async () => {
    vi.stubEnv('NEXT_PHASE', 'phase-production-build');
    const configure = vi.fn(options);
    const { register, trunkline, handlers } = app(configure);
    await register();
    await expect(trunkline()).rejects.toThrow(/during `next build`.*connection\(\)/);
    await expect(handlers.GET(request())).rejects.toThrow(/during `next build`/);
    expect(configure).not.toHaveBeenCalled();
  });

  it('starts nothing in the Edge runtime, and reports that if it is used', async () => {
    vi.stubEnv('NEXT_RUNTIME', 'edge');
    const configure = vi.fn(options);
    const { register, trunkline, handlers } = app(configure);
    await register();
    await expect(trunkline()).rejects.toThrow(/Edge runtime/);
    await expect(handlers.GET(request())).rejects.toThrow(/Edge runtime/);
    expect(configure).not.toHaveBeenCalled();
  });

  it('fails the start of the server if an option is wrong, and reads the options again next time', async () => {
    const keys = ['short', 'of the tests, with thirty-two characters'];
    const { register, trunkline } = app(() => options({ secretKey: keys.shift() }));
    await expect(register()).rejects.toThrow(/secretKey/);
    expect(await (await trunkline()).admin.workspaces.list()).toEqual([]);
  });

  it('can be stopped, and starts again with the next call', async () => {
    const { stop, trunkline } = app(options);
    const first = await trunkline();
    await stop();
    await expect(first.admin.workspaces.list()).rejects.toThrow(/stopped/);
    await stop();
    const second = await trunkline();
    expect(second).not.toBe(first);
    expect(await second.admin.workspaces.list()).toEqual([]);
  });

  it('does not serve the API in a process without the role for it', async () => {
    const { handlers, trunkline } = app(() => options({ roles: { api: false } }));
    await trunkline();
    await expect(handlers.GET(request())).rejects.toThrow(/role "api"/);
  });
});

describe('createNextTrunkline, if the database cannot be used', () => {
  async function withoutDatabase() {
    const folder = join(await newFolder(), 'data');
    const error = vi.fn();
    const clock = manualClock();
    const made = app(() => ({
      storage: sqliteStorage({ path: join(folder, 'trunkline.db') }),
      gateways,
      secretKey,
      clock,
      logger: { ...silentLogger, error },
    }));
    return { ...made, folder, error, clock };
  }

  it('lets the server start, logs it once, and starts by itself as soon as it can', async () => {
    const { register, folder, error, clock } = await withoutDatabase();
    await register();
    await clock.advance(20_000);
    expect(error.mock.calls).toEqual([
      [{ err: expect.any(Error) }, expect.stringContaining('started again every 5 seconds')],
    ]);
    await mkdir(folder);
    await clock.advance(5_000);
    await eventually(() => expect(existsSync(join(folder, 'trunkline.db'))).toBe(true));
  });

  it('no longer starts by itself once it was stopped', async () => {
    const { register, stop, folder, clock } = await withoutDatabase();
    await register();
    await stop();
    await mkdir(folder);
    await clock.advance(60_000);
    expect(existsSync(join(folder, 'trunkline.db'))).toBe(false);
  });

  it('responds with 503 until a request can start it', async () => {
    const { handlers, trunkline, folder, error } = await withoutDatabase();
    const response = await handlers.GET(request());
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('5');
    const id = response.headers.get('X-Request-Id');
    expect(id).toMatch(/^req_/);
    expect(await response.json()).toMatchObject({ error: { code: 'INTERNAL_ERROR', request_id: id } });
    expect(error).toHaveBeenCalledWith(
      expect.objectContaining({ requestId: id }),
      expect.stringContaining('503'),
    );
    await expect(trunkline()).rejects.toThrow();

    await mkdir(folder);
    expect((await handlers.GET(request())).status).toBe(401);
  });
});

describe('developmentKey of createNextTrunkline', () => {
  it('gets an API key at the first start of `next dev`, which later starts leave valid', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    const path = join(await newFolder(), 'trunkline.db');
    const tokens: string[] = [];
    const { handlers, register, stop } = app(() => ({
      storage: sqliteStorage({ path }),
      gateways,
      secretKey,
      developmentKey: (token: string) => void tokens.push(token),
    }));
    await register();
    await stop();
    await register();
    expect(tokens).toHaveLength(1);
    expect((await handlers.GET(request(tokens[0]))).status).toBe(200);
  });

  it('is not called in production', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const developmentKey = vi.fn();
    const { trunkline } = app(() => options({ developmentKey }));
    expect(await (await trunkline()).admin.workspaces.list()).toEqual([]);
    expect(developmentKey).not.toHaveBeenCalled();
  });
});

describe('createNextTrunkline, at the end of the process', () => {
  it.each([
    ['', 1],
    ['1', 0],
  ])('warns in production unless Next.js leaves signals to it: %j', async (value, warnings) => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('NEXT_MANUAL_SIG_HANDLE', value);
    const warn = vi.fn();
    await app(() => options({ logger: { ...silentLogger, warn } })).register();
    const about = warn.mock.calls.filter(([, message]) => message.includes('NEXT_MANUAL_SIG_HANDLE=1'));
    expect(about).toHaveLength(warnings);
  });

  it('finishes a delivery that is in flight when SIGTERM comes, and serves no more requests', async () => {
    const cwd = await newFolder();
    const receiver = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void receiver.close());
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo; // not a string, because it listens on a port
    const delivered = once(receiver, 'request');
    const program = startNodeProgram(new URL('support/programs/app.ts', import.meta.url), {
      args: [`http://127.0.0.1:${port}/`],
      cwd,
      env: { PATH: process.env['PATH'], NEXT_MANUAL_SIG_HANDLE: '1' },
    });
    const [, response] = await Promise.race([delivered, program.ended.then(() => [])]);
    program.signal('SIGTERM');
    await program.printed(/a request gets 503/);
    response.writeHead(204).end();
    expect([await program.ended, program.stderr()]).toEqual([0, '']);

    const storage = sqliteStorage({ path: join(cwd, 'trunkline.db') });
    const later = createTrunkline({ ...nodeRuntime(), storage, gateways, secretKey });
    onTestFinished(() => later.stop());
    await later.start();
    const { webhooks } = later.workspace(must((await later.admin.workspaces.list())[0]).id);
    const webhook = must((await webhooks.list()).data[0]);
    const { data } = await webhooks.deliveries(webhook.id);
    expect(data).toMatchObject([{ status: 'success' }]);
  });
});
