import { screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import type { ProcessReport } from '@trunkline/core/spi/storage';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { serveDashboard } from '../support/serve-dashboard.ts';
import { signedInTab } from '../support/tab.ts';

const browser = await testBrowser();

const heading = (page: Page): Promise<void> =>
  page.getByRole('heading', { level: 1, name: 'System', exact: true }).waitFor();
const process = (page: Page, name: string) => page.getByRole('row', { name });

function report(changes: Partial<ProcessReport> = {}): ProcessReport {
  const now = Date.now();
  return {
    name: 'worker-of-tests',
    roles: ['webhooks', 'a-role-of-tomorrow'],
    startedAt: now - 36 * 3_600_000,
    reportedAt: now,
    vitals: {
      host: 'trunkline-7d9f',
      pid: 17,
      runtime: 'Node.js 24.21.0',
      memoryBytes: 86_400_000,
      busyPercent: 97,
    },
    ...changes,
  };
}

describe.skipIf(browser.missing !== null)('the system in the dashboard', () => {
  it('shows that all is well, and then which process has died, what waits, and the handlers', async () => {
    const storage = sqliteStorage({ path: ':memory:' });
    const served = await serveDashboard({ trunkline: { storage } });
    const { trunkline, workspaceId, connect } = served;
    trunkline.on('message.received', async () => {}, { name: 'replies.of-ours' });
    trunkline.on('message.received', async () => Promise.reject(new Error('The CRM is down.')), {
      name: 'crm',
    });
    const number = await connect('Support');
    const { page, problems } = await signedInTab(browser, served);
    await page.goto(`${served.url}/system`);
    await heading(page);
    await page.getByText('All is well.').waitFor();
    await page.getByText('1 process runs the service.').waitFor();
    await page.getByRole('row').filter({ hasText: '1 number' }).waitFor();
    await page.getByText('in memory: lost at the end of the process').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'system');

    const { message } = await trunkline
      .workspace(workspaceId)
      .messages.send({ instance: number.id, to: '15550100', type: 'text', text: 'Later.' });
    const now = Date.now();
    // In the sandbox, no message waits for long.
    const read = storage.workload.read.bind(storage.workload);
    vi.spyOn(storage.workload, 'read').mockImplementation(async (limits) => ({
      ...(await read(limits)),
      queuedMessages: 10_000,
      openDeliveries: 613,
      oldestOpenDeliveryAt: now - 23.5 * 3_600_000,
      oldestQueuedMessage: {
        workspaceId,
        instanceId: number.id,
        messageId: message.id,
        since: now - 15 * 60_000,
      },
    }));
    const at = { now, since: now - 3_600_000 };
    await storage.processes.report(report(), at);
    await storage.processes.report(report({ name: 'died-of-tests', reportedAt: now - 300_000 }), at);
    await page.getByText('1 process is silent.').waitFor();
    await page.getByText(/10,000 messages wait to be sent, the oldest for 15 mins?\./).waitFor();
    await page.getByText(/613 webhook deliveries have not arrived, the oldest for 23 hrs?\./).waitFor();
    await process(page, 'died-of-tests').getByText('Silent').waitFor();
    const busy = process(page, 'worker-of-tests');
    for (const text of [
      'trunkline-7d9f · 17 · Node.js 24.21.0',
      'webhooks, a-role-of-tomorrow',
      '86.4 MB',
      '97%',
      '36 h',
    ])
      await busy.getByText(text).waitFor();
    expect(await page.locator('tbody tr').first().textContent()).toContain('died-of-tests');
    await screenshot(page, 'system-silent');
    await page.getByText('10,000+').waitFor();
    await page.getByRole('link', { name: /the oldest for 15 min/ }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/w/${workspaceId}/messages/${message.id}`));
    await page.goBack();

    await page.getByRole('button', { name: 'Delete crm' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete crm?' });
    await dialog.getByRole('textbox').fill('crm');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted.').waitFor();
    await page.getByRole('row', { name: /^crm/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^replies\.of-ours/ }).waitFor();
    expect(problems.list()).toEqual([]);
  });

  it.runIf(isLongForm)(
    'shows jobs without a process, and shows a reader everything except the actions',
    async () => {
      const served = await serveDashboard({
        trunkline: { roles: { gateway: false, webhooks: false, maintenance: false } },
        dashboard: { authorize: () => ({ access: 'read-only' }) },
      });
      served.trunkline.on('message.received', async () => {}, { name: 'replies.of-ours' });
      const { page, problems } = await browser.open();
      await page.goto(`${served.url}/system`);
      await page.getByText('No process holds numbers: nothing is sent or received.').waitFor();
      await page.getByText('No process sends webhooks.').waitFor();
      await page.getByText('No process does the maintenance').waitFor();
      await page.getByRole('row', { name: /^replies\.of-ours/ }).waitFor();
      expect(await page.getByRole('button', { name: /Delete|Retry/ }).count()).toBe(0);
      await screenshot(page, 'system-undone');
      expect(problems.list()).toEqual([]);
    },
  );

  it.runIf(isLongForm)('is not for a session of one workspace', async () => {
    const served = await serveDashboard();
    const { page, problems } = await signedInTab(browser, served, { apiKey: served.apiKey });
    await page.goto(`${served.url}/system`);
    await page.getByText('This is managed by those who run the service.').waitFor();
    expect(await page.getByRole('link', { name: 'System', exact: true }).count()).toBe(0);
    expect(problems.list()).toEqual([]);
  });
});
