import type { Hono } from 'hono';
import { createTrunkline } from '@trunkline/core';
import type { Storage } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { connectedInstance } from '../connected-instance.ts';
import type { ServerPlan } from './server-plan.ts';

interface StartedTrunkline {
  readonly app: Hono;
  readonly token: string;
  readonly instances: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts the service, which accepts messages but does not send them, like a process of a cluster that leaves sending to
 * others.
 */
export async function startTrunkline(
  storage: Storage,
  { instances: count, joins }: Pick<ServerPlan, 'instances' | 'joins'>,
): Promise<StartedTrunkline> {
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    storage,
    gateways: [createSandbox().gateway],
    secretKey: 'a secret key for measuring with, long enough',
    sendBacklog: 1_000_000,
    roles: { gateway: false, webhooks: false, maintenance: false },
  });
  await trunkline.start();
  // Requests are counted as usual, but never reach the limit.
  const app = createHttpApp(trunkline, { rateLimit: { requestsPerMinute: 1_000_000_000 } });
  const started = { app, stop: () => trunkline.stop() };
  if (joins !== undefined) return { ...started, token: joins.token, instances: joins.instances };

  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Bench' });
  const { token } = await trunkline.admin.apiKeys.create({
    workspaceId,
    name: 'bench',
    scopes: ['messages:send'],
  });
  const instances = Array.from({ length: count }, () => connectedInstance(workspaceId));
  await Promise.all(instances.map((instance) => storage.instances.insert(instance, null)));
  return { ...started, token, instances: instances.map(({ id }) => id) };
}
