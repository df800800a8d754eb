import { screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { createSignIn } from '../../src/index.ts';
import { expectAccessible } from '../support/accessible.ts';
import { ADMIN_TOKEN, serveDashboard } from '../support/serve-dashboard.ts';
import { openAccount, signedInTab, untilLive } from '../support/tab.ts';

const browser = await testBrowser();

const HOUR = 60 * 60_000;

const field = (page: Page) => page.getByLabel('API key or admin token');

async function enter(page: Page, credential: string): Promise<void> {
  await field(page).fill(credential);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const nowPage = (page: Page): Promise<void> => page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();

describe.skipIf(browser.missing !== null)('sign-in', () => {
  it('is by the link of the start, once; its token stays nowhere', async () => {
    const served = await serveDashboard();
    const link = served.link();
    const { page } = await browser.open();
    await page.goto(link);
    await nowPage(page);
    expect(page.url()).toBe(`${served.url}/w/${served.workspaceId}`);
    const kept: unknown = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    expect(kept).not.toContain('link_');
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.goBack();
    expect(page.url()).not.toContain('token');

    const { page: late, problems } = await browser.open();
    problems.expect(/status of 401/);
    await late.goto(link);
    await late.getByText('The link could not sign you in.').waitFor();
    expect(late.url()).toBe(`${served.url}/sign-in`);
    await expectAccessible(late);
    await screenshot(late, 'sign-in-used-link');
    await enter(late, served.apiKey);
    await nowPage(late);
  });

  it.runIf(isLongForm)('shows the workspace of an API key, or all of them for the admin token', async () => {
    const served = await serveDashboard();
    await served.trunkline.admin.workspaces.create({ name: 'Other' });
    const { page } = await browser.open();
    await page.goto(`${served.url}/sign-in`);
    await page.getByText('trunkline dashboard', { exact: true }).waitFor();
    await enter(page, `  ${served.apiKey} `);
    await nowPage(page);
    await openAccount(page);
    await page.getByText('Signed in: Workspace access').waitFor();
    expect(await page.getByRole('menuitemradio', { name: 'Other' }).count()).toBe(0);

    const { page: admins, problems } = await browser.open();
    problems.expect(/status of 401/);
    await admins.goto(served.url);
    await enter(admins, ADMIN_TOKEN);
    await admins.getByRole('link', { name: 'Other' }).click();
    await nowPage(admins);
    await openAccount(admins);
    await admins.getByRole('menuitemradio', { name: 'Acme' }).click();
    await admins.waitForURL(`**/w/${served.workspaceId}`);
  });

  it.runIf(isLongForm).each([
    ['a key that nobody made', 'trk_0123456789abcdef0123456789abcdef', 'INVALID_API_KEY', 401],
    ['a wrong token', 'not the token of the admin', 'INVALID_API_KEY', 401],
  ])('refuses %s, and says so', async (_, credential, code, status) => {
    const served = await serveDashboard();
    const { page, problems } = await browser.open();
    problems.expect(new RegExp(`status of ${status}`));
    await page.goto(`${served.url}/sign-in`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Enter an API key or a token.').waitFor();
    await enter(page, credential);
    await page.getByRole('alert').getByText(code).waitFor();
    await expectAccessible(page);
    await enter(page, served.apiKey);
    await nowPage(page);
  });

  it.runIf(isLongForm)('refuses the key of a workspace that is suspended', async () => {
    const served = await serveDashboard();
    await served.trunkline.admin.workspaces.suspend(served.workspaceId);
    const { page, problems } = await browser.open();
    problems.expect(/status of 403/);
    await page.goto(`${served.url}/sign-in`);
    await enter(page, served.apiKey);
    await page.getByRole('alert').getByText('WORKSPACE_SUSPENDED').waitFor();
  });

  it.runIf(isLongForm)('comes first at every address, and leads there afterwards', async () => {
    const served = await serveDashboard();
    const { page, problems } = await browser.open();
    problems.expect(/status of 401/);
    const address = `${served.url}/w/${served.workspaceId}/numbers?status=connected`;
    await page.goto(address);
    await field(page).waitFor();
    await enter(page, served.apiKey);
    await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor();
    expect(page.url()).toBe(address);
  });

  it
    .runIf(isLongForm)
    .each(['//evil.example', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)'])(
    'leads to no other site: %s',
    async (next) => {
      const served = await serveDashboard();
      const { page } = await browser.open();
      await page.goto(`${served.url}/sign-in?next=${encodeURIComponent(next)}`);
      await enter(page, served.apiKey);
      await nowPage(page);
      expect(page.url()).toBe(`${served.url}/w/${served.workspaceId}`);
    },
  );

  it.runIf(isLongForm)(
    'is required when the session ends while a page is open, and leads back to it',
    async () => {
      let ahead = 0;
      const signIn = createSignIn({
        secretKey: 'a secret key of this test, long enough',
        now: () => Date.now() + ahead,
      });
      const served = await serveDashboard({ dashboard: { signIn } });
      const { id } = await served.connect('Support');
      const { page, problems } = await browser.open();
      await page.goto(`${served.url}/sign-in#token=${signIn.newLinkToken()}`);
      await nowPage(page);
      const address = `${served.url}/w/${served.workspaceId}/numbers/${id}`;
      await page.goto(address);
      await untilLive(page);
      problems.expect(/status of 401/);
      ahead = 12 * HOUR;
      await served.sandbox.phone(id).unlink();
      await field(page).waitFor();
      expect(await page.getByText('Support').count()).toBe(0);
      await enter(page, served.apiKey);
      await page.getByRole('heading', { level: 1, name: 'Support' }).waitFor();
      expect(page.url()).toBe(address);
      await page.getByText('Unlinked').first().waitFor();
    },
  );

  it.runIf(isLongForm)('is required once the key was revoked', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page, problems, at } = await signedInTab(browser, served, { apiKey: served.apiKey });
    await page.goto(at(`/numbers/${id}`));
    await page.getByRole('heading', { level: 1, name: 'Support' }).waitFor();
    problems.expect(/status of 401/);
    await page.getByRole('button', { name: 'Rename' }).click();
    const save = page.getByRole('button', { name: 'Save' });
    await save.waitFor();
    // Hold the reads back, because a refused read would also lead to the sign-in page.
    const saving = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.route('**/api/**', async (route) => {
      const request = route.request();
      if (request.method() === 'GET') await saving;
      await route.continue();
    });
    const [key] = await served.trunkline.admin.apiKeys.list(served.workspaceId);
    await served.trunkline.admin.apiKeys.revoke(served.workspaceId, key?.id ?? '');
    await save.click();
    await field(page).waitFor();
  });

  it.runIf(isLongForm)('is required when only the stream of hints is refused', async () => {
    const served = await serveDashboard();
    const { page, problems, at } = await signedInTab(browser, served, { apiKey: served.apiKey });
    await page.goto(at('/messages'));
    await untilLive(page);
    problems.expect(/status of 401/);
    // The page's own poll must not notice the revoked key.
    await page.route('**/messages?**', () => {});
    const [key] = await served.trunkline.admin.apiKeys.list(served.workspaceId);
    await served.trunkline.admin.apiKeys.revoke(served.workspaceId, key?.id ?? '');
    await served.trunkline.endStreams();
    await page.waitForURL('**/sign-in?**');
    await field(page).waitFor();
  });

  it.runIf(isLongForm)('ends by signing out: going back shows no data', async () => {
    const served = await serveDashboard();
    const { page, problems, at } = await signedInTab(browser, served);
    await page.goto(at('/numbers'));
    await page.getByText('No number yet.').waitFor();
    problems.expect(/status of 401/);
    await openAccount(page);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await field(page).waitFor();
    await page.goBack();
    await field(page).waitFor();
    expect(await page.getByText('No number yet.').count()).toBe(0);
  });

  it.runIf(isLongForm)('is absent if the embedding program signs people in', async () => {
    let isIn = true;
    let workspaceId = '';
    const served = await serveDashboard({
      dashboard: { authorize: () => (isIn ? { access: 'workspace', workspaceId } : null) },
    });
    ({ workspaceId } = served);
    const { page, problems } = await browser.open();
    await page.goto(served.url);
    await nowPage(page);
    await openAccount(page);
    expect(await page.getByRole('menuitem', { name: 'Sign out' }).count()).toBe(0);
    isIn = false;
    problems.expect(/status of 401/);
    problems.expect(/status of 404/);
    await page.reload();
    await enter(page, served.apiKey);
    await page.getByText('Sign-in is by the program that this dashboard is part of.').waitFor();
  });
});
