import { axe, screenshot, testBrowser } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { describe, expect, it, vi } from 'vitest';
import { serveDashboard } from '../support/serve-dashboard.ts';
import { signedInTab } from '../support/tab.ts';

const browser = await testBrowser();
const MINUTE = 60_000;

describe.skipIf(browser.missing !== null)('a queued message', () => {
  it('is shown on Now if it waits for too long, and on its number with the process that holds it', async () => {
    const storage = sqliteStorage({ path: ':memory:' });
    const served = await serveDashboard({ trunkline: { storage } });
    const { trunkline, workspaceId, connect } = served;
    const { id: instanceId } = await connect('Support');
    const [process] = await trunkline.admin.processes();
    const { message } = await trunkline
      .workspace(workspaceId)
      .messages.send({ instance: instanceId, to: '15550100', type: 'text', text: 'Your order has left.' });
    // Counts are written every ten seconds.
    await eventually(async () => {
      const { data } = await trunkline.workspace(workspaceId).traffic.messages();
      expect(data[0]?.total.sent).toBe(1);
    });
    const { page, problems, at } = await signedInTab(browser, served);
    const asked = new Set<string>();
    page.on('request', (request) => {
      const [, below] = new URL(request.url()).pathname.split(`/api/workspaces/${workspaceId}/`);
      if (below !== undefined) asked.add(below);
    });
    await page.goto(at(''));
    await page.getByText('All is well.').waitFor();
    const hours = page.getByRole('region', { name: 'Messages in the last 24 hours' });
    await hours.getByText('0 received, 1 sent, 0 failed', { exact: true }).waitFor();
    expect(asked).toEqual(new Set(['overview', 'messages', 'traffic', 'events/stream']));
    await hours.getByText('As a table').click();
    expect(await hours.locator('tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/Received0Sent1Delivered\d+Failed0$/),
    ]);

    // In the sandbox, no message waits for a minute.
    const queues = vi.spyOn(storage.workload, 'queues');
    const waitsFor = (ms: number): void => {
      const oldest = { messageId: message.id, since: Date.now() - ms };
      queues.mockResolvedValue([{ instanceId, queued: 1_000, oldest, heldBy: process?.name ?? null }]);
    };
    waitsFor(MINUTE / 2);
    await page.goto(at(`/numbers/${instanceId}`));
    const waiting = page.getByRole('region', { name: 'Queue' });
    await waiting.getByText('1,000+ messages').waitFor();
    await waiting.getByText(process?.name ?? 'no name').waitFor();
    expect(await axe(page)).toEqual([]);
    await screenshot(page, 'number-queue');
    await page.goto(at(''));
    await page.getByText('All is well.').waitFor();

    waitsFor(14 * MINUTE);
    await page.getByText('1,000 messages wait.').waitFor();
    const row = page
      .getByRole('region', { name: 'Messages that wait' })
      .getByRole('row', { name: /Support.*1,000\+.*14 min/ });
    await row.waitFor();
    expect(await axe(page)).toEqual([]);
    await screenshot(page, 'now-waiting');
    await row.getByRole('link', { name: 'Support' }).click();
    await waiting.getByRole('link', { name: /the oldest for 14 min/ }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/messages/${message.id}`));
    expect(problems.list()).toEqual([]);
  });
});
