import type { Hono } from 'hono';
import { createTrunkline } from '@trunkline/core';
import type { Storage } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { connectedInstance } from '../connected-instance.ts';

/** The service with everything that it does for a request. It accepts and does not send, as one of several processes. */
export async function startTrunkline(
  storage: Storage,
): Promise<{ app: Hono; token: string; instance: string; stop(): Promise<void> }> {
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    storage,
    gateway: createSandbox().gateway,
    secretKey: 'a secret key for measuring with, long enough',
    sendBacklog: 1_000_000,
    roles: { gateway: false, webhooks: false, maintenance: false },
  });
  await trunkline.start();
  const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Bench' });
  const { token } = await trunkline.admin.apiKeys.create({
    workspaceId,
    name: 'bench',
    scopes: ['messages:send'],
  });
  const instance = connectedInstance(workspaceId);
  await storage.instances.insert(instance, null);
  // Counted as ever, and never reached.
  const app = createHttpApp(trunkline, { rateLimit: { requestsPerMinute: 1_000_000_000 } });
  return { app, token, instance: instance.id, stop: () => trunkline.stop() };
}
