import { serve } from '@hono/node-server';
import { createTrunkline, SCOPES, silentLogger } from '@trunkline/core';
import type { InstanceResource, NewApiKey, Trunkline, TrunklineOptions } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { pause } from '@trunkline/core/spi/runtime';
import { createSandbox } from '@trunkline/core/sandbox';
import type { Sandbox } from '@trunkline/core/sandbox';
import { memoryMediaStore, testRuntime } from '@trunkline/core/testing';
import type { ManualClock } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createDashboard, createSignIn } from '../../src/index.ts';
import type { Dashboard, DashboardOptions, SignIn } from '../../src/index.ts';

export const SECRET_KEY = 'a secret key of the tests, long enough';
export const ADMIN_TOKEN = 'the admin token of the tests';

/**
 * A whole service with its dashboard on loopback, on storage in memory, the sandbox network and the machine's clock. A
 * sent message is read within a tenth of a second.
 *
 * ```ts
 * const { url, link, workspaceId, connect, sandbox } = await serveDashboard();
 * await page.goto(link());                      // signed in as an admin
 * const { id } = await connect('Support');      // a connected number
 * await sandbox.phone(id).receive({ from: '15550123', text: 'Hello' });
 * ```
 *
 * The service ends with the test that started it, or when `until` decides, so that read-only tests can share it.
 */
export async function serveDashboard(given: ServeOptions = {}): Promise<ServedDashboard> {
  const { dns } = testRuntime();
  const runtime = { ...nodeRuntime({ dns }), media: memoryMediaStore() };
  const { until = onTestFinished } = given;
  const harness = await startOn(runtime, given, () => pause(runtime.clock, 5));
  const server = serve({
    fetch: (request) => harness.dashboard.fetch(request),
    hostname: '127.0.0.1',
    overrideGlobalObjects: false,
    port: 0,
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // the server uses TCP
  const origin = `http://127.0.0.1:${port}`;
  until(async () => {
    await harness.trunkline.endStreams();
    const closed = new Promise((resolve) => server.close(resolve));
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
    await harness.trunkline.stop();
  });
  const url = `${origin}${given.dashboard?.basePath ?? '/dashboard'}`;
  return { ...harness, origin, url, link: () => `${url}/sign-in#token=${harness.signIn.newLinkToken()}` };
}

/** `serveDashboard` without a socket, on a stopped clock: call `dashboard.fetch`. */
export async function startDashboard(
  given: HarnessOptions = {},
): Promise<DashboardHarness & { readonly clock: ManualClock }> {
  const runtime = testRuntime();
  const harness = await startOn(runtime, given, () => runtime.clock.advance(1_000));
  onTestFinished(async () => {
    const stopped = harness.trunkline.stop();
    await runtime.clock.advance(1_000);
    await stopped;
  });
  return { ...harness, clock: runtime.clock };
}

export interface HarnessOptions {
  readonly trunkline?: Partial<TrunklineOptions>;
  /** By default, people sign in by the link, the token or a key. */
  readonly dashboard?: DashboardOptions;
}

interface ServeOptions extends HarnessOptions {
  readonly until?: (end: () => Promise<void>) => void;
}

export interface DashboardHarness {
  readonly trunkline: Trunkline;
  readonly dashboard: Dashboard;
  readonly signIn: SignIn;
  readonly sandbox: Sandbox;
  /** A workspace, Acme, and its key with every scope. */
  readonly workspaceId: string;
  readonly apiKey: string;
  /** Another key, by default of Acme. */
  newKey(key?: Partial<NewApiKey>): Promise<string>;
  connect(name?: string): Promise<InstanceResource>;
}

export interface ServedDashboard extends DashboardHarness {
  readonly origin: string;
  /** Without a trailing slash. */
  readonly url: string;
  /** A new link that signs an admin in, once. */
  link(): string;
}

type Runtime = Pick<TrunklineOptions, 'clock' | 'random' | 'crypto' | 'dns' | 'webhookSender' | 'media'>;

async function startOn(
  runtime: Runtime,
  { trunkline: adapted, dashboard: options }: HarnessOptions,
  letTimePass: () => Promise<void>,
): Promise<DashboardHarness> {
  const sandbox = createSandbox();
  const trunkline = createTrunkline({
    ...runtime,
    storage: sqliteStorage({ path: ':memory:' }),
    gateways: [sandbox.gateway],
    secretKey: SECRET_KEY,
    urlPolicy: 'local',
    logger: silentLogger,
    ...adapted,
  });
  await trunkline.start();
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
  const newKey: DashboardHarness['newKey'] = async (key) => {
    const created = await trunkline.admin.apiKeys.create({
      workspaceId,
      name: 'Tests',
      scopes: SCOPES,
      ...key,
    });
    return created.token;
  };
  const signIn = createSignIn({
    secretKey: SECRET_KEY,
    adminToken: ADMIN_TOKEN,
    now: () => runtime.clock.now(),
  });
  const dashboard = createDashboard(trunkline, {
    ...(options?.authorize === undefined && { signIn }),
    ...options,
  });
  return {
    trunkline,
    dashboard,
    signIn,
    sandbox,
    workspaceId,
    apiKey: await newKey(),
    newKey,
    async connect(name) {
      const { instances } = trunkline.workspace(workspaceId);
      const { id } = await instances.create(name === undefined ? {} : { name });
      await instances.connect(id);
      for (;;) {
        const instance = await instances.get(id);
        if (instance.status === 'connected') return instance;
        // The QR that this status promises may have expired, because time passes while the storage works.
        if (instance.status === 'qr_required')
          await sandbox
            .phone(id)
            .scan()
            .catch(() => undefined);
        if (instance.status === 'disconnected') await instances.connect(id);
        await letTimePass();
      }
    },
  };
}
