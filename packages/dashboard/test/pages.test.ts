import { expect, it, test } from 'vitest';
import { createDashboard } from '../src/index.ts';
import type { DashboardOptions } from '../src/index.ts';
import { visitor } from './support/browser-like.ts';
import { serveDashboard, startDashboard } from './support/serve-dashboard.ts';

it.each([
  ['/dashboard', './dashboard/'],
  ['/dashboard/', './'],
  ['/dashboard/sign-in', './'],
  ['/dashboard/w/ten_1/numbers/ins_1', '../../../'],
  ['/dashboard//w/x', '../../'],
  ['/dashboard/%2e%2e%2fx', './'],
])('the page at %s says that its root is at %s', async (path, base) => {
  const { dashboard } = await startDashboard();
  const { status, text, headers } = await visitor(dashboard)('GET', path);
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(/<base href="([^"]*)"/.exec(text)?.[1]).toBe(base);
  const root = new URL(base, `http://localhost/a-prefix${path}`).pathname;
  expect(root).toBe('/a-prefix/dashboard/');
});

it.each([
  ['/w/ten_1', ['now-page', 'en-now'], ['session', 'workspaces/ten_1/overview']],
  [
    '/w/ten_1/messages',
    ['messages-page', 'en-messages'],
    ['session', 'workspaces/ten_1/messages?origin=any&limit=50'],
  ],
  ['/w/ten_1/messages?status=failed', ['messages-page', 'en-messages'], ['session']],
  ['/w/ten_1/numbers/ins_1', ['number-page', 'en-numbers'], ['session']],
  ['/system', ['system-page', 'en-system'], ['session']],
  ['', ['home-page'], ['session']],
  ['/sign-in', ['sign-in-page', 'en-sign-in'], []],
  ['/w/%22%3E%3Cb%3E', [], []],
])('the page at %o names the files that it needs, and what it reads first', async (path, files, reads) => {
  const { dashboard } = await startDashboard();
  const { text } = await visitor(dashboard)('GET', `/dashboard${path}`);
  for (const file of files)
    expect(text).toMatch(new RegExp(`<link rel="modulepreload" [^>]*href="./assets/${file}-`));
  const read = [...text.matchAll(/<link rel="preload" as="fetch" crossorigin href="([^"]*)">/g)];
  expect(read.map(([, address]) => address)).toEqual(reads.map((address) => `./api/${address}`));
  expect(text).not.toContain('<b>');
});

it('names the texts of the language that the browser asks for', async () => {
  const { dashboard } = await startDashboard();
  const languages: readonly [string, string][] = [
    ['es-MX,es;q=0.9,en;q=0.8', 'es-numbers'],
    ['fr,en;q=0.5,es;q=0.3', 'en-numbers'],
  ];
  for (const [language, file] of languages) {
    const request = new Request('http://localhost/dashboard/w/ten_1/numbers', {
      headers: { 'Accept-Language': language },
    });
    const text = await (await dashboard.fetch(request)).text();
    expect(text.match(/\b(?:en|es)-numbers/g)).toEqual([file]);
  }
});

it('serves nothing outside of its path, and no document for a missing script', async () => {
  const { dashboard } = await startDashboard();
  const visit = visitor(dashboard);
  for (const path of ['/', '/dashboardx', '/dash', '/dashboard/../x', '/dashboard/assets/gone-1a2b.js']) {
    expect((await visit('GET', path)).code, path).toBe('NOT_FOUND');
  }
  for (const path of [
    '/dashboard/api',
    '/dashboard/api/',
    '/dashboard/api/nothing',
    '/dashboard/api/workspaces',
  ]) {
    expect((await visit('GET', path)).code, path).toBe('NOT_FOUND');
  }
});

it('the root of a host can be the dashboard, and so can any path', async () => {
  for (const basePath of ['', '/tools/trunkline']) {
    const { dashboard } = await startDashboard({ dashboard: { basePath } });
    const visit = visitor(dashboard);
    expect((await visit('GET', basePath === '' ? '/' : basePath)).status).toBe(200);
    expect((await visit('GET', `${basePath}/numbers`)).text).toContain('<base href="./"');
    expect((await visit('GET', `${basePath}/api/session`)).code).toBe('UNAUTHENTICATED');
  }
});

it('every response has the headers that keep other sites and scripts out', async () => {
  const { dashboard } = await startDashboard();
  for (const path of [
    '/dashboard',
    '/dashboard/api/session',
    '/nothing',
    '/dashboard/api/workspaces/ten_1/messages',
  ]) {
    const { headers } = await visitor(dashboard)('GET', path);
    expect(headers.get('Content-Security-Policy'), path).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:;.* frame-ancestors 'none'$/,
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
  }
});

it('an app that shows it in a frame can be named', async () => {
  const frameAncestors = ['https://app.example.com'];
  const { dashboard } = await startDashboard({ dashboard: { frameAncestors } });
  const { headers } = await visitor(dashboard)('GET', '/dashboard');
  expect(headers.get('Content-Security-Policy')).toMatch(/frame-ancestors https:\/\/app\.example\.com$/);
  expect(headers.has('X-Frame-Options')).toBe(false);
});

it('a page only reads: other methods are refused', async () => {
  const { dashboard } = await startDashboard();
  const { code, headers } = await visitor(dashboard)('POST', '/dashboard/numbers', { json: {} });
  expect(code).toBe('METHOD_NOT_ALLOWED');
  expect(headers.get('Allow')).toBe('GET, HEAD');
});

it('is served over a socket, and its link signs in', async () => {
  const { url, origin, link } = await serveDashboard();
  const page = await fetch(url);
  expect(page.status).toBe(200);
  const token = new URL(link()).hash.replace('#token=', '');
  const response = await fetch(`${url}/api/sign-in`, {
    method: 'POST',
    headers: { Origin: origin, 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  expect(response.status).toBe(200);
});

test.each<[string, object]>([
  ['basePath', { basePath: 'dashboard' }],
  ['basePath', { basePath: '/dashboard/' }],
  ['publicUrl', { publicUrl: 'messages.example.com' }],
  ['publicUrl', { publicUrl: 'https://me:hush@messages.example.com' }],
  ['frameAncestors', { frameAncestors: ['https://a.example; script-src *'] }],
  ['authorize', { authorize: 'everybody' }],
  ['signIn', { signIn: { newLinkToken: () => '' } }],
  ['sandbox', { sandbox: true }],
  ['rateLimit', { rateLimit: true }],
])('a wrong %s is named: %o', async (name, options) => {
  const { trunkline, signIn } = await startDashboard();
  const given = 'signIn' in options || 'authorize' in options ? options : { signIn, ...options };
  expect(() => createDashboard(trunkline, given as DashboardOptions)).toThrow(
    new RegExp(`createDashboard: the option "${name}" is wrong: `),
  );
});

test('requires exactly one of authorize and signIn', async () => {
  const { trunkline, signIn } = await startDashboard();
  const authorize = (): null => null;
  expect(() => createDashboard(trunkline, {})).toThrow(/give either the option "authorize"/);
  expect(() => createDashboard(trunkline, { signIn, authorize })).toThrow(/give either/);
  expect(() => createDashboard(trunkline, { signIn, basepath: '/x' } as DashboardOptions)).toThrow(
    'Did you mean "basePath"?',
  );
});
