import { createTrunkline } from '@trunkline/core';
import type { Storage, Trunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { newId, STORAGES } from '../storages.ts';
import type { StorageName } from '../storages.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';

const AT_ONCE = 500;

/** A database with quiet endpoints, and a noisy one with `backlog` waiting deliveries. */
export interface Scenario {
  readonly quiet: readonly string[];
  start(): Promise<RunningScenario>;
  remove(): void;
}

interface RunningScenario {
  enqueue(endpointId: string): Promise<string>;
  stop(): Promise<void>;
}

interface ScenarioSize {
  /** The receiver's URL, below which each endpoint has its own path. */
  readonly url: string;
  readonly endpoints: number;
  readonly backlog: number;
}

export const NOISY_PATH = '/noisy';

export async function createScenario({ url, endpoints, backlog }: ScenarioSize): Promise<Scenario> {
  const directory = makeDirectory();
  const { trunkline, storage } = open(directory, false);
  await trunkline.start();
  const { id: workspaceId } = await trunkline.admin.workspaces.create({
    name: 'Bench',
    plan: { webhookLimit: endpoints },
  });
  const { webhooks } = trunkline.workspace(workspaceId);
  const register = async (path: string): Promise<string> =>
    (await webhooks.create({ url: `${url}${path}`, events: ['message.sent'] })).id;
  const noisy = await register(NOISY_PATH);
  const quiet = await Promise.all(Array.from({ length: endpoints - 1 }, (_, index) => register(`/${index}`)));
  for (let left = backlog; left > 0; left -= AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, left) }, () => enqueue(storage, workspaceId, noisy));
    await Promise.all(batch);
  }
  await trunkline.stop();
  return {
    quiet,
    async start() {
      const running = open(directory, true);
      await running.trunkline.start();
      return {
        enqueue: (endpointId) => enqueue(running.storage, workspaceId, endpointId),
        stop: () => running.trunkline.stop(),
      };
    },
    remove: () => removeDirectory(directory),
  };
}

function open(directory: string, webhooks: boolean): { trunkline: Trunkline; storage: Storage } {
  const name = (process.env['STORAGE'] ?? 'sqlite') as StorageName; // an unknown name fails below
  const storage = STORAGES[name](directory);
  const trunkline = createTrunkline({
    ...nodeRuntime(),
    storage,
    gateways: [createSandbox().gateway],
    secretKey: 'a secret key for measuring with, long enough',
    urlPolicy: 'local',
    roles: { gateway: false, webhooks, maintenance: false },
  });
  return { trunkline, storage };
}

async function enqueue(storage: Storage, workspaceId: string, endpointId: string): Promise<string> {
  const now = Date.now();
  const id = newId('evt', now);
  const payload = JSON.stringify({ id, type: 'message.sent', workspace_id: workspaceId, data: {} });
  const event = { id, workspaceId, type: 'message.sent', occurredAt: now * 1000, payload } as const;
  const delivery = await storage.deliveries.enqueue(endpointId, event);
  if (!delivery) throw new Error(`There is no endpoint ${endpointId}.`);
  return delivery.id;
}
