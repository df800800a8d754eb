import { entryIdOf } from '@trunkline/core/spi/storage';
import type { Storage } from '@trunkline/core/spi/storage';
import type { ObservedDeliveries, ObservedWorkspace, Observation } from './rules.ts';
import type { Scenario } from './scenario.ts';

const EVERYTHING = { from: null, limit: 200 };

/** Reads the rows by which a storage is checked, and compared with another one. */
export async function observe(storage: Storage, scenario: Scenario): Promise<Observation> {
  const workspaces = scenario.workspaces.map(({ id }) => observeWorkspace(storage, id));
  const instances = scenario.instances.map(({ workspaceId, id }) =>
    observeInstance(storage, { workspaceId, id, now: scenario.now }),
  );
  const endpoints = scenario.endpoints.map(({ workspaceId, id }) =>
    observeDeliveries(storage, { workspaceId, id }),
  );
  const heads = await storage.messages.queueHeads(
    scenario.instances.map(({ id }) => id),
    scenario.now,
    { limit: 5, withFiles: true },
  );
  return {
    workspaces: await Promise.all(workspaces),
    instances: await Promise.all(instances),
    endpoints: await Promise.all(endpoints),
    subscriptions: await storage.subscriptions.list(200),
    heads: heads.toSorted((a, b) => (entryIdOf(a) < entryIdOf(b) ? -1 : 1)),
  };
}

async function observeWorkspace(storage: Storage, id: string): Promise<ObservedWorkspace> {
  return {
    workspace: await storage.workspaces.find(id),
    members: await storage.workspaces.listMembers(id),
    apiKeys: await storage.apiKeys.list(id),
    instances: await storage.instances.list(id),
    down: await storage.instances.listDown({
      before: Number.MAX_SAFE_INTEGER,
      latest: Number.MAX_SAFE_INTEGER,
      after: null,
      limit: 200,
    }),
    messages: await storage.messages.list(id, {}, EVERYTHING),
    scheduled: await storage.schedule.list(id, {}, EVERYTHING),
    endpoints: await storage.endpoints.list(id),
  };
}

interface Row {
  readonly workspaceId: string;
  readonly id: string;
}

async function observeInstance(
  storage: Storage,
  { workspaceId, id, now }: Row & { readonly now: number },
): Promise<unknown> {
  const session = await storage.sessions.load(id);
  return {
    lease: await storage.leases.find(id, now),
    session: new Map(Array.from(session, ([name, bytes]) => [name, [...bytes]])),
    groups: await storage.groups.list(workspaceId, id),
    downloads: await storage.downloads.listNext([id], 200),
    history: await storage.history.list(workspaceId, id, EVERYTHING, 0),
  };
}

async function observeDeliveries(storage: Storage, { workspaceId, id }: Row): Promise<ObservedDeliveries> {
  return {
    all: await storage.deliveries.list(workspaceId, id, {}, EVERYTHING, 0),
    failed: await storage.deliveries.list(workspaceId, id, { status: 'failed' }, EVERYTHING, 0),
    pending: await storage.deliveries.list(workspaceId, id, { status: 'pending' }, EVERYTHING, 0),
  };
}
