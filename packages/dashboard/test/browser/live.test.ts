import { heapBytes, testBrowser } from '@trunkline/browser';
import { eventually, HANG_MS } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { serveDashboard } from '../support/serve-dashboard.ts';
import { signedInTab, untilIndicator, untilLive } from '../support/tab.ts';

const browser = await testBrowser();

const REPORTS = new URL('../../../../reports/', import.meta.url);
const STREAM = '**/events/stream?**';
const KIB = 1_024;
const HOUR_MS = 3_600_000;
/** How many messages arrive in an hour of the page's clock: `HOUR_MESSAGES=20000`. */
const HOUR_MESSAGES = Number(process.env['HOUR_MESSAGES'] ?? 300);

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

    await owner.getByRole('button', { name: 'Ritmo', exact: true }).click();
    await owner.getByRole('combobox', { name: 'Ritmo' }).selectOption('gentle');
    await owner.getByRole('button', { name: 'Guardar' }).click();
    await owner.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await served.trunkline.workspace(served.workspaceId).instances.get(id)).toMatchObject({
      pace: 'gentle',
    });
    await owner.getByText(/^Los mensajes salen despacio/).waitFor();
  });

  it.runIf(isLongForm).each([
    ['a proxy refuses the stream', { status: 502, contentType: 'text/html', body: 'Bad gateway' }],
    ['a proxy ends each stream immediately', { status: 200, contentType: 'text/event-stream', body: '' }],
  ])('asks every few seconds where %s, and is live again when it gets through', async (_, answer) => {
    const served = await serveDashboard();
    const { id } = await served.connect('Support');
    const { page, problems, at } = await signedInTab(browser, served);
    if (answer.status !== 200) problems.expect(/status of 502/);
    await page.clock.install();
    await page.route(STREAM, (route) => route.fulfill(answer));
    await page.goto(at('/numbers'));
    await page.locator('tbody').getByText('Connected').waitFor();
    await eventually(async () => {
      await page.clock.fastForward(2_000);
      expect(await page.getByText('Every 10 s').filter({ visible: true }).count()).toBe(1);
    });
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    const place = await navigation.boundingBox();
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
    expect(await navigation.boundingBox()).toEqual(place);
  });

  it.runIf(isLongForm)('shows that the service is unreachable, keeps its data, and catches up', async () => {
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

  it.runIf(isLongForm)(
    'does not grow in an hour: hints, then changes of the page, then a chat that continues',
    { timeout: 5 * HANG_MS + 3 * HOUR_MESSAGES * 400 },
    async () => {
      const served = await serveDashboard({ dashboard: { rateLimit: false } });
      const { id } = await served.connect('Support');
      const { page, at } = await signedInTab(browser, served);
      const phone = served.sandbox.phone(id);
      const receive = async (count: number, text: string): Promise<void> => {
        for (let number = 1; number <= count; number++) {
          await phone.receive({ from: '15550100', text: `${text} ${number}` });
          // Advances the page's clock by less than a stream may be silent.
          if (number % 5 === 0) await page.clock.fastForward((5 * HOUR_MS) / HOUR_MESSAGES);
        }
      };
      const last = (text: string): Promise<void> =>
        page.getByText(text).filter({ visible: true }).first().waitFor();

      await page.clock.install();
      await page.goto(at('/messages'));
      await untilLive(page);
      // Fill a page, so that the number of shown messages stays the same.
      await receive(60, 'Before');
      await last('Before 60');
      const before = await heapBytes(page);
      const grown: number[] = [];
      const checkGrowth = async (): Promise<void> => {
        grown.push((await heapBytes(page)) - before);
        expect(Math.max(...grown)).toBeLessThan(20 * KIB * KIB);
      };

      await receive(HOUR_MESSAGES, 'Message');
      await last(`Message ${HOUR_MESSAGES}`);
      await checkGrowth();

      for (let count = 0; count < HOUR_MESSAGES / 20; count++) {
        await page.clock.fastForward(HOUR_MS / 100);
        for (const name of ['Numbers', 'Messages']) {
          await page.getByRole('link', { name, exact: true }).click();
          await page.getByRole('heading', { level: 1, name }).waitFor();
        }
      }
      await checkGrowth();

      await page.goto(at(`/chats/15550100?instance=${id}`));
      await receive(HOUR_MESSAGES, 'Chat');
      await last(`Chat ${HOUR_MESSAGES}`);
      await eventually(async () => {
        await page.clock.fastForward(10_000);
        expect(await page.getByRole('log').getByRole('article').count()).toBeLessThanOrEqual(300);
      });
      await checkGrowth();
      await mkdir(REPORTS, { recursive: true });
      const report = { messages: HOUR_MESSAGES, grown_bytes: grown };
      await writeFile(new URL('dashboard-hour.json', REPORTS), `${JSON.stringify(report)}\n`);
    },
  );
});
