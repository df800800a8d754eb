import { systemRandom } from '@trunkline/core/node';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { expect, it, test, vi } from 'vitest';
import { stayingOpen } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { createDashboard, createSignIn } from '../src/index.ts';
import { visitor } from './support/browser-like.ts';
import { ADMIN_TOKEN, startDashboard } from './support/serve-dashboard.ts';

const SESSION = '/dashboard/api/session';
const HOUR = 60 * 60_000;

it('an API key signs in to its own workspace, with its own scopes', async () => {
  const { dashboard, workspaceId, apiKey, newKey } = await startDashboard();
  const owner = visitor(dashboard);
  expect((await owner(...(['GET', SESSION] as const))).code).toBe('UNAUTHENTICATED');
  const signedIn = await owner.signIn({ api_key: apiKey });
  expect(signedIn.status).toBe(200);
  expect(signedIn.json['data']).toMatchObject({
    access: 'workspace',
    workspace: { id: workspaceId, name: 'Acme' },
    features: { sandbox: false, signOut: true },
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  expect((await owner('GET', SESSION)).json).toEqual(signedIn.json);
  expect((await owner('GET', `/dashboard/api/workspaces/${workspaceId}/instances`)).status).toBe(200);

  const reader = visitor(dashboard);
  await reader.signIn({ api_key: await newKey({ scopes: ['messages:read'] }) });
  expect((await reader('GET', SESSION)).json['data']).toMatchObject({
    access: 'read-only',
    scopes: ['messages:read'],
  });
  expect((await reader('GET', `/dashboard/api/workspaces/${workspaceId}/instances`)).code).toBe(
    'INSUFFICIENT_SCOPE',
  );
});

it('the admin token signs in to every workspace', async () => {
  const { dashboard, workspaceId } = await startDashboard();
  const admin = visitor(dashboard);
  expect((await admin.signIn({ token: ADMIN_TOKEN })).json['data']).toMatchObject({
    access: 'admin',
    workspace: null,
  });
  expect((await admin('GET', `/dashboard/api/workspaces/${workspaceId}/instances`)).status).toBe(200);
  expect((await admin('GET', '/dashboard/api/workspaces/ten_none/instances')).code).toBe('NOT_FOUND');
});

it('a link signs in once, however many try it concurrently', async () => {
  const { dashboard, signIn } = await startDashboard();
  const token = signIn.newLinkToken();
  const tries = await Promise.all(Array.from({ length: 25 }, () => visitor(dashboard).signIn({ token })));
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await visitor(dashboard).signIn({ token })).code).toBe('INVALID_API_KEY');
});

it('a link holds for an hour, and a session for twelve', async () => {
  const { trunkline } = await startDashboard();
  let now = 1_800_000_000_000;
  const signIn = createSignIn({ secretKey: 'a secret key of the tests, long enough', now: () => now });
  const dashboard = createDashboard(trunkline, { signIn });
  const [early, late] = [signIn.newLinkToken(), signIn.newLinkToken()];
  now += HOUR - 1;
  const admin = visitor(dashboard);
  expect((await admin.signIn({ token: early })).status).toBe(200);
  now += 1;
  expect((await visitor(dashboard).signIn({ token: late })).code).toBe('INVALID_API_KEY');
  now += 12 * HOUR - 2;
  expect((await admin('GET', SESSION)).status).toBe(200);
  now += 1;
  expect((await admin('GET', SESSION)).code).toBe('UNAUTHENTICATED');
  // A session made by a clock that was ahead would live too long.
  now -= 13 * HOUR;
  expect((await admin('GET', SESSION)).code).toBe('UNAUTHENTICATED');
});

it('a key that is revoked ends its session', async () => {
  const { dashboard, trunkline, workspaceId, apiKey, clock } = await startDashboard();
  const owner = visitor(dashboard);
  await owner.signIn({ api_key: apiKey });
  const [key] = await trunkline.admin.apiKeys.list(workspaceId);
  await trunkline.admin.apiKeys.revoke(workspaceId, key?.id ?? '');
  await clock.advance(5_000);
  expect((await owner('GET', SESSION)).code).toBe('UNAUTHENTICATED');
  expect((await owner('GET', `/dashboard/api/workspaces/${workspaceId}/messages`)).code).toBe(
    'UNAUTHENTICATED',
  );
});

it('another admin token ends the sessions of admins', async () => {
  const { dashboard, trunkline, clock } = await startDashboard();
  const admin = visitor(dashboard);
  await admin.signIn({ token: ADMIN_TOKEN });
  const signIn = createSignIn({
    secretKey: 'a secret key of the tests, long enough',
    adminToken: 'another admin token',
    now: () => clock.now(),
  });
  const after = visitor(createDashboard(trunkline, { signIn }), { cookie: admin.cookie() });
  expect((await after('GET', SESSION)).code).toBe('UNAUTHENTICATED');
});

it('a session that was signed out of is over, even for a copy of its cookie', async () => {
  const { dashboard } = await startDashboard();
  const admin = visitor(dashboard);
  await admin.signIn({ token: ADMIN_TOKEN });
  const cookie = admin.cookie();
  const left = await admin('POST', '/dashboard/api/sign-out');
  expect(left.status).toBe(204);
  expect(left.headers.get('Set-Cookie')).toMatch(/^trunkline_dashboard=; Max-Age=0; Path=\/dashboard;/);
  expect(admin.cookie()).toBe('');
  expect((await visitor(dashboard, { cookie })('GET', SESSION)).code).toBe('UNAUTHENTICATED');
});

it('a link that was used, and a session that was signed out of, are over in every process', async () => {
  const storage = stayingOpen(sqliteStorage({ path: ':memory:' }));
  // Like separate processes, these services generate different ids.
  const shared = () => ({ trunkline: { storage, random: systemRandom() } });
  const one = await startDashboard(shared());
  const two = await startDashboard(shared());
  const token = one.signIn.newLinkToken();
  const admin = visitor(one.dashboard);
  expect((await admin.signIn({ token })).status).toBe(200);
  expect((await visitor(two.dashboard).signIn({ token })).code).toBe('INVALID_API_KEY');

  const copy = visitor(two.dashboard, { cookie: admin.cookie() });
  expect((await copy('GET', SESSION)).status).toBe(200);
  await admin('POST', '/dashboard/api/sign-out');
  await two.clock.advance(5_000);
  expect((await copy('GET', SESSION)).code).toBe('UNAUTHENTICATED');
  const three = await startDashboard(shared());
  const late = visitor(three.dashboard, { cookie: copy.cookie() });
  expect((await late('GET', SESSION)).code).toBe('UNAUTHENTICATED');
});

it('a sign-out that could not be stored fails, and keeps the cookie for another attempt', async () => {
  const storage = sqliteStorage({ path: ':memory:' });
  const { dashboard } = await startDashboard({ trunkline: { storage } });
  const admin = visitor(dashboard);
  await admin.signIn({ token: ADMIN_TOKEN });
  const spend = vi.spyOn(storage.spentTokens, 'spend').mockRejectedValueOnce(new Error('disk full'));
  const failed = await admin('POST', '/dashboard/api/sign-out');
  expect(failed.status).toBe(500);
  expect(failed.headers.get('Set-Cookie')).toBeNull();
  expect((await admin('POST', '/dashboard/api/sign-out')).status).toBe(204);
  spend.mockRestore();
});

it('a cookie that was changed anywhere is not accepted', async () => {
  const { dashboard, signIn } = await startDashboard();
  const admin = visitor(dashboard);
  await admin.signIn({ token: ADMIN_TOKEN });
  const [name = '', value = ''] = admin.cookie().split('=');
  const link = signIn.newLinkToken().replace('link_', '');
  const forged = [
    link,
    '',
    'x',
    '%00',
    'a'.repeat(100_000),
    value.slice(0, -1),
    `${value}A`,
    ...Array.from({ length: value.length - 1 }, (_, at) => {
      const other = value[at] === 'A' ? 'B' : 'A';
      return value.slice(0, at) + other + value.slice(at + 1);
    }),
  ];
  for (const one of forged) {
    const { code } = await visitor(dashboard, { cookie: `${name}=${one}` })('GET', SESSION);
    expect(code, one.slice(0, 100)).toBe('UNAUTHENTICATED');
  }
});

it('the cookie cannot be read by scripts or other sites', async () => {
  const { dashboard, trunkline, signIn } = await startDashboard();
  const plain = await visitor(dashboard).signIn({ token: ADMIN_TOKEN });
  expect(plain.headers.get('Set-Cookie')).toMatch(
    /^trunkline_dashboard=[\w-]+; Max-Age=43200; Path=\/dashboard; HttpOnly; SameSite=Strict$/,
  );
  expect(plain.headers.get('Cache-Control')).toBe('no-store');
  const secure = await visitor(dashboard, { origin: 'https://localhost' }).signIn({ token: ADMIN_TOKEN });
  expect(secure.headers.get('Set-Cookie')).toMatch(
    /^__Secure-trunkline_dashboard=.*; Secure; SameSite=Strict$/,
  );
  const publicUrl = 'https://messages.example.com/tools/dashboard';
  const behindProxy = createDashboard(trunkline, { signIn, publicUrl });
  const proxied = await visitor(behindProxy).signIn({ token: ADMIN_TOKEN });
  expect(proxied.headers.get('Set-Cookie')).toMatch(/^__Secure-.*Path=\/tools\/dashboard; HttpOnly; Secure/);
});

it('stops only the guessing client, and still lets links sign in', async () => {
  const { trunkline, signIn } = await startDashboard();
  const dashboard = createDashboard(trunkline, {
    signIn,
    clientAddress: ({ headers }) => headers.get('X-Test-Address') ?? undefined,
  });
  const from = (address: string) => visitor(dashboard, { headers: { 'X-Test-Address': address } });
  const guesses = await Promise.all(
    Array.from({ length: 100 }, (_, at) =>
      from('192.0.2.1').signIn(at % 2 ? { token: `a guess ${at}` } : { api_key: `a-guess-of-a-key-${at}` }),
    ),
  );
  expect(guesses.filter(({ code }) => code === 'INVALID_API_KEY')).toHaveLength(30);
  expect(guesses.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(70);
  const limited = await from('192.0.2.1').signIn({ token: ADMIN_TOKEN });
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect((await from('192.0.2.1').signIn({ token: signIn.newLinkToken() })).status).toBe(200);
  expect((await from('192.0.2.2').signIn({ token: ADMIN_TOKEN })).status).toBe(200);
});

it('a credential that is tried again and again is stopped, also if no address is known', async () => {
  const { dashboard } = await startDashboard();
  const codes = [];
  for (let at = 0; at < 31; at += 1)
    codes.push((await visitor(dashboard).signIn({ api_key: 'one-key-that-is-wrong' })).code);
  expect(codes.lastIndexOf('INVALID_API_KEY')).toBe(29);
  expect(codes.at(-1)).toBe('RATE_LIMITED');
  expect((await visitor(dashboard).signIn({ token: ADMIN_TOKEN })).status).toBe(200);
});

it.runIf(isLongForm)('guesses from everywhere are stopped at a bound far above', async () => {
  const { dashboard } = await startDashboard();
  for (let at = 0; at < 3_000; at += 1) await visitor(dashboard).signIn({ token: `a guess ${at}` });
  expect((await visitor(dashboard).signIn({ token: ADMIN_TOKEN })).code).toBe('RATE_LIMITED');
});

it.each<[string, unknown]>([
  ['nothing', {}],
  ['both', { api_key: 'a', token: 'b' }],
  ['a list', ['a']],
  ['something other than text', { token: { $ne: '' } }],
  ['a huge token', { token: 'a'.repeat(1_001) }],
  ['an unknown field', { token: 'a', admin: true }],
])('%s is refused as what it is', async (_, json) => {
  const { dashboard } = await startDashboard();
  expect((await visitor(dashboard)('POST', '/dashboard/api/sign-in', { json })).code).toBe(
    'VALIDATION_FAILED',
  );
});

it('an endless body is refused at its limit', async () => {
  const { dashboard } = await startDashboard();
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(1_024));
    },
  });
  const headers = { 'Content-Type': 'application/json' };
  const { code } = await visitor(dashboard)('POST', '/dashboard/api/sign-in', { body: endless, headers });
  expect(code).toBe('PAYLOAD_TOO_LARGE');
});

test.each<[string, object]>([
  ['secretKey', { secretKey: 'short' }],
  ['secretKey', { secretKey: [] }],
  ['adminToken', { secretKey: 'a'.repeat(32), adminToken: 'short' }],
])('a wrong %s is named', (name, options) => {
  expect(() => createSignIn(options as Parameters<typeof createSignIn>[0])).toThrow(
    `createSignIn: the option "${name}" is wrong: `,
  );
});
