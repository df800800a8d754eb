import { screenshot, testBrowser } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { openWithNumber } from '../support/tab.ts';

const browser = await testBrowser();

describe.skipIf(browser.missing !== null)('numbers in the dashboard', () => {
  it('say whether they are not linked yet, or no longer', async () => {
    const { page, api, phone } = await openWithNumber(browser, '/numbers');
    await api.instances.create({ name: 'Sales' });
    await phone.unlink();
    await page.getByRole('row', { name: 'Support' }).getByText('no longer linked').waitFor();
    await page.getByRole('row', { name: 'Sales' }).getByText('not linked yet').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'numbers');
  });

  it('are shown in groups, with when they were last seen, and lead to what comes next', async () => {
    const { page, api, at, phone, connect, sandbox } = await openWithNumber(browser, '/numbers');
    const { id: failed } = await connect('Sales');
    const digits = (await api.instances.get(failed)).phone_number ?? '';
    const sales = page.getByRole('row', { name: 'Sales' });
    await sales.getByText(`+1 ${digits.slice(1, 4)} ${digits.slice(4, 7)} ${digits.slice(7)}`).waitFor();
    expect(await sales.locator('time').count()).toBe(2);
    await sandbox.phone(failed).fail();
    await page.getByRole('link', { name: 'Why? Sales' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await page.getByText('Failed', { exact: true }).waitFor();

    await phone.unlink();
    await page.goto(at('/numbers'));
    await page.getByRole('button', { name: 'Link again Support' }).click();
    await page.getByRole('heading', { level: 1, name: 'Support' }).waitFor();
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
  });

  it('have their state at the left of what happened, and above it on a phone', async () => {
    const { page } = await openWithNumber(browser, (id) => `/numbers/${id}`);
    const boxOf = async (name: string) => {
      const box = await page.getByRole('region', { name }).boundingBox();
      if (box === null) throw new Error(`There is no region ${name}.`);
      return box;
    };
    await page.getByRole('region', { name: 'Timeline' }).waitFor();
    await page.getByRole('region', { name: 'About' }).getByText('Sandbox phone').waitFor();
    const [status, timeline] = [await boxOf('Status'), await boxOf('Timeline')];
    expect(status.x + status.width).toBeLessThan(timeline.x);
    await expectAccessible(page);
    await screenshot(page, 'number');
    await page.setViewportSize({ width: 390, height: 844 });
    await eventually(async () => expect((await boxOf('Status')).y).toBeLessThan((await boxOf('Timeline')).y));
    expect((await boxOf('Status')).x).toBe((await boxOf('Timeline')).x);
  });

  it('show the code to type in groups, and no age of a next step that a new code puts off', async () => {
    const { page, at, api } = await openWithNumber(browser, '/numbers');
    const { id } = await api.instances.create({ name: 'Sales' });
    await api.instances.connect(id, { pairing_phone_number: '15550111' });
    await page.goto(at(`/numbers/${id}`));
    const code = page.getByText(/^\w{4}-\w{4}$/);
    await code.waitFor();
    const { pairing_code: whole } = await api.instances.qr(id);
    expect((await code.textContent())?.replace('-', '')).toBe(whole);
    await eventually(async () =>
      expect(await page.getByText('→ Needs a scan of its code').textContent()).toMatch(/code$/),
    );
    await screenshot(page, 'number-linking');
  });
});
