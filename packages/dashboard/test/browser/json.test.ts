import { axe, inEachLook, picture, testBrowser } from '@trunkline/browser';
import { describe, expect, it } from 'vitest';
import { openWithNumber } from '../support/tab.ts';

const browser = await testBrowser();

const HOSTILE = {
  count: 2,
  isFirst: true,
  nothing: null,
  'name\u202Ewith bidi': 'x\u202Ecod.exe',
  markup: '<img src=x onerror=alert(1)>',
  long: 'long '.repeat(200_000),
  many: Array.from({ length: 100_000 }, (_, index) => index),
  deep: JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`),
};

describe.skipIf(browser.missing !== null)('JSON', () => {
  it('is a tree for the keyboard, of which a part is drawn, whatever it contains', async () => {
    const { page, at, api, instance } = await openWithNumber(browser, '/messages');
    const { message } = await api.messages.send({ instance, to: '15550100', type: 'text', text: 'Hello' });
    await page.route(`**/messages/${message.id}`, async (route) => {
      if (route.request().resourceType() === 'document') return route.continue();
      const response = await route.fetch();
      const { data } = await response.json();
      return route.fulfill({ response, json: { data: { ...data, payload: HOSTILE } } });
    });
    await page.goto(at(`/messages/${message.id}`));
    const view = page.getByRole('group', { name: 'Fields' });
    await view.getByText('"<img src=x onerror=alert(1)>"').waitFor();
    await view.getByText(String.raw`"x\u202ecod.exe"`).waitFor();
    await view.getByText(String.raw`name\u202ewith bidi`).waitFor();
    expect(await view.getByRole('listitem').count()).toBeLessThan(200);
    expect((await view.textContent())?.length).toBeLessThan(5_000);

    const many = view.getByRole('button', { name: /many/ });
    await many.focus();
    await page.keyboard.press('Enter');
    await view.getByText('99', { exact: true }).last().waitFor();
    const shown = await view.getByRole('listitem').count();
    expect(shown).toBeLessThan(300);
    await view.getByRole('button', { name: 'Show more (99,900 left)' }).click();
    await view.getByRole('button', { name: 'Show more (99,800 left)' }).waitFor();
    await inEachLook(page, async (look) => {
      expect(await axe(page), look).toEqual([]);
      await picture(page, `json-${look}`);
    });
    await many.click();
    expect(await many.getAttribute('aria-expanded')).toBe('false');
    await view.getByRole('button', { name: 'Copy Fields' }).waitFor();
  });
});
