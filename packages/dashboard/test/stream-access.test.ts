import { expect, it, onTestFinished, test, vi } from 'vitest';
import type { Logger } from '@trunkline/core';
import { silentLogger } from '@trunkline/core';
import { createDashboard } from '../src/index.ts';
import type { Dashboard, DashboardAccess } from '../src/index.ts';
import { visitor } from './support/browser-like.ts';
import { startDashboard } from './support/serve-dashboard.ts';
import type { DashboardHarness } from './support/serve-dashboard.ts';

const SECOND = 1_000;

function fakeTimers(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

/** Returns a function that says whether the stream is over. */
async function openStream(
  dashboard: Dashboard,
  { workspaceId }: Pick<DashboardHarness, 'workspaceId'>,
  cookie = '',
): Promise<() => boolean> {
  const url = `http://localhost/dashboard/api/workspaces/${workspaceId}/events/stream`;
  const response = await dashboard.fetch(new Request(url, { headers: { Cookie: cookie } }));
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  onTestFinished(() => reader?.cancel());
  let isOver = false;
  void (async () => {
    while ((await reader?.read())?.done === false);
    isOver = true;
  })();
  return () => isOver;
}

test.each<[string, (harness: DashboardHarness) => Promise<unknown>]>([
  [
    'its key is revoked',
    async ({ trunkline, workspaceId }) => {
      const [key] = await trunkline.admin.apiKeys.list(workspaceId);
      return trunkline.admin.apiKeys.revoke(workspaceId, key?.id ?? '');
    },
  ],
  [
    'its workspace is suspended',
    ({ trunkline, workspaceId }) => trunkline.admin.workspaces.suspend(workspaceId),
  ],
])('the stream of a session ends within 5 s after %s', async (_, lockOut) => {
  const harness = await startDashboard();
  const owner = visitor(harness.dashboard);
  await owner.signIn({ api_key: harness.apiKey });
  fakeTimers();
  const isOver = await openStream(harness.dashboard, harness, owner.cookie());
  await vi.advanceTimersByTimeAsync(20 * SECOND);
  expect(isOver()).toBe(false);
  await lockOut(harness);
  await vi.advanceTimersByTimeAsync(5 * SECOND);
  expect(isOver()).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

type Authorize = () => Promise<DashboardAccess | null>;

/** `authorize` admits every request until the test changes it. */
async function startWithAuthorize() {
  const logged: unknown[] = [];
  const logger: Logger = { ...silentLogger, error: ({ err }) => logged.push(err) };
  const harness = await startDashboard({ trunkline: { logger } });
  const app: { authorize: Authorize } = {
    authorize: async () => ({ access: 'workspace', workspaceId: harness.workspaceId }),
  };
  const dashboard = createDashboard(harness.trunkline, { authorize: () => app.authorize() });
  return { ...harness, dashboard, app, logged };
}

const hangs: Authorize = () => new Promise(() => {});

test.each<[string, number, Authorize]>([
  ['5 s after authorize lets nobody in', 5, async () => null],
  [
    '5 s after authorize leads to another workspace',
    5,
    async () => ({ access: 'workspace', workspaceId: 'ten_2' }),
  ],
  ['5 s after authorize throws', 5, () => Promise.reject(new Error('The sessions are away.'))],
  ['15 s after authorize hangs', 15, hangs],
])('a stream ends %s', async (_, seconds, authorize) => {
  const { app, dashboard, ...harness } = await startWithAuthorize();
  fakeTimers();
  const isOver = await openStream(dashboard, harness);
  await vi.advanceTimersByTimeAsync(20 * SECOND);
  expect(isOver()).toBe(false);
  app.authorize = authorize;
  await vi.advanceTimersByTimeAsync(seconds * SECOND);
  expect(isOver()).toBe(true);
});

it('a request whose authorize hangs fails after 10 s, and the log names authorize', async () => {
  const { app, dashboard, logged } = await startWithAuthorize();
  fakeTimers();
  app.authorize = hangs;
  const visit = visitor(dashboard)('GET', '/dashboard/api/session');
  await vi.advanceTimersByTimeAsync(10 * SECOND);
  expect((await visit).code).toBe('INTERNAL_ERROR');
  expect(logged).toEqual([
    new Error('authorize of createDashboard did not settle within 10 s: give what it asks a shorter limit.'),
  ]);
  expect(vi.getTimerCount()).toBe(0);
});
