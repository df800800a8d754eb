import { describe, expect, it, onTestFinished } from 'vitest';
import { createTrunkline, SCOPES } from '@trunkline/core';
import type { Logger } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { UnavailableError } from '@trunkline/core/spi/storage';
import { testRuntime } from '@trunkline/core/testing';
import { createSignIn } from '@trunkline/dashboard';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { addMcp } from '../src/http/mcp.ts';
import { createServerApp } from '../src/http/server-app.ts';

const ORIGIN = 'http://localhost';
const TOKEN = 'the token of the admin';
const SECRET_KEY = 'a secret key of the tests, long enough';

/** A storage in memory that can be made unavailable. */
function storageThatFails() {
  const state = { isAway: false };
  const failing = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value === 'object' && value !== null) return failing(value);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          if (state.isAway) throw new UnavailableError('The database hunter2 is locked.');
          return Reflect.apply(value, target, given);
        };
      },
    });
  return { state, storage: failing(sqliteStorage({ path: ':memory:' })) };
}

interface Line {
  readonly level: string;
  readonly facts: object;
  readonly message: string;
}

async function startServerApp() {
  const { state, storage } = storageThatFails();
  const lines: Line[] = [];
  const log = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, facts, message });
  const logger: Logger = { debug() {}, info() {}, warn: log('warn'), error: log('error') };
  const runtime = testRuntime();
  const sandbox = createSandbox();
  const trunkline = createTrunkline({
    ...runtime,
    storage,
    gateways: [sandbox.gateway],
    secretKey: SECRET_KEY,
    logger,
  });
  await trunkline.start();
  // Until the workers have nothing to do.
  await runtime.clock.advance(1_000);
  onTestFinished(async () => {
    state.isAway = false;
    const stopped = trunkline.stop();
    await runtime.clock.advance(1_000);
    await stopped;
  });
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const { token } = await trunkline.admin.apiKeys.create({ workspaceId, name: 'ci', scopes: SCOPES });
  const { id: instance } = await trunkline.workspace(workspaceId).instances.create();
  const settings = {
    sendTo: [],
    sendFrom: undefined,
    sendKeys: undefined,
    messagesPerDay: 1,
    retries: false,
  };
  const app = createServerApp({
    trunkline,
    storage,
    logger: trunkline.logger,
    phone: ({ id }) => sandbox.phone(id),
    hasSimulatedPhones: true,
    rateLimit: false,
    publicUrl: undefined,
    metrics: null,
    docs: false,
    dashboard: createSignIn({ secretKey: SECRET_KEY, adminToken: TOKEN }),
    mcp: (on, { guard }) =>
      addMcp(on, { trunkline, guard, settings, address: { host: '0.0.0.0', publicUrl: undefined } }),
    metricsToken: undefined,
    isDraining: () => false,
  });
  const request = async (line: string, { headers = {}, body }: Sent = {}): Promise<Response> => {
    const [method = '', path = ''] = line.split(' ');
    const init = {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    };
    // The dashboard reads the peer's address.
    return app.request(path, init, { incoming: { socket: { remoteAddress: '127.0.0.1' } } });
  };
  return { state, lines, request, token, workspaceId, instance };
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

describe('While the database is unavailable', () => {
  it('every part of the server responds with 503 and Retry-After, and the log warns once', async () => {
    const { state, lines, request, token, workspaceId, instance } = await startServerApp();
    const signedIn = await request('POST /dashboard/api/sign-in', {
      headers: { Origin: ORIGIN },
      body: { token: TOKEN },
    });
    expect(signedIn.status).toBe(200);
    const asProgram = { Authorization: `Bearer ${token}` };
    const asAdmin = { Origin: ORIGIN, Cookie: signedIn.headers.get('Set-Cookie')?.split(';', 1)[0] ?? '' };
    const ofWorkspace = `/dashboard/api/workspaces/${workspaceId}`;
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    lines.length = 0;
    state.isAway = true;
    for (const [line, headers, body] of [
      ['GET /api/v1/instances', asProgram, undefined],
      [`POST /sandbox/instances/${instance}/drop`, asProgram, {}],
      ['POST /mcp', asProgram, call],
      ['GET /dashboard/api/admin/workspaces', asAdmin, undefined],
      [`GET ${ofWorkspace}/instances`, asAdmin, undefined],
      [`POST ${ofWorkspace}/sandbox/instances/${instance}/drop`, asAdmin, {}],
    ] as const) {
      const response = await request(line, { headers, ...(body && { body }) });
      expect([response.status, response.headers.get('Retry-After')], line).toEqual([503, '5']);
      const text = await response.text();
      expect(text, line).not.toContain('hunter2');
      expect(JSON.parse(text), line).toEqual({
        error: {
          code: 'INTERNAL_ERROR',
          message: expect.stringContaining('cannot reach its database'),
          request_id: response.headers.get('X-Request-Id'),
          details: { retry_after: 5 },
        },
      });
    }
    // Lines that repeat are counted, and not logged again for a minute.
    expect(lines).toEqual([
      {
        level: 'warn',
        facts: { request: expect.any(Object), err: expect.any(UnavailableError) },
        message: expect.stringMatching(/^requests get 503/),
      },
    ]);
  });
});
