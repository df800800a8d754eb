import { expect, it } from 'vitest';
import type { WorkspacePage } from '../src/schemas/admin.ts';
import { textIn, visitor } from './support/browser-like.ts';
import type { Visitor } from './support/browser-like.ts';
import { ADMIN_TOKEN, startDashboard } from './support/serve-dashboard.ts';
import type { DashboardHarness } from './support/serve-dashboard.ts';

const ADMIN = '/dashboard/api/admin';

async function adminOf({ dashboard }: DashboardHarness): Promise<Visitor> {
  const visit = visitor(dashboard);
  await visit.signIn({ token: ADMIN_TOKEN });
  return visit;
}

it('an admin creates a workspace, changes it, suspends it and resumes it', async () => {
  const admin = await adminOf(await startDashboard());
  const created = await admin('POST', `${ADMIN}/workspaces`, { json: { name: ' Globex ' } });
  const path = `${ADMIN}/workspaces/${textIn(created.json['data']?.['id'])}`;
  const changes = { name: 'Globex GmbH', plan: { webhook_limit: 9, instance_limit: 3 }, messages_days: 30 };
  const changed = await admin('PATCH', path, { json: changes });
  expect(changed.json['data']).toMatchObject({
    name: 'Globex GmbH',
    plan: { subscription: 'active', instance_limit: 3, trial_message_limit: null, webhook_limit: 9 },
    trial_messages_used: 0,
    suspended_at: null,
    messages_days: 30,
    created_at: expect.stringMatching(/\+00:00$/),
  });
  expect((await admin('POST', `${path}/suspend`)).json['data']).toMatchObject({
    suspended_at: expect.stringMatching(/\+00:00$/),
  });
  await admin('POST', `${path}/resume`);
  await admin('PATCH', path, { json: { plan: { instance_limit: null }, messages_days: null } });
  expect((await admin('GET', path)).json['data']).toMatchObject({
    plan: { instance_limit: null, webhook_limit: 9 },
    suspended_at: null,
    messages_days: null,
  });
});

it('several changes are refused together if one is invalid', async () => {
  const harness = await startDashboard();
  const admin = await adminOf(harness);
  const path = `${ADMIN}/workspaces/${harness.workspaceId}`;
  const json = { name: 'New', plan: { webhook_limit: -1 }, messages_days: 0, owner: 'me' };
  const { code, json: refusal } = await admin('PATCH', path, { json });
  expect(code).toBe('VALIDATION_FAILED');
  expect(Object.keys(refusal['error']?.['details']?.['fields'] ?? {}).toSorted()).toEqual([
    'body',
    'messages_days',
    'plan.webhook_limit',
  ]);
  expect((await admin('GET', path)).json['data']).toMatchObject({ name: 'Acme' });
  expect((await admin('GET', `${ADMIN}/workspaces/ten_none`)).code).toBe('NOT_FOUND');
});

it('workspaces are found by a part of their names, or by their ids', async () => {
  const harness = await startDashboard();
  const { workspaces } = harness.trunkline.admin;
  for (let n = 0; n < 1_010; n++) await workspaces.create({ name: `Workspace ${n}` });
  const admin = await adminOf(harness);
  const find = async (query: Record<string, string>) => {
    const { json } = await admin('GET', `${ADMIN}/workspaces?${new URLSearchParams(query).toString()}`);
    const { workspaces: found, next_after } = json['data'] as unknown as WorkspacePage; // the page's shape
    return { names: found.map(({ name }) => name), next: next_after };
  };
  expect(await find({ find: harness.workspaceId })).toMatchObject({ names: ['Acme'] });
  expect((await find({ find: ' SPACE 99' })).names.slice(0, 3)).toEqual([
    'Workspace 99',
    'Workspace 990',
    'Workspace 991',
  ]);
  // A search reads a thousand workspaces; the next search continues.
  const { names, next } = await find({ find: 'space 1009' });
  expect(names).toEqual([]);
  expect(await find({ find: 'space 1009', after: next ?? '' })).toEqual({
    names: ['Workspace 1009'],
    next: null,
  });
  expect(await find({ find: 'nobody', after: next ?? '' })).toEqual({ names: [], next: null });
});

it('workspaces are listed by pages', async () => {
  const harness = await startDashboard();
  for (let n = 0; n < 100; n++) await harness.trunkline.admin.workspaces.create({ name: `Workspace ${n}` });
  const admin = await adminOf(harness);
  await harness.connect('Support');
  const first = (await admin('GET', `${ADMIN}/workspaces`)).json['data'];
  expect(first?.['workspaces']?.['0']).toMatchObject({ name: 'Acme', numbers: 1 });
  expect(first?.['workspaces']?.['1']).toMatchObject({ name: 'Workspace 0', numbers: 0 });
  expect(first).toMatchObject({ workspaces: { length: 100 }, next_after: expect.stringMatching(/^ten_/) });
  const rest = await admin('GET', `${ADMIN}/workspaces?after=${textIn(first?.['next_after'])}`);
  expect(rest.json['data']).toMatchObject({ workspaces: [{ name: 'Workspace 99' }], next_after: null });
});

it('a new key is shown once, works, and is revoked', async () => {
  const harness = await startDashboard();
  const admin = await adminOf(harness);
  const path = `${ADMIN}/workspaces/${harness.workspaceId}/keys`;
  const json = { name: 'Billing', scopes: ['messages:read'], expires_at: '2099-01-01T00:00:00Z' };
  const created = await admin('POST', path, { json });
  expect(created.headers.get('Cache-Control')).toBe('no-store');
  const { token, id } = created.json['data'] ?? {};
  expect(created.json['data']).toMatchObject({
    name: 'Billing',
    scopes: ['messages:read'],
    expires_at: '2099-01-01T00:00:00.000+00:00',
  });
  const holder = visitor(harness.dashboard);
  expect((await holder.signIn({ api_key: textIn(token) })).status).toBe(200);
  const listed = await admin('GET', path);
  expect(listed.json['data']?.['0']).toMatchObject({ prefix: textIn(token).slice(0, 8) });
  expect(listed.text).not.toContain(textIn(token));
  expect(listed.json['data']).toMatchObject([{ id }, { name: 'Tests' }]);
  const revoked = await admin('POST', `${path}/${textIn(id)}/revoke`);
  expect(revoked.json['data']).toMatchObject({ revoked_at: expect.stringMatching(/\+00:00$/) });
  expect((await holder('GET', '/dashboard/api/session')).code).toBe('UNAUTHENTICATED');
  expect((await admin('POST', `${path}/key_none/revoke`)).code).toBe('NOT_FOUND');
});

it('members are added, changed and removed', async () => {
  const harness = await startDashboard();
  const admin = await adminOf(harness);
  const path = `${ADMIN}/workspaces/${harness.workspaceId}/members`;
  const added = await admin('POST', path, { json: { email: 'ada@example.com' } });
  const own = `${path}/${textIn(added.json['data']?.['id'])}`;
  const changed = await admin('PATCH', own, { json: { email_verified: true, administers_webhooks: true } });
  expect(changed.json['data']).toMatchObject({
    email: 'ada@example.com',
    email_verified: true,
    administers_webhooks: true,
  });
  expect((await admin('POST', path, { json: { email: 'nobody' } })).code).toBe('VALIDATION_FAILED');
  expect((await admin('DELETE', own)).status).toBe(204);
  expect((await admin('GET', path)).json['data']).toEqual([]);
});

it('the system reports open work, and subscriptions the open work of their handlers', async () => {
  const harness = await startDashboard();
  harness.trunkline.on('message.received', async () => {}, { name: 'replies.of-ours' });
  const admin = await adminOf(harness);
  await harness.clock.settle();
  await harness.connect('Support');
  const system = await admin('GET', `${ADMIN}/system`);
  expect(system.json['data']).toMatchObject({
    roles: { api: true, gateway: true, webhooks: true, maintenance: true },
    processes: [
      {
        roles: ['api', 'gateway', 'webhooks', 'maintenance'],
        is_silent: false,
        held: 1,
        vitals: null,
      },
    ],
    storage: {
      database: expect.stringMatching(/^SQLite \d/),
      schema_version: expect.any(Number),
      size_bytes: null,
    },
    workload: { instances: { sandbox: { connected: 1 } }, queued_messages: 0, oldest_queued_message: null },
  });
  const listed = await admin('GET', `${ADMIN}/subscriptions`);
  expect(listed.json['data']).toMatchObject([{ name: 'replies.of-ours', waiting: 0, exhausted: 0 }]);
  const own = `${ADMIN}/subscriptions/replies.of-ours`;
  expect((await admin('POST', `${own}/retry-failed`)).json['data']).toEqual({ requeued: 0, remaining: 0 });
  expect((await admin('DELETE', own)).status).toBe(204);
  expect((await admin('DELETE', own)).code).toBe('NOT_FOUND');
});
