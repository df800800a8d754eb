import { SCOPES, createTrunkline, silentLogger } from '@trunkline/core';
import type { InstanceInput, InstanceResource, WorkspaceApi } from '@trunkline/core';
import { nodeCrypto, systemClock, systemRandom } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import type { Sandbox } from '@trunkline/core/sandbox';
import { pause } from '@trunkline/core/spi/runtime';
import type { Clock, DnsResolver } from '@trunkline/core/spi/runtime';
import { memoryMediaStore } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { http } from 'msw';
import type { HttpHandler } from 'msw';
import { createHttpApp } from '../http-app.ts';
import type { MockTrunkline, MockTrunklineOptions } from './mock-trunkline.ts';
import { webhookHandover } from './webhook-handover.ts';
import type { SentWebhook } from './webhook-handover.ts';

/**
 * Starts the real service on SQLite in memory and the sandbox network, for the tests of an app that calls the service. A
 * sent message is delivered and read within a tenth of a second by the system clock.
 *
 * ```ts
 * const trunkline = await startMockTrunkline({ baseUrl: 'https://api.example.com/api/v1', onWebhook: POST });
 * const server = setupServer(...trunkline.handlers);
 * ```
 */
export async function startMockTrunkline(options: MockTrunklineOptions): Promise<MockTrunkline> {
  const baseUrl = options.baseUrl.replace(/\/$/, '');
  const { logger = silentLogger } = options;
  const clock = systemClock();
  const sandbox = createSandbox();
  const webhooks: SentWebhook[] = [];
  const trunkline = createTrunkline({
    clock,
    random: systemRandom(),
    crypto: nodeCrypto(),
    dns: everywherePublic,
    webhookSender: webhookHandover(options.onWebhook ?? taken, { clock, sent: webhooks }),
    storage: sqliteStorage({ path: ':memory:' }),
    media: memoryMediaStore(),
    gateways: [sandbox.gateway],
    secretKey: 'What the mock seals is gone with its memory.',
    urlPolicy: options.urlPolicy,
    logger,
  });
  const app = createHttpApp(trunkline, {
    basePath: new URL(baseUrl).pathname.replace(/\/$/, ''),
    rateLimit: options.rateLimit ?? false,
  });
  await trunkline.start();

  const { admin } = trunkline;
  const { id: workspaceId } = await admin.workspaces.create({ name: 'Mock workspace' });
  const { token: apiKey } = await admin.apiKeys.create({ workspaceId, name: 'Tests', scopes: SCOPES });
  const workspace = trunkline.workspace(workspaceId);
  return {
    handlers: [handler(baseUrl, app)],
    baseUrl,
    apiKey,
    workspaceId,
    workspace,
    admin,
    sandbox,
    webhooks,
    connectInstance: (input = {}) => connectInstance({ workspace, sandbox, clock }, input),
    stop: () => trunkline.stop(),
  };
}

function handler(
  baseUrl: string,
  app: { fetch(request: Request): Response | Promise<Response> },
): HttpHandler {
  return http.all(`${baseUrl}/*`, ({ request }) => app.fetch(request));
}

/** Resolves every name to a public address, because the hosts in tests need not exist. */
const everywherePublic: DnsResolver = { resolve: async () => ['93.184.215.14'] };

function taken(): Response {
  return new Response(null, { status: 204 });
}

interface Parts {
  readonly workspace: WorkspaceApi;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
}

async function connectInstance(parts: Parts, input: InstanceInput): Promise<InstanceResource> {
  const { workspace, sandbox } = parts;
  const { id } = await workspace.instances.create(input);
  await workspace.instances.connect(id);
  await untilStatus(parts, id, 'qr_required');
  await sandbox.phone(id).scan();
  return untilStatus(parts, id, 'connected');
}

const LOOK_EVERY_MS = 5;

async function untilStatus(
  { workspace, clock }: Parts,
  id: string,
  status: InstanceResource['status'],
): Promise<InstanceResource> {
  for (;;) {
    const instance = await workspace.instances.get(id);
    if (instance.status === status) return instance;
    await pause(clock, LOOK_EVERY_MS);
  }
}
