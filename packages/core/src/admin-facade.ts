import type { Admin } from './admin-api.ts';
import { isId } from './domain/id.ts';
import { apiKeyInfo, createApiKey, revokeApiKey } from './services/admin/api-keys.ts';
import { createFirstApiKey } from './services/admin/first-api-key.ts';
import { createMember, deleteMember, updateMember } from './services/admin/members.ts';
import { listProcesses } from './services/admin/processes.ts';
import { createSpentTokens } from './services/admin/spent-tokens.ts';
import { deleteSubscription, listSubscriptions, retryFailedEvents } from './services/admin/subscriptions.ts';
import {
  createWorkspace,
  renameWorkspace,
  setPlan,
  setRetention,
  setSuspended,
} from './services/admin/workspaces.ts';
import type { Authenticator } from './services/authenticate.ts';
import type { ServiceContext } from './services/context.ts';
import { keepLookUps } from './services/kept-look-ups.ts';
import type { KeptWorkload } from './services/kept-workload.ts';
import { erasePerson } from './services/people/erase-person.ts';
import { exportPerson } from './services/people/export-person.ts';
import { resealAll } from './services/reseal-all.ts';
import { unwrap } from './trunkline-error.ts';
import type { Result } from './domain/result.ts';
import { instanceHistoryResource } from './resources/instance-history.ts';
import { listHistoryOfAny } from './services/instances/history.ts';
import { page } from './workspace-facade.ts';

const LIST_MAX = 100;
const COUNT_MAX = 1_000;
const DESCRIPTION_KEPT_MS = 5_000;

/**
 * Implements `Admin`. Refusals are thrown, and cached API keys that may be out of date are dropped
 * immediately.
 */
export function adminFacade(
  context: ServiceContext,
  {
    authenticator,
    workload,
  }: { readonly authenticator: Authenticator; readonly workload: Pick<KeptWorkload, 'read'> },
): Admin {
  const { storage } = context;
  // Cached, because Postgres asks the operating system about each file of a database to add up its size.
  const description = keepLookUps({
    lookUp: () => storage.describe(),
    isWorthKeeping: () => true,
    maxAgeMs: DESCRIPTION_KEPT_MS,
    max: 1,
  });
  const spentTokens = createSpentTokens(context);
  const andForget = async <Value>(change: Promise<Result<Value>>): Promise<Value> => {
    const value = unwrap(await change);
    authenticator.forget();
    return value;
  };
  return {
    workspaces: {
      create: async (input) => unwrap(await createWorkspace(context, input)),
      find: (id) => storage.workspaces.find(id),
      list: (after) => storage.workspaces.list({ after: after ?? null, limit: LIST_MAX }),
      rename: (id, name) => andForget(renameWorkspace(context, id, name)),
      setPlan: (id, plan) => andForget(setPlan(context, id, plan)),
      setRetention: (id, retention) => andForget(setRetention(context, id, retention)),
      suspend: (id) => andForget(setSuspended(context, id, true)),
      resume: (id) => andForget(setSuspended(context, id, false)),
    },
    members: {
      create: async (input) => unwrap(await createMember(context, input)),
      list: (workspaceId) => storage.workspaces.listMembers(workspaceId),
      update: (workspaceId, id, changes) => andForget(updateMember(context, { workspaceId, id }, changes)),
      delete: async (workspaceId, id) => {
        await andForget(deleteMember(context, workspaceId, id));
      },
    },
    apiKeys: {
      // A lookup of this token that began before its key existed may still be in flight.
      create: (input) => andForget(createApiKey(context, input)),
      createFirst: () => andForget(createFirstApiKey(context)),
      list: async (workspaceId) => (await storage.apiKeys.list(workspaceId)).map(apiKeyInfo),
      revoke: (workspaceId, id) => andForget(revokeApiKey(context, workspaceId, id)),
    },
    spentTokens: {
      spend: async (id, until) => unwrap(await spentTokens.spend(id, until)),
      isSpent: spentTokens.isSpent,
    },
    erasePerson: async (person, options) => unwrap(await erasePerson(context, person, options)),
    exportPerson: async (person, options) => unwrap(await exportPerson(context, person, options)),
    instances: {
      countIn: (workspaceIds) => storage.instances.countIn(workspaceIds),
      history: async (workspaceId, id, query = {}) =>
        page(unwrap(await listHistoryOfAny(context, { workspaceId, id }, query)), instanceHistoryResource),
    },
    subscriptions: {
      list: () => listSubscriptions(context),
      retryFailedEvents: async (name) => unwrap(await retryFailedEvents(context, name)),
      delete: async (name) => {
        unwrap(await deleteSubscription(context, name));
      },
    },
    resealSecrets: ({ signal, onProgress } = {}) =>
      resealAll(context, {
        isStopping: () => signal?.aborted === true,
        ...(onProgress && { onProgress }),
      }),
    workload: workload.read,
    queues: async (workspaceId, id) => {
      const instanceId = id ?? null;
      if (!isId('ten', workspaceId) || (instanceId !== null && !isId('ins', instanceId))) return [];
      const at = { now: context.clock.now(), countUpTo: COUNT_MAX, limit: LIST_MAX };
      return storage.workload.queues({ workspaceId, instanceId }, at);
    },
    processes: () => listProcesses(context),
    storage: () => description.find('', context.clock.elapsed()),
  };
}
