import { createTrunkline, SCOPES } from '@trunkline/core';
import type { NewApiKey, NewWorkspace, Trunkline, TrunklineOptions } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import type { Sandbox } from '@trunkline/core/sandbox';
import { testRuntime } from '@trunkline/core/testing';
import type { ManualClock, RecordingSender } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { onTestFinished } from 'vitest';
import { createHttpApp } from '../src/index.ts';
import type { HttpAppOptions } from '../src/index.ts';
import { client, textOf } from './client.ts';
import type { Call, Json } from './client.ts';
import { onlyDeclaredResponses } from './declared-responses.ts';

/** The whole service in memory, on the sandbox network and a manual clock. */
export interface Service {
  readonly trunkline: Trunkline;
  readonly clock: ManualClock;
  readonly sandbox: Sandbox;
  readonly receivers: RecordingSender;
  readonly app: ReturnType<typeof createHttpApp>;
  /** Creates a workspace. Returns its id and a client, whose key has every scope by default. */
  newWorkspace(options?: {
    workspace?: Partial<NewWorkspace>;
    key?: Partial<NewApiKey>;
  }): Promise<{ id: string; call: Call }>;
  /** Creates a key. Returns a client that uses it. */
  newKey(workspaceId: string, key?: Partial<NewApiKey>): Promise<Call>;
  /** Advances the clock by `ms`, and then waits for the result of the call. */
  during<Reply>(call: Promise<Reply>, ms?: number): Promise<Reply>;
  /** Connects a new instance. Returns its id. */
  connected(call: Call): Promise<string>;
}

interface ServiceOptions extends Partial<TrunklineOptions>, Pick<HttpAppOptions, 'rateLimit'> {
  readonly sandbox?: Sandbox;
  /** Registers `stop`: by default for the end of the test. Use `afterAll` if all tests of a file share the service. */
  readonly onEnd?: (stop: () => Promise<void>) => unknown;
}

export async function startService({
  sandbox = createSandbox(),
  rateLimit,
  onEnd = onTestFinished,
  ...options
}: ServiceOptions = {}): Promise<Service> {
  const runtime = testRuntime();
  const { clock, webhookSender: receivers } = runtime;
  const trunkline = createTrunkline({
    ...runtime,
    storage: sqliteStorage({ path: ':memory:' }),
    gateways: [sandbox.gateway, createSandbox({ linkedBy: 'credentials' }).gateway],
    secretKey: 'a secret key of the tests, long enough',
    ...options,
  });
  await trunkline.start();
  onEnd(() => during(trunkline.stop()));
  const app = createHttpApp(trunkline, { rateLimit });

  const during: Service['during'] = async (call, ms = 1_000) => {
    await clock.advance(ms);
    return call;
  };
  const newKey: Service['newKey'] = async (workspaceId, key) => {
    const { token } = await trunkline.admin.apiKeys.create({
      workspaceId,
      name: 'ci',
      scopes: SCOPES,
      ...key,
    });
    return onlyDeclaredResponses(client(app, token));
  };
  return {
    trunkline,
    clock,
    sandbox,
    receivers,
    app,
    during,
    newKey,
    async newWorkspace({ workspace, key } = {}) {
      const { id } = await trunkline.admin.workspaces.create({ name: 'Acme', ...workspace });
      return { id, call: await newKey(id, key) };
    },
    async connected(call) {
      const id = idOf((await call('POST', '/instances', {})).json);
      await during(call('POST', `/instances/${id}/connect`));
      await sandbox.phone(id).scan({ phoneNumber: '15550100', profileName: 'Ada' });
      await clock.settle();
      return id;
    },
  };
}

export function idOf(json: Json): string {
  return textOf(json.data?.id);
}
