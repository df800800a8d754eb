import { picture, screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import type { TrafficRow } from '@trunkline/core/spi/storage';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { eventually } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { serveDashboard } from '../support/serve-dashboard.ts';
import { signedInTab, untilLive } from '../support/tab.ts';

const browser = await testBrowser();

const steps = (page: Page): Promise<string[]> =>
  page.getByRole('region', { name: 'First steps' }).getByRole('listitem').allTextContents();

describe.skipIf(browser.missing !== null)('the first steps on the page Now', () => {
  it('are ticked as their results appear, and are gone once a message was sent', async () => {
    const served = await serveDashboard();
    const { trunkline, workspaceId } = served;
    const api = trunkline.workspace(workspaceId);
    const [key] = await trunkline.admin.apiKeys.list(workspaceId);
    await trunkline.admin.apiKeys.revoke(workspaceId, key?.id ?? '');
    const { page, at } = await signedInTab(browser, served);
    await page.goto(at(''));
    await page.getByText('There is no number yet.').waitFor();
    await eventually(async () =>
      expect(await steps(page)).toEqual([
        'Link a number (to do)Go to Numbers',
        'Send a first message (to do)Go to Chats',
        'Add a webhook, so that your systems are notified (to do)Go to Webhooks',
        'Create an API key for your program (to do)Go to API keys',
      ]),
    );
    await expectAccessible(page);
    await untilLive(page);
    await served.newKey();
    await api.webhooks.create({ url: 'http://127.0.0.1:9/hook', events: ['message.received'] });
    const { id } = await served.connect('Support');
    await page.reload();
    await eventually(async () =>
      expect(await steps(page)).toEqual([
        'Link a number (done)',
        'Send a first message (to do)Go to Chats',
        'Add a webhook, so that your systems are notified (done)',
        'Create an API key for your program (done)',
      ]),
    );
    await screenshot(page, 'first-steps');
    await untilLive(page);
    await api.messages.send({ instance: id, to: '15550100', type: 'text', text: 'Hello' });
    await eventually(async () => expect(await steps(page)).toEqual([]));
    await page.getByText('All is well.').waitFor();
  });

  it('are not shown to a workspace that has sent messages', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const api = served.trunkline.workspace(served.workspaceId);
    await api.messages.send({ instance: id, to: '15550100', type: 'text', text: 'Hello' });
    const { page, at } = await signedInTab(browser, served);
    const read = page.waitForResponse(/messages\?direction=outbound/);
    await page.goto(at(''));
    await page.getByText('All is well.').waitFor();
    await (await read).finished();
    await page.getByRole('heading', { name: 'Messages in the last 24 hours' }).waitFor();
    expect(await steps(page)).toEqual([]);
  });
});

const QUARTER_MS = 15 * 60_000;
/** How many quarters have counts: the last eight before the present one. */
const QUARTERS = 8;
const MESSAGES = {
  received: 12,
  sent: 30,
  delivered: 27,
  read: 10,
  'failed:recipient_refused': 2,
  'class:1': 28,
  'class:4': 2,
};
const ATTEMPTS = { succeeded: 9, 'failed:HTTP_5XX': 1, 'class:1': 10 };

/** A service whose number, webhook and workspace have counts. */
async function serveWithTraffic() {
  const storage = sqliteStorage({ path: ':memory:' });
  const served = await serveDashboard({ trunkline: { storage } });
  const { workspaceId } = served;
  const { id: number } = await served.connect('Support');
  const { id: webhook } = await served.trunkline
    .workspace(workspaceId)
    .webhooks.create({ url: 'http://127.0.0.1:9/hook', events: ['message.received'] });
  const present = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS;
  const rows = Array.from({ length: QUARTERS }, (_, index): TrafficRow[] => {
    const quarter = present - (index + 1) * QUARTER_MS;
    return [
      { kind: 'workspace', id: workspaceId, quarter, counts: MESSAGES },
      { kind: 'instance', id: number, quarter, counts: MESSAGES },
      { kind: 'webhook', id: webhook, quarter, counts: ATTEMPTS },
    ];
  });
  await storage.traffic.add(rows.flat());
  return { number, webhook, ...(await signedInTab(browser, served)) };
}

describe.skipIf(browser.missing !== null)('the traffic on the page Now', () => {
  it('is shown as tiles, bars, a table and strips, and a bar opens its messages', async () => {
    const { number, webhook, page, problems, at } = await serveWithTraffic();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (/\/traffic(\/webhooks)?$/.test(pathname))
        asked.push(
          `${pathname.split('/').at(-1)} ${searchParams.get('instance') ?? searchParams.get('webhook')}`,
        );
    });
    await page.goto(at(''));
    const chart = page.getByRole('region', { name: 'Messages in the last 24 hours' });
    await chart.getByText('96 received, 240 sent, 16 failed', { exact: true }).waitFor();
    for (const text of ['of those sent; 80 read', '16 recipient_refused', '90%', 'at most 30 in a bar'])
      await page.getByText(text, { exact: true }).waitFor();
    await page
      .getByRole('row', { name: /Support/ })
      .getByRole('img', { name: '96 received, 240 sent, 16 failed' })
      .waitFor();
    await page
      .getByRole('row', { name: /127\.0\.0\.1/ })
      .getByRole('img', { name: '72 attempts accepted, 8 failed' })
      .waitFor();
    expect(asked.toSorted()).toEqual([`traffic ${number}`, 'traffic null', `webhooks ${webhook}`]);
    await screenshot(page, 'now-traffic');
    await expectAccessible(page);

    await chart.getByText('As a table').click();
    await eventually(async () => expect(await chart.locator('tbody tr').count()).toBe(QUARTERS));
    await chart.getByText('As a table').click();

    // The present quarter has no counts. The second one before it has, even if the present one ends meanwhile.
    const bar = chart.getByRole('link', { name: /received, .* sent/ });
    await bar.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    const status = chart.getByRole('status');
    expect(await status.textContent()).toMatch(/\d.*: 12 received, 30 sent, 2 failed$/);
    expect(await bar.getAttribute('aria-label')).toBe(await status.textContent());
    await picture(page, 'now-traffic-focus');
    await page.keyboard.press('Home');
    expect(await status.textContent()).toMatch(/: 0 received, 0 sent, 0 failed$/);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    const address = (await bar.getAttribute('href')) ?? '';
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith('/messages'));
    const before = Date.parse(new URL(page.url()).searchParams.get('before') ?? '');
    expect(before % QUARTER_MS).toBe(0);
    expect(Date.now() - before).toBeLessThan(3 * QUARTER_MS);
    expect(address).toContain(encodeURIComponent(new Date(before).toISOString()));
    expect(problems.list()).toEqual([]);
  });

  it('is that of the range in the address', async () => {
    const { page, problems, at } = await serveWithTraffic();
    await page.goto(at('?range=7d'));
    const ranges = page.getByRole('navigation', { name: 'Range of time' });
    const isCurrent = (name: string) =>
      ranges.getByRole('link', { name, exact: true }).getAttribute('aria-current');
    await page.getByRole('heading', { name: 'Messages in the last 7 days' }).waitFor();
    expect([await isCurrent('7 d'), await isCurrent('24 h')]).toEqual(['page', null]);
    await screenshot(page, 'now-week');
    const read = page.waitForRequest(/traffic\?.*step=day/);
    await ranges.getByRole('link', { name: '30 d' }).click();
    await page.getByRole('heading', { name: 'Messages in the last 30 days' }).waitFor();
    const { searchParams } = new URL((await read).url());
    const days = (Date.now() - Date.parse(searchParams.get('from') ?? '')) / (96 * QUARTER_MS);
    expect(Math.round(days)).toBe(30);
    await page.waitForURL(/\?range=30d$/);
    await page.getByText('Days are those of UTC.').waitFor();
    await screenshot(page, 'now-month');
    await ranges.getByRole('link', { name: '24 h' }).click();
    await page.waitForURL((url) => url.search === '');
    expect(await isCurrent('24 h')).toBe('page');
    expect(problems.list()).toEqual([]);
  });

  it('says what it cannot show, below the answer', async () => {
    const { page, problems, at } = await serveWithTraffic();
    problems.expect(/traffic|403/);
    await page.route('**/traffic?**', (route) =>
      route.fulfill({ status: 403, json: { error: { code: 'FORBIDDEN', message: 'No counts today.' } } }),
    );
    await page.goto(at(''));
    await page.getByText('All is well.').waitFor();
    await page.getByText('No counts today.').waitFor();
    await page.getByRole('row', { name: /Support.*not available/ }).waitFor();
    await screenshot(page, 'now-failed');
  });
});
