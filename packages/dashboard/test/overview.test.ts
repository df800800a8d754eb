import type { Scope } from '@trunkline/core';
import { expect, it } from 'vitest';
import { visitor } from './support/browser-like.ts';
import { startDashboard } from './support/serve-dashboard.ts';

it('returns the state of a workspace in one read, as far as the session may see it', async () => {
  const { trunkline, workspaceId, dashboard, connect, sandbox, newKey } = await startDashboard();
  const { messages, webhooks } = trunkline.workspace(workspaceId);
  const { id: instance } = await connect('Support');
  const { id: webhook } = await webhooks.create({
    url: 'https://hooks.example.com',
    events: ['message.received'],
  });
  // On the stopped clock, the number does not reconnect.
  await sandbox.phone(instance).drop();
  const { message } = await messages.send({ instance, to: '15550100', type: 'text', text: 'Hello' });

  const seenWith = async (scopes: readonly Scope[], ofWorkspace = workspaceId) => {
    const visit = visitor(dashboard);
    await visit.signIn({ api_key: await newKey({ scopes, workspaceId: ofWorkspace }) });
    const { json } = await visit('GET', `/dashboard/api/workspaces/${ofWorkspace}/overview`);
    return json['data'];
  };
  const all: readonly Scope[] = ['instances:read', 'messages:read', 'webhooks:read'];
  expect(await seenWith(all)).toMatchObject({
    numbers: [{ id: instance, name: 'Support', status: 'connecting' }],
    queues: [{ instance_id: instance, queued: 1, oldest: { message_id: message.id } }],
    webhooks: [{ id: webhook, failing_since: null, auto_disable_at: null }],
  });
  expect(await seenWith(['messages:send'])).toEqual({ numbers: null, queues: null, webhooks: null });
  expect(await seenWith(['webhooks:read'])).toMatchObject({ numbers: null, queues: null });
  const { id: other } = await trunkline.admin.workspaces.create({ name: 'Other' });
  expect(await seenWith(all, other)).toEqual({ numbers: [], queues: [], webhooks: [] });
});
