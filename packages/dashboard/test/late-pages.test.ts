import { expect, it, vi } from 'vitest';
import { visitor } from './support/browser-like.ts';
import { startDashboard } from './support/serve-dashboard.ts';

const loaded = vi.hoisted(() => ({ times: 0 }));

vi.mock('#assets', () => {
  loaded.times += 1;
  const gzip = 'H4sIAAAAAAAAAwMAAAAAAAAAAAA='; // empty content
  return { loadAssets: async () => ({ 'index.html': { type: 'text/html; charset=utf-8', gzip } }) };
});

it('the built pages are loaded when the first page is asked for, and once', async () => {
  const { dashboard, apiKey, workspaceId } = await startDashboard();
  const owner = visitor(dashboard);
  await owner.signIn({ api_key: apiKey });
  expect((await owner('GET', `/dashboard/api/workspaces/${workspaceId}/instances`)).status).toBe(200);
  expect(loaded.times).toBe(0);
  for (const path of ['/dashboard', '/dashboard/numbers'])
    expect((await owner('GET', path)).status).toBe(200);
  expect(loaded.times).toBe(1);
});
