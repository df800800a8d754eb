import { screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { createServer, request } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveDashboard } from '../support/serve-dashboard.ts';
import { chooseInAccount, openAccount, signedInTab, untilLive } from '../support/tab.ts';

const browser = await testBrowser();

const title = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();
const focused = (page: Page): Promise<unknown> =>
  page.evaluate('document.activeElement.textContent || document.activeElement.name');
const ink = (page: Page): Promise<unknown> => page.evaluate('getComputedStyle(document.body).color');

describe.skipIf(browser.missing !== null)('the frame around the pages', () => {
  it('can be used without a pointer', async () => {
    const served = await serveDashboard();
    const { page, at } = await signedInTab(browser, served);
    await page.goto(at(''));
    await title(page, 'Now');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');

    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await title(page, 'Numbers');
    await page.getByRole('button', { name: 'Add a number' }).first().focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await focused(page)).toBe('name');
    await page.keyboard.type('gn?/');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('gn?/');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await eventually(async () => expect(await focused(page)).toBe('Add a number'));

    await page.keyboard.press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shortcuts.waitFor();
    expect(await focused(page)).not.toBe('Add a number');
    await page.keyboard.press('Escape');
    await shortcuts.waitFor({ state: 'detached' });
    // The focus returns a moment after the dialog has gone.
    await eventually(async () => expect(await focused(page)).toBe('Add a number'));
    await page.getByRole('button', { name: 'Acme' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitemradio', { name: 'Acme' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await eventually(async () => expect(await focused(page)).toContain('Acme'));

    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await title(page, 'Messages');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
  });

  it.runIf(isLongForm)('has the theme of the system, or the one chosen for the tab', async () => {
    const served = await serveDashboard();
    const { page, at } = await signedInTab(browser, served, { colorScheme: 'dark' });
    await page.goto(at(''));
    await title(page, 'Now');
    const dark = await ink(page);
    await chooseInAccount(page, 'Light');
    const light = await ink(page);
    expect(light).not.toBe(dark);
    await page.reload();
    await title(page, 'Now');
    expect(await ink(page)).toBe(light);
    const { page: other } = await browser.open({ beside: page });
    await other.goto(at(''));
    await title(other, 'Now');
    expect(await ink(other)).toBe(dark);
    await chooseInAccount(page, 'As the system');
    expect(await ink(page)).toBe(dark);
  });

  it.runIf(isLongForm)('speaks the language of the browser, or the one chosen for the tab', async () => {
    const served = await serveDashboard();
    const { page, at } = await signedInTab(browser, served, { locale: 'es-MX' });
    await page.goto(at('/numbers'));
    await title(page, 'Números');
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
    await chooseInAccount(page, 'English');
    await title(page, 'Numbers');
    await page.reload();
    await title(page, 'Numbers');
    expect(await page.title()).toBe('Numbers · Trunkline');
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  });

  it('has one menu of the account, in which each choice says what it is', async () => {
    const served = await serveDashboard();
    const { page, at } = await signedInTab(browser, served);
    await page.goto(at(''));
    await title(page, 'Now');
    await openAccount(page);
    for (const name of ['Workspace', 'Theme', 'Language'])
      expect(await page.getByRole('group', { name, exact: true }).count(), name).toBe(1);
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page.getByText('Signed in: Admin').waitFor();
    await screenshot(page, 'account');
  });

  it('counts what needs a person next to the page that shows it', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page, at } = await signedInTab(browser, served);
    await page.goto(at('/messages'));
    await untilLive(page);
    await page.getByRole('link', { name: 'Numbers', exact: true }).waitFor();
    await served.sandbox.phone(id).unlink();
    await page.getByRole('link', { name: 'Numbers 1 to look at' }).waitFor();
    expect(await page.getByRole('link', { name: /to look at/ }).count()).toBe(1);
  });

  it('shows what would be lost by a press in another colour', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page, at } = await signedInTab(browser, served);
    await page.goto(at(`/numbers/${id}`));
    await title(page, 'Support');
    const colourOf = (name: string): Promise<unknown> =>
      page.evaluate(
        `getComputedStyle([...document.querySelectorAll('button')].find((one) => one.textContent === '${name}')).color`,
      );
    expect(await colourOf('Delete')).not.toBe(await colourOf('Rename'));
    expect(await colourOf('Disconnect')).toBe(await colourOf('Rename'));
  });

  it('has room for a workspace with a long name', async () => {
    const served = await serveDashboard();
    const { id } = await served.trunkline.admin.workspaces.create({
      name: 'Acme Hotels International and Sons of Rotterdam',
    });
    const { page } = await signedInTab(browser, served);
    await page.goto(`${served.url}/w/${id}`);
    await title(page, 'Now');
    const account = page.getByRole('button', { name: 'Acme Hotels International' });
    const sidebar = await page.getByRole('navigation').boundingBox();
    const box = await account.boundingBox();
    expect(sidebar?.width).toBeGreaterThan(100);
    expect(box?.width).toBe(sidebar?.width);
  });

  it('darkens the whole page under a dialog, and says which name the API has for what', async () => {
    const served = await serveDashboard();
    const { page, at } = await signedInTab(browser, served);
    await page.goto(at(''));
    await title(page, 'Now');
    const ground = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const before = await ground();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('instance · ins_…').waitFor();
    expect(await ground()).not.toBe(before);
    await screenshot(page, 'help');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    expect(await ground()).toBe(before);
  });

  it.runIf(isLongForm)('shows times to a browser whose language is not a valid tag', async () => {
    const served = await serveDashboard();
    await served.connect('Support');
    const { page, at } = await signedInTab(browser, served);
    // As reported by a browser that was started in the locale C.
    await page.addInitScript("Object.defineProperty(navigator, 'languages', { value: ['en-US@posix'] })");
    await page.goto(at('/numbers'));
    await page.getByRole('link', { name: 'Support' }).click();
    await title(page, 'Support');
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  });

  it.runIf(isLongForm)('has its menu in a drawer on a phone', async () => {
    const served = await serveDashboard();
    const { page, at } = await signedInTab(browser, served, { viewport: { width: 390, height: 844 } });
    await page.goto(at(''));
    await title(page, 'Now');
    await page.getByRole('button', { name: 'Menu' }).click();
    const drawer = page.getByRole('dialog', { name: 'Menu' });
    await drawer.waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await eventually(async () => expect(await focused(page)).toBe('Menu'));
    await page.keyboard.press('Enter');
    await drawer.getByRole('link', { name: 'Numbers' }).click();
    await title(page, 'Numbers');
    await drawer.waitFor({ state: 'detached' });
  });

  it.runIf(isLongForm)('has the marks of a timeline next to its times on a phone', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page, at } = await signedInTab(browser, served, { viewport: { width: 390, height: 844 } });
    await page.goto(at(`/numbers/${id}`));
    const entries = page.getByRole('listitem').filter({ has: page.locator('time') });
    await entries.first().waitFor();
    for (const entry of await entries.all()) {
      const time = await entry.locator('time').first().boundingBox();
      const mark = await entry.locator('svg').boundingBox();
      expect(mark?.y).toBeGreaterThanOrEqual(time?.y ?? NaN);
      expect((mark?.y ?? NaN) + (mark?.height ?? NaN)).toBeLessThanOrEqual(
        (time?.y ?? NaN) + (time?.height ?? NaN),
      );
    }
  });

  it.runIf(isLongForm)('shows a next step only for the newest entry of a timeline', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page, at } = await signedInTab(browser, served);
    await page.goto(at(`/numbers/${id}`));
    const entries = page.getByRole('listitem').filter({ has: page.locator('time') });
    await entries.first().waitFor();
    // The earlier entries had next steps, such as to scan the code, but a connected number has none.
    expect(await entries.count()).toBeGreaterThan(1);
    expect((await entries.allTextContents()).filter((text) => text.includes('→'))).toEqual([]);

    await served.sandbox.phone(id).unlink();
    await eventually(async () => {
      const texts = await entries.allTextContents();
      expect(texts.map((text) => text.includes('→'))).toEqual([true, ...texts.slice(1).map(() => false)]);
    });
  });

  it.runIf(isLongForm)('leads from a short address to the page of the workspace', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { url, workspaceId, apiKey } = served;
    const { page: bound } = await signedInTab(browser, served, { apiKey });
    await bound.goto(`${url}/numbers/${id}`);
    await title(bound, 'Support');
    expect(bound.url()).toBe(`${url}/w/${workspaceId}/numbers/${id}`);

    // With two workspaces, the user chooses one first. Then, the workspace last shown in the tab counts.
    const other = await served.trunkline.admin.workspaces.create({ name: 'Other' });
    const { page } = await signedInTab(browser, served);
    await page.goto(`${url}/messages?status=failed`);
    await page.getByRole('link', { name: 'Other' }).click();
    await title(page, 'Messages');
    expect(page.url()).toBe(`${url}/w/${other.id}/messages?status=failed`);
    await page.goto(`${url}/numbers?status=connected`);
    await title(page, 'Numbers');
    expect(page.url()).toBe(`${url}/w/${other.id}/numbers?status=connected`);
    await page.goto(`${url}/workspaces`);
    await page.getByRole('link', { name: 'Chats' }).click();
    expect(page.url()).toBe(`${url}/w/${other.id}/chats`);
    await page.goto(`${url}/nothing/here`);
    await title(page, 'There is no such page.');

    const { page: first, problems } = await signedInTab(browser, served);
    problems.expect(/status of 404/);
    await first.goto(`${url}/w/ten_mistyped/numbers`);
    await first.getByRole('alert').getByText('NOT_FOUND').waitFor();
    await first.goto(url);
    await first.getByRole('link', { name: 'Acme' }).click();
    await title(first, 'Now');
  });

  it.runIf(isLongForm)('reports a missing page, and leads back', async () => {
    const served = await serveDashboard();
    const { page, at } = await signedInTab(browser, served);
    await page.goto(at('/nothing/here'));
    await title(page, 'There is no such page.');
    await page.getByRole('link', { name: 'Go to Now' }).click();
    await title(page, 'Now');
  });

  it.runIf(isLongForm)('goes back and forward, and drops parameters that no page reads', async () => {
    const served = await serveDashboard();
    await served.connect('Support');
    const { page, at } = await signedInTab(browser, served);
    await page.goto(at('/numbers?status=none&other=1'));
    await page.getByRole('link', { name: 'Support' }).waitFor();
    expect(page.url()).toBe(at('/numbers'));
    await page.getByRole('link', { name: 'Support' }).click();
    await title(page, 'Support');
    await page.goBack();
    await title(page, 'Numbers');
    await page.goForward();
    await title(page, 'Support');
  });

  it.runIf(isLongForm).each(['', '/tools/messages'])('works below the path "%s"', async (basePath) => {
    const served = await serveDashboard({ dashboard: { basePath } });
    const { page } = await browser.open();
    await page.goto(`${served.origin}${basePath}/sign-in`);
    await visit(page, served.apiKey);
    expect(page.url()).toBe(`${served.url}/w/${served.workspaceId}/numbers`);
  });

  it('works behind a proxy that adds to its path', async () => {
    const proxy = await proxyBelow('/behind');
    const publicUrl = `${proxy.origin}/behind/dashboard`;
    const served = await serveDashboard({ dashboard: { publicUrl } });
    proxy.forwardTo(served.origin);
    const { page } = await browser.open();
    await page.goto(`${publicUrl}/sign-in`);
    await visit(page, served.apiKey);
    expect(page.url()).toBe(`${publicUrl}/w/${served.workspaceId}/numbers`);
  });
});

/** Visits pages that work only if the dashboard's own addresses are right. */
async function visit(page: Page, apiKey: string): Promise<void> {
  await page.getByLabel('API key or admin token').fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await title(page, 'Now');
  await page.getByRole('link', { name: 'Numbers', exact: true }).click();
  await title(page, 'Numbers');
  await untilLive(page);
  await page.reload();
  await title(page, 'Numbers');
}

async function proxyBelow(
  prefix: string,
): Promise<{ readonly origin: string; forwardTo(origin: string): void }> {
  let target = '';
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming;
    const path = url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : '/outside';
    const forwarded = request(`${target}${path}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return { origin: `http://127.0.0.1:${address.port}`, forwardTo: (origin) => void (target = origin) };
}
