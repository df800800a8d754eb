import { axe, screenshot, testBrowser } from '@trunkline/browser';
import { createSandbox } from '@trunkline/core/sandbox';
import { describe, expect, it } from 'vitest';
import { serveDashboard } from '../support/serve-dashboard.ts';
import { signedInTab } from '../support/tab.ts';

const browser = await testBrowser();

describe.skipIf(browser.missing !== null)('a number that is linked by credentials', () => {
  it('is added with them, or gets them on its page, and they can be replaced', async () => {
    const gateways = [createSandbox().gateway, createSandbox({ linkedBy: 'credentials' }).gateway];
    const served = await serveDashboard({ trunkline: { gateways } });
    const { page, problems, at } = await signedInTab(browser, served);
    await page.goto(at('/numbers'));
    await page.getByRole('button', { name: 'Add a number' }).first().click();
    expect(await page.getByLabel('access_token').count()).toBe(0);
    await page.getByLabel('Network').selectOption({ label: 'Sandbox with credentials' });
    await page.getByLabel('phone_number').fill('15550177');
    expect(await page.getByLabel('access_token').getAttribute('type')).toBe('password');
    await page.getByLabel('access_token').fill('sesame');
    problems.expect(/status of 422/);
    expect(await axe(page)).toEqual([]);
    await screenshot(page, 'add-number-with-credentials');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('does not know this access_token').waitFor();
    await page.getByLabel('access_token').fill('sandbox-sesame');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Linked by credentials.').waitFor();
    await page.getByText('Messages are sent and received.').waitFor();
    await page.getByRole('button', { name: 'Credentials' }).click();
    await page.getByLabel('phone_number').fill('15550177');
    await page.getByLabel('access_token').fill('sandbox-newer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The credentials were stored.').waitFor();

    const api = served.trunkline.workspace(served.workspaceId);
    const { id } = await api.instances.create({ network: 'sandbox_credentials', name: 'Later' });
    await api.instances.connect(id);
    await page.goto(at(`/numbers/${id}`));
    await page.getByText('Give it the credentials of the number.').waitFor();
    expect(await axe(page)).toEqual([]);
    await screenshot(page, 'number-without-credentials');
    await page.getByLabel('phone_number').fill('15550178');
    await page.getByLabel('access_token').fill('sandbox-sesame');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Messages are sent and received.').waitFor();
    expect(problems.list()).toEqual([]);
  });
});
