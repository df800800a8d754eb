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
