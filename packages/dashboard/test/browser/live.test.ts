import { heapBytes, testBrowser } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { serveDashboard } from '../support/serve-dashboard.ts';
import { signedInTab, untilIndicator, untilLive } from '../support/tab.ts';

const browser = await testBrowser();

const STREAM = '**/events/stream?**';
const KIB = 1_024;

describe.skipIf(browser.missing !== null)('a page of the dashboard', () => {
  it('shows in one browser what is done in another', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page: admin, at } = await signedInTab(browser, served);
    const { page: owner } = await signedInTab(browser, served, { apiKey: served.apiKey, locale: 'es-ES' });
    await admin.goto(at(`/numbers/${id}`));
    await owner.goto(at('/numbers'));
    await untilLive(admin);
    await untilIndicator(owner, 'En vivo');

    await admin.getByRole('button', { name: 'Disconnect' }).click();
    await admin.getByRole('alertdialog').getByRole('button', { name: 'Disconnect' }).click();
    await owner.locator('tbody').getByText('Desconectado').waitFor();

    await owner.getByRole('link', { name: 'Support' }).click();
    await owner.getByRole('button', { name: 'Conectar' }).click();
    await admin.getByRole('status').getByText('Connected', { exact: true }).waitFor();
  });

  it.each([
    ['a proxy refuses the stream', { status: 502, contentType: 'text/html', body: 'Bad gateway' }],
    ['a proxy ends each stream at once', { status: 200, contentType: 'text/event-stream', body: '' }],
  ])('asks every few seconds where %s, and is live again when it gets through', async (_, answer) => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page, problems, at } = await signedInTab(browser, served);
    if (answer.status !== 200) problems.expect(/status of 502/);
    // Its timers alone: the minutes in between are not waited for.
    await page.clock.install();
    await page.route(STREAM, (route) => route.fulfill(answer));
    await page.goto(at('/numbers'));
    await page.locator('tbody').getByText('Connected').waitFor();
    await eventually(async () => {
      await page.clock.fastForward(2_000);
      expect(await page.getByText('Every 10 s').filter({ visible: true }).count()).toBe(1);
    });
    await served.sandbox.phone(id).unlink();
    await eventually(async () => {
      await page.clock.fastForward(10_000);
      expect(await page.locator('tbody').getByText('Unlinked').count()).toBe(1);
    });
    await page.unroute(STREAM);
    await eventually(async () => {
      await page.clock.fastForward(30_000);
      expect(await page.getByText('Live', { exact: true }).filter({ visible: true }).count()).toBe(1);
    });
  });

  it('says that the service is away, keeps what it has read, and catches up', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page, problems, at } = await signedInTab(browser, served);
    await page.goto(at('/numbers'));
    await page.locator('tbody').getByText('Connected').waitFor();
    await untilLive(page);
    await page.context().setOffline(true);
    await untilIndicator(page, 'Offline');
    await served.sandbox.phone(id).unlink();
    expect(await page.locator('tbody').getByText('Connected').count()).toBe(1);
    await page.context().setOffline(false);
    await page.locator('tbody').getByText('Unlinked').waitFor();
    await untilLive(page);
    expect(problems.list().filter((problem) => !/INTERNET_DISCONNECTED/.test(problem))).toEqual([]);
  });

  it('does not grow: 1,000 hints, then 100 changes of the page', async () => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page, at } = await signedInTab(browser, served);
    const last = (text: string): Promise<void> => page.locator('tbody').getByText(text).waitFor();
    await page.goto(at('/messages'));
    await untilLive(page);
    const phone = served.sandbox.phone(id);
    // A whole page of them, so that what is shown stays the same.
    for (let count = 1; count <= 60; count++)
      await phone.receive({ from: '15550100', text: `Before ${count}` });
    await last('Before 60');
    const before = await heapBytes(page);
    for (let count = 1; count <= 1_000; count++)
      await phone.receive({ from: '15550100', text: `Message ${count}` });
    await last('Message 1000');
    expect((await heapBytes(page)) - before).toBeLessThan(20 * KIB * KIB);
    for (let count = 0; count < 50; count++) {
      for (const name of ['Numbers', 'Messages']) {
        await page.getByRole('link', { name, exact: true }).click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
      }
    }
    expect((await heapBytes(page)) - before).toBeLessThan(20 * KIB * KIB);
  });
});
