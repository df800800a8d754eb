import { screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
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
