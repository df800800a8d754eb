import { SCOPES } from '@trunkline/core';
import type { Scope } from '@trunkline/core';
import { ROUTES } from '@trunkline/http/spi';
import { describe, expect, it, test } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { createDashboard } from '../src/index.ts';
import type { DashboardAccess, DashboardOptions } from '../src/index.ts';
import { ownRoutes } from '../src/routes/own-routes.ts';
import { openSignIn } from '../src/sign-in/sign-in.ts';
import { visitor } from './support/browser-like.ts';
import type { Visitor } from './support/browser-like.ts';
import { startDashboard } from './support/serve-dashboard.ts';
import type { DashboardHarness } from './support/serve-dashboard.ts';

/**
 * `see-all`: a session that sees all workspaces. `admin`: an admin's session. A list: a session that may see the
 * workspace and has these scopes.
 */
type Needs = 'anybody' | 'session' | 'see-all' | 'admin' | readonly Scope[];

/** Every route below `api`. A new route fails the test until it has a row. */
const TABLE: Readonly<Record<string, Needs>> = {
  'GET /session': 'session',
  'POST /sign-in': 'anybody',
  'POST /sign-out': 'anybody',
  'GET /admin/workspaces': 'see-all',
  'POST /admin/workspaces': 'admin',
  'GET /admin/workspaces/:workspace': 'see-all',
  'PATCH /admin/workspaces/:workspace': 'admin',
  'POST /admin/workspaces/:workspace/suspend': 'admin',
  'POST /admin/workspaces/:workspace/resume': 'admin',
  'GET /admin/workspaces/:workspace/keys': 'see-all',
  'POST /admin/workspaces/:workspace/keys': 'admin',
  'POST /admin/workspaces/:workspace/keys/:key/revoke': 'admin',
  'GET /admin/workspaces/:workspace/members': 'see-all',
  'POST /admin/workspaces/:workspace/members': 'admin',
  'PATCH /admin/workspaces/:workspace/members/:member': 'admin',
  'DELETE /admin/workspaces/:workspace/members/:member': 'admin',
  'GET /admin/system': 'see-all',
  'GET /admin/subscriptions': 'see-all',
  'POST /admin/subscriptions/:name/retry-failed': 'admin',
  'DELETE /admin/subscriptions/:name': 'admin',
  'GET /workspaces/:workspace/overview': [],
  'GET /workspaces/:workspace/queues/:instance': ['messages:read'],
  'GET /workspaces/{workspace}/api-key': [],
  'GET /workspaces/{workspace}/networks': ['instances:read'],
  'GET /workspaces/{workspace}/instances': ['instances:read'],
  'POST /workspaces/{workspace}/instances': ['instances:write'],
  'GET /workspaces/{workspace}/instances/{instance}': ['instances:read'],
  'PATCH /workspaces/{workspace}/instances/{instance}': ['instances:write'],
  'DELETE /workspaces/{workspace}/instances/{instance}': ['instances:write'],
  'POST /workspaces/{workspace}/instances/{instance}/connect': ['instances:write'],
  'POST /workspaces/{workspace}/instances/{instance}/disconnect': ['instances:write'],
  'POST /workspaces/{workspace}/instances/{instance}/logout': ['instances:write'],
  'POST /workspaces/{workspace}/instances/{instance}/typing': ['messages:send'],
  'POST /workspaces/{workspace}/instances/{instance}/lookup': ['messages:send'],
  'GET /workspaces/{workspace}/instances/{instance}/passkey': ['instances:write'],
  'POST /workspaces/{workspace}/instances/{instance}/passkey': ['instances:write'],
  'POST /workspaces/{workspace}/instances/{instance}/passkey/confirm': ['instances:write'],
  'GET /workspaces/{workspace}/instances/{instance}/qr': ['instances:write'],
  'GET /workspaces/{workspace}/instances/{instance}/groups': ['instances:read'],
  'POST /workspaces/{workspace}/instances/{instance}/groups': ['instances:write'],
  'POST /workspaces/{workspace}/instances/{instance}/groups/join': ['instances:write'],
  'GET /workspaces/{workspace}/groups/{group}': ['instances:read'],
  'PATCH /workspaces/{workspace}/groups/{group}': ['instances:write'],
  'POST /workspaces/{workspace}/groups/{group}/participants': ['instances:write'],
  'GET /workspaces/{workspace}/groups/{group}/invite': ['instances:write'],
  'POST /workspaces/{workspace}/groups/{group}/invite/revoke': ['instances:write'],
  'GET /workspaces/{workspace}/groups/{group}/join-requests': ['instances:read'],
  'POST /workspaces/{workspace}/groups/{group}/join-requests': ['instances:write'],
  'POST /workspaces/{workspace}/groups/{group}/leave': ['instances:write'],
  'GET /workspaces/{workspace}/instances/{instance}/history': ['instances:read'],
  'GET /workspaces/{workspace}/instances/{instance}/chats': ['messages:read'],
  'GET /workspaces/{workspace}/instances/{instance}/events': ['instances:read', 'messages:read'],
  'GET /workspaces/{workspace}/messages': ['messages:read'],
  'POST /workspaces/{workspace}/messages': ['messages:send'],
  'GET /workspaces/{workspace}/messages/{message}': ['messages:read'],
  'DELETE /workspaces/{workspace}/messages/{message}': ['messages:send'],
  'PATCH /workspaces/{workspace}/messages/{message}': ['messages:send'],
  'PUT /workspaces/{workspace}/messages/{message}/reaction': ['messages:send'],
  'POST /workspaces/{workspace}/messages/{message}/read': ['messages:send'],
  'PUT /workspaces/{workspace}/contacts/{contact}/block': ['messages:send'],
  'DELETE /workspaces/{workspace}/contacts/{contact}/block': ['messages:send'],
  'DELETE /workspaces/{workspace}/messages/{message}/reaction': ['messages:send'],
  'GET /workspaces/{workspace}/messages/{message}/actions': ['messages:read'],
  'GET /workspaces/{workspace}/messages/{message}/votes': ['messages:read'],
  'GET /workspaces/{workspace}/scheduled-messages': ['messages:read'],
  'GET /workspaces/{workspace}/messages/{message}/standing': ['messages:read'],
  'GET /workspaces/{workspace}/messages/{message}/media': ['messages:read'],
  'GET /workspaces/{workspace}/messages/{message}/events': ['messages:read'],
  'GET /workspaces/{workspace}/webhooks': ['webhooks:read'],
  'POST /workspaces/{workspace}/webhooks': ['webhooks:write'],
  'GET /workspaces/{workspace}/webhooks/{webhook}': ['webhooks:read'],
  'PATCH /workspaces/{workspace}/webhooks/{webhook}': ['webhooks:write'],
  'DELETE /workspaces/{workspace}/webhooks/{webhook}': ['webhooks:write'],
  'POST /workspaces/{workspace}/webhooks/{webhook}/rotate-secret': ['webhooks:write'],
  'POST /workspaces/{workspace}/webhooks/{webhook}/test': ['webhooks:write'],
  'GET /workspaces/{workspace}/webhooks/{webhook}/deliveries': ['webhooks:read'],
  'POST /workspaces/{workspace}/webhooks/{webhook}/deliveries/retry-failed': ['webhooks:write'],
  'GET /workspaces/{workspace}/webhooks/{webhook}/traffic': ['webhooks:read'],
  'GET /workspaces/{workspace}/traffic': ['messages:read'],
  'GET /workspaces/{workspace}/traffic/webhooks': ['webhooks:read'],
  'GET /workspaces/{workspace}/webhook-deliveries/{delivery}': ['webhooks:read'],
  'POST /workspaces/{workspace}/webhook-deliveries/{delivery}/retry': ['webhooks:write'],
  'POST /workspaces/{workspace}/webhook-deliveries/{delivery}/try-now': ['webhooks:write'],
  'GET /workspaces/{workspace}/events/stream': ['messages:read', 'instances:read'],
  'GET /workspaces/{workspace}/events/{event}': ['messages:read', 'instances:read'],
  'GET /workspaces/{workspace}/events/{event}/deliveries': ['webhooks:read'],
  'POST /workspaces/{workspace}/sandbox/instances/{instance}/scan': ['instances:write'],
};

const sandbox: DashboardOptions['sandbox'] = () => new Response(null, { status: 202 });

const nobodyAdmitted = { admit: async () => Promise.reject(new Error('Admission is refused.')) };

test('the table has every route, and no other', async () => {
  const { trunkline, signIn } = await startDashboard();
  const place = { trunkline, basePath: '', publicUrl: undefined };
  const own = ownRoutes({
    trunkline,
    hasSandbox: true,
    guard: nobodyAdmitted,
    signIn: openSignIn(signIn, place),
  });
  const routes = [
    ...own.map(({ method, path }) => `${method} ${path}`),
    ...ROUTES.map(({ method, path }) => `${method} /workspaces/{workspace}${path}`),
    'POST /workspaces/{workspace}/sandbox/instances/{instance}/scan',
  ];
  expect(Object.keys(TABLE).toSorted()).toEqual(routes.toSorted());
});

interface Caller {
  readonly name: string;
  /** Makes a new visitor for each request, because some requests end the session. */
  readonly visit: (harness: DashboardHarness) => Promise<Visitor>;
  /** The code of the refusal; null if allowed. */
  readonly refusal: (needs: Needs, method: string) => string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const asAdmin = async ({ dashboard, signIn }: DashboardHarness): Promise<Visitor> => {
  const visit = visitor(dashboard);
  await visit.signIn({ token: signIn.newLinkToken() });
  return visit;
};
const withAccess =
  (accessTo: (workspaceId: string) => DashboardAccess | null) =>
  async ({ trunkline, workspaceId }: DashboardHarness): Promise<Visitor> =>
    visitor(createDashboard(trunkline, { sandbox, authorize: () => accessTo(workspaceId) }));

const nobody = (needs: Needs): string | null => (needs === 'anybody' ? null : 'UNAUTHENTICATED');
const inWorkspace =
  (scopes: readonly Scope[]) =>
  (needs: Needs): string | null => {
    if (needs === 'anybody' || needs === 'session') return null;
    if (needs === 'see-all' || needs === 'admin') return 'INSUFFICIENT_SCOPE';
    return needs.every((scope) => scopes.includes(scope)) ? null : 'INSUFFICIENT_SCOPE';
  };
const elsewhere = (needs: Needs): string | null =>
  typeof needs === 'string' ? inWorkspace(SCOPES)(needs) : 'WORKSPACE_MISMATCH';
const everywhere = (needs: Needs): string | null => (needs === 'see-all' ? null : inWorkspace(READ)(needs));
const fromElsewhere = (_: Needs, method: string): string | null =>
  method === 'GET' ? null : 'INSUFFICIENT_SCOPE';

const READ: readonly Scope[] = ['instances:read', 'messages:read', 'webhooks:read'];

const CALLERS: readonly Caller[] = [
  { name: 'an admin by a link', visit: asAdmin, refusal: () => null },
  { name: 'an admin by authorize', visit: withAccess(() => ({ access: 'admin' })), refusal: () => null },
  {
    name: 'a key with every scope',
    async visit({ dashboard, apiKey }) {
      const visit = visitor(dashboard);
      await visit.signIn({ api_key: apiKey });
      return visit;
    },
    refusal: inWorkspace(SCOPES),
  },
  {
    name: 'a key with one scope',
    async visit({ dashboard, newKey }) {
      const visit = visitor(dashboard);
      await visit.signIn({ api_key: await newKey({ scopes: ['messages:send'] }) });
      return visit;
    },
    refusal: inWorkspace(['messages:send']),
  },
  {
    name: 'access to the workspace',
    visit: withAccess((workspaceId) => ({ access: 'workspace', workspaceId })),
    refusal: inWorkspace(SCOPES),
  },
  {
    name: 'a reader of the workspace',
    visit: withAccess((workspaceId) => ({ access: 'read-only', workspaceId })),
    refusal: inWorkspace(READ),
  },
  { name: 'a reader of everything', visit: withAccess(() => ({ access: 'read-only' })), refusal: everywhere },
  {
    name: 'a key of another workspace',
    async visit({ dashboard, trunkline, newKey }) {
      const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Other' });
      const visit = visitor(dashboard);
      await visit.signIn({ api_key: await newKey({ workspaceId }) });
      return visit;
    },
    refusal: elsewhere,
  },
  {
    name: 'access to another workspace',
    visit: withAccess(() => ({ access: 'workspace', workspaceId: 'ten_other' })),
    refusal: elsewhere,
  },
  {
    name: 'a reader of another workspace',
    visit: withAccess(() => ({ access: 'read-only', workspaceId: 'ten_other' })),
    refusal: (needs) => (typeof needs === 'string' ? inWorkspace(READ)(needs) : 'WORKSPACE_MISMATCH'),
  },
  { name: 'no session', visit: async ({ dashboard }) => visitor(dashboard), refusal: nobody },
  { name: 'nobody, says authorize', visit: withAccess(() => null), refusal: nobody },
  {
    name: 'a session that was signed out of',
    async visit(harness) {
      const visit = await asAdmin(harness);
      const cookie = visit.cookie();
      await visit('POST', '/dashboard/api/sign-out');
      return visitor(harness.dashboard, { cookie });
    },
    refusal: nobody,
  },
  {
    name: 'an admin, from another site',
    visit: asAdmin,
    headers: { 'Sec-Fetch-Site': 'cross-site' },
    refusal: fromElsewhere,
  },
  {
    name: 'an admin, from another host of the same site',
    visit: asAdmin,
    headers: { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost' },
    refusal: fromElsewhere,
  },
];

/** For the short form: one caller per kind. */
const IN_SHORT = [
  'an admin by a link',
  'a key with one scope',
  'a reader of the workspace',
  'a key of another workspace',
  'no session',
  'an admin, from another site',
];

describe.each(isLongForm ? CALLERS : CALLERS.filter(({ name }) => IN_SHORT.includes(name)))(
  '$name',
  ({ visit, refusal, headers = {} }) => {
    it('gets the response in the table, for every route', async () => {
      const harness = await startDashboard({ dashboard: { sandbox, rateLimit: false } });
      const { workspaceId } = harness;
      const verdicts: Record<string, string | null> = {};
      const expected: Record<string, string | null> = {};
      for (const [route, needs] of Object.entries(TABLE)) {
        const [method = '', pattern = ''] = route.split(' ');
        const caller = await visit(harness);
        const path = pattern
          .replace(/^\/workspaces\/(?:\{workspace\}|:workspace)/, `/workspaces/${workspaceId}`)
          .replaceAll(/\{\w+\}|:\w+/g, 'none');
        const seen = await caller(method, `/dashboard/api${path}`, {
          headers,
          ...(method !== 'GET' && { json: {} }),
        });
        // With `authorize`, the sign-in routes do not exist.
        if (seen.code === 'NOT_FOUND' && pattern.startsWith('/sign-')) continue;
        verdicts[route] = REFUSALS.has(seen.code ?? '') ? (seen.code ?? null) : null;
        expected[route] = refusal(needs, method);
      }
      expect(verdicts).toEqual(expected);
      expect(Object.keys(verdicts).length).toBeGreaterThan(50);
    });
  },
);

const REFUSALS = new Set(['UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'WORKSPACE_MISMATCH']);

it.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['the page itself', { 'Sec-Fetch-Site': 'same-origin' }, true],
  ['the page itself, over http', { 'Sec-Fetch-Site': '', Origin: 'http://localhost' }, true],
  ['the page behind its proxy', { 'Sec-Fetch-Site': '', Origin: 'https://messages.example.com' }, true],
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, false],
  ['another site, over http', { 'Sec-Fetch-Site': '', Origin: 'http://evil.example' }, false],
  ['another port', { 'Sec-Fetch-Site': '', Origin: 'http://localhost:81' }, false],
  [
    'a name that begins in the same way',
    { 'Sec-Fetch-Site': '', Origin: 'http://localhost.evil.example' },
    false,
  ],
  ['a frame without an origin', { 'Sec-Fetch-Site': '', Origin: 'null' }, false],
  ['the address bar', { 'Sec-Fetch-Site': 'none' }, false],
  ['nobody who says', { 'Sec-Fetch-Site': '' }, false],
])('a change that comes from %s: %o, %s', async (_, headers, isAllowed) => {
  const { trunkline, signIn } = await startDashboard();
  const dashboard = createDashboard(trunkline, {
    signIn,
    publicUrl: 'https://messages.example.com/dashboard',
  });
  const { code, status } = await visitor(dashboard)('POST', '/dashboard/api/sign-out', { headers });
  expect(isAllowed ? status : code).toBe(isAllowed ? 204 : 'INSUFFICIENT_SCOPE');
});

it.each([
  ['nothing', undefined],
  ['text', 'admin'],
  ['an unknown access', { access: 'owner' }],
  ['a workspace without its id', { access: 'workspace' }],
  ['an empty id', { access: 'read-only', workspaceId: '' }],
  ['an id that is null', { access: 'read-only', workspaceId: null }],
  ['an admin of one workspace', { access: 'admin', workspaceId: 'ten_1' }],
])('an authorize that returns %s admits no user', async (_, returned) => {
  const { trunkline, workspaceId } = await startDashboard();
  const authorize = (): DashboardAccess => returned as DashboardAccess; // as a caller in JavaScript could
  const visit = visitor(createDashboard(trunkline, { authorize }));
  for (const path of ['session', 'admin/workspaces', `workspaces/${workspaceId}/messages`]) {
    expect((await visit('GET', `/dashboard/api/${path}`)).code).toBe('INTERNAL_ERROR');
  }
});

it('a suspended workspace is visible to operators of the service only, and cannot be changed', async () => {
  const harness = await startDashboard();
  const { trunkline, workspaceId, dashboard, apiKey } = harness;
  const owner = visitor(dashboard);
  await owner.signIn({ api_key: apiKey });
  await trunkline.admin.workspaces.suspend(workspaceId);
  const path = `/dashboard/api/workspaces/${workspaceId}/instances`;
  expect((await owner('GET', path)).code).toBe('WORKSPACE_SUSPENDED');
  const admin = await asAdmin(harness);
  expect((await admin('GET', path)).status).toBe(200);
  expect((await admin('POST', path, { json: {} })).code).toBe('WORKSPACE_SUSPENDED');
  await admin('POST', `/dashboard/api/admin/workspaces/${workspaceId}/resume`);
  expect((await admin('POST', path, { json: {} })).status).toBe(201);
});

it.each(['..%2f..', '%2e%2e', 'ten_1%2f..', 'ten_1%00', 'TEN', ' ', 'a'.repeat(65), '', '.'])(
  'no spelling of a workspace leads out of it: %s',
  async (spelling) => {
    const harness = await startDashboard();
    const key = visitor(harness.dashboard);
    await key.signIn({ api_key: harness.apiKey });
    const { code } = await key('GET', `/dashboard/api/workspaces/${spelling}/instances`);
    expect(['NOT_FOUND', 'WORKSPACE_MISMATCH']).toContain(code);
  },
);
