import { screenshot, testBrowser } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { openWithNumber } from '../support/tab.ts';

const browser = await testBrowser();

describe.skipIf(browser.missing !== null)('groups in the dashboard', () => {
  it('are created, and their participants changed, with an outcome for each', async () => {
    const { page } = await openWithNumber(browser, (instance) => `/numbers/${instance}`);
    const groups = page.getByRole('region', { name: 'Groups' });
    await groups.getByRole('link', { name: 'Family' }).waitFor();
    await groups.getByRole('button', { name: 'Create a group' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Climbers');
    await dialog.getByLabel('Participants').fill('+1 555 0100\n+1 555 0006');
    await dialog.getByRole('button', { name: 'Create a group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Climbers' }).waitFor();
    const people = page.getByRole('region', { name: 'Participants' }).locator('tbody tr');
    await eventually(async () => expect(await people.allTextContents()).toHaveLength(2));

    await page.getByRole('button', { name: 'Make admin: +1 555 0100' }).click();
    await page.getByRole('button', { name: 'No longer admin: +1 555 0100' }).waitFor();
    await page.getByRole('button', { name: 'Add people' }).click();
    await dialog.getByLabel('Participants').fill('+1 555 0101, +1 555 0006');
    await dialog.getByRole('button', { name: 'Add people' }).click();
    await dialog.getByText('+1 555 0006 cannot be added: send them the link of the group.').waitFor();
    await screenshot(page, 'group-add');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await people.filter({ hasText: '+1 555 0101' }).waitFor();
    await page.getByRole('button', { name: 'Show the link' }).click();
    await page.getByText('https://groups.sandbox.invalid/').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'group');
  });

  it.runIf(isLongForm)('are edited, joined by a link and left, and let people in', async () => {
    const opened = await openWithNumber(browser, (instance) => `/numbers/${instance}`);
    const { page, phone, api, instance } = opened;
    const invite = await phone.offerGroup({ name: 'Alley' });
    const groups = page.getByRole('region', { name: 'Groups' });
    await groups.getByRole('button', { name: 'Join a group' }).click();
    await page.getByLabel('The link of the group').fill(invite);
    await page.getByRole('dialog').getByRole('button', { name: 'Join a group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Alley' }).waitFor();
    await page.getByText('The number is not an admin of this group').waitFor();
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await screenshot(page, 'group-member');
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Support' }).waitFor();
    await eventually(async () => expect(await groups.getByRole('link', { name: 'Alley' }).count()).toBe(0));

    const networkId = await phone.addGroup({ name: 'Neighbours', participantsCount: 3 });
    await phone.askToJoin(networkId, '15550177');
    const [known] = (await api.instances.groups(instance)).data.filter(({ name }) => name === 'Neighbours');
    await page.goto(opened.at(`/groups/${known?.id}`));
    await page.getByRole('button', { name: 'Let in: +1 555 0177' }).click();
    await page.getByText('+1 555 0177 was let in.').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Name').fill('Street');
    await page.getByLabel('Description').fill('Fridays\nat eight');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Street' }).waitFor();
    await page.getByText('Fridays at eight').waitFor();
    expect((await api.instances.groups(instance)).data.map(({ name }) => name)).toContain('Street');
  });
});
