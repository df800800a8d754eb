import type { Trunkline } from '@trunkline/core';
import { idOf } from './traffic.ts';
import type { Traffic } from './traffic.ts';

/** The ids that requests name. */
export interface Subjects {
  readonly workspaceId: string;
  readonly otherWorkspaceId: string;
  readonly memberId: string;
  readonly instance: string;
  readonly group: string;
  readonly message: string;
  readonly fileMessage: string;
  readonly event: string;
  readonly endpoint: string;
  readonly delivery: string;
}

/** Makes requests to most paths of the API, and calls the operations of `admin`, concurrently. */
export function everyRequest(
  { request, call }: Traffic,
  { admin }: Trunkline,
  subjects: Subjects,
): Promise<unknown> {
  const { workspaceId, otherWorkspaceId, memberId, instance, message, fileMessage } = subjects;
  const { event, endpoint, delivery } = subjects;
  const gets = [
    '/api-key',
    '/instances',
    `/instances/${instance}`,
    `/instances/${instance}/groups`,
    `/instances/${instance}/chats`,
    `/instances/${instance}/events`,
    `/instances/${instance}/history`,
    '/messages',
    '/messages?counterpart=34600000011',
    `/messages/${message}`,
    `/messages/${message}/standing`,
    `/messages/${message}/events`,
    `/messages/${fileMessage}/media`,
    '/webhooks',
    `/webhooks/${endpoint}`,
    `/webhooks/${endpoint}/deliveries`,
    `/webhooks/${endpoint}/traffic`,
    '/traffic',
    `/traffic?instance=${instance}`,
    '/traffic/webhooks',
    `/webhook-deliveries/${delivery}`,
    `/events/${event}`,
    `/events/${event}/deliveries`,
    '/events/stream',
  ];
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    'workspaces.find': () => admin.workspaces.find(workspaceId),
    'workspaces.list': () => admin.workspaces.list(),
    'workspaces.rename': () => admin.workspaces.rename(otherWorkspaceId, 'Other'),
    'workspaces.setPlan': () => admin.workspaces.setPlan(otherWorkspaceId, { webhookLimit: 6 }),
    'workspaces.setRetention': () => admin.workspaces.setRetention(otherWorkspaceId, null),
    'workspaces.suspend': () => admin.workspaces.suspend(otherWorkspaceId),
    'workspaces.resume': () => admin.workspaces.resume(otherWorkspaceId),
    'members.create': async () => {
      const { id } = await admin.members.create({ workspaceId: otherWorkspaceId, email: 'a@example.com' });
      await admin.members.delete(otherWorkspaceId, id);
    },
    'members.list': () => admin.members.list(workspaceId),
    'members.update': () => admin.members.update(workspaceId, memberId, { emailVerified: true }),
    'apiKeys.create': async () => {
      const { apiKey } = await admin.apiKeys.create({
        workspaceId,
        memberId,
        name: 'k',
        scopes: ['messages:read'],
      });
      await admin.apiKeys.revoke(workspaceId, apiKey.id);
    },
    'apiKeys.list': () => admin.apiKeys.list(workspaceId),
    'spentTokens.spend': () => admin.spentTokens.spend('token', Date.UTC(2027, 0, 1)),
    'spentTokens.isSpent': () => admin.spentTokens.isSpent('token', { fresh: true }),
    exportPerson: async () => {
      for await (const _ of await admin.exportPerson({ workspaceId, number: '34600000011' }));
    },
    erasePerson: () => admin.erasePerson({ workspaceId, number: '34600000019' }),
    'instances.countIn': () => admin.instances.countIn([workspaceId]),
    'instances.history': () => admin.instances.history(workspaceId, instance),
    'subscriptions.list': () => admin.subscriptions.list(),
    'subscriptions.retryFailedEvents': () => admin.subscriptions.retryFailedEvents('crm'),
    resealSecrets: () => admin.resealSecrets(),
    workload: () => admin.workload(),
    queues: () => admin.queues(workspaceId),
    processes: () => admin.processes(),
    storage: () => admin.storage(),
  };
  return Promise.all([
    ...gets.map((path) => request('GET', path)),
    request('PATCH', `/instances/${instance}`, { name: 'Shop' }),
    (async () => {
      const made = await request('POST', '/webhooks', {
        url: 'https://new.example.com',
        events: ['message.sent'],
      });
      if (made.status !== 201) return;
      const id = idOf(made.json);
      await request('PATCH', `/webhooks/${id}`, { description: 'new' });
      await request('POST', `/webhooks/${id}/test`);
      await request('POST', `/webhooks/${id}/rotate-secret`);
      await request('POST', `/webhooks/${id}/deliveries/retry-failed`);
      await request('DELETE', `/webhooks/${id}`);
    })(),
    request('POST', `/webhook-deliveries/${delivery}/retry`),
    request('POST', `/webhook-deliveries/${delivery}/try-now`),
    ...Object.entries(calls).map(([name, operation]) => call(`admin.${name}`, operation)),
  ]);
}
