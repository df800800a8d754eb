import { screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { chooseInAccount, openWithNumber } from '../support/tab.ts';

const browser = await testBrowser();

const field = (page: Page) => page.getByRole('dialog').getByRole('combobox');
const options = (page: Page): Promise<string[]> => page.getByRole('option').allTextContents();
const title = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await field(page).fill(text);
}

describe.skipIf(browser.missing !== null)('the search', () => {
  it('leads to a page by the keyboard alone, and gives the focus back', async () => {
    const { page } = await openWithNumber(browser, '/messages');
    await title(page, 'Messages');
    const button = page.getByRole('button', { name: 'Search', exact: true }).filter({ visible: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await field(page).waitFor();
    expect((await options(page)).slice(0, 3)).toEqual(['Now', 'Numbers', 'Messages']);
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await page.evaluate('document.activeElement.textContent')).toContain('Search'),
    );

    await page.keyboard.press('Control+k');
    await page.keyboard.press('ArrowUp');
    await eventually(async () =>
      expect(await page.locator('[role=option][aria-selected=true]').textContent()).toBe('System'),
    );
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const active = page.locator('[role=option][aria-selected=true]');
    expect(await active.textContent()).toBe('Numbers');
    expect(await field(page).getAttribute('aria-activedescendant')).toBe(await active.getAttribute('id'));
    await page.keyboard.press('Enter');
    await title(page, 'Numbers');
    await eventually(async () => expect(await page.evaluate('document.activeElement.tagName')).toBe('H1'));
  });

  it('finds numbers, webhooks, people and the words of messages', async () => {
    const { page, api, at, phone, instance } = await openWithNumber(browser, '');
    await api.webhooks.create({
      url: 'http://127.0.0.1:9/hook',
      events: ['instance.error'],
      description: 'Orders of the shop',
    });
    await phone.receive({
      from: '15550199',
      sender: { name: 'Ada Lovelace' },
      text: 'متى يصل طلبي؟ (order 12)',
    });
    await search(page, 'ord');
    await eventually(async () =>
      expect(await options(page)).toEqual([
        'All messages with “ord”',
        'Orders of the shop',
        'متى يصل طلبي؟ (order 12)Ada Lovelace',
      ]),
    );
    await page.getByText('3 results').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'search');
    await page.getByRole('option', { name: 'Orders of the shop' }).click();
    await title(page, 'Orders of the shop');

    await search(page, 'lovelace');
    const group = page.getByRole('group', { name: 'People' });
    await group.getByRole('option', { name: 'Ada Lovelace' }).click();
    await title(page, 'Ada Lovelace');
    expect(new URL(page.url()).searchParams.get('instance')).toBe(instance);

    const { phone_number: digits } = await api.instances.get(instance);
    await search(page, `+${digits?.slice(0, 5)}`);
    await page.getByRole('option', { name: 'Support' }).click();
    await title(page, 'Support');

    await search(page, 'nobody has written this');
    await page.getByText('1 result', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByText('No message matches.').waitFor();
    expect(page.url()).toBe(at('/messages?q=nobody+has+written+this'));
  });

  it('goes straight to a pasted id, and to the messages with a typed number', async () => {
    const { page, api, at, instance } = await openWithNumber(browser, '');
    const { message } = await api.messages.send({ instance, to: '15550100', type: 'text', text: 'Hello' });
    const webhook = await api.webhooks.create({ url: 'http://127.0.0.1:9/hook', events: ['instance.error'] });
    const pages = [
      [message.id, `/messages/${message.id}`],
      [instance, `/numbers/${instance}`],
      [webhook.id, `/webhooks/${webhook.id}`],
      ['+1 555 0100', '/messages?counterpart=%2B15550100'],
    ] as const;
    for (const [text, path] of pages) {
      await search(page, text);
      await page.keyboard.press('Enter');
      await page.waitForURL(at(path));
    }
  });

  it('never shows the results of earlier words, and shows a failure in place', async () => {
    const { page, problems, phone } = await openWithNumber(browser, '');
    for (const text of ['first letter', 'second letter']) await phone.receive({ from: '15550199', text });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/messages?q=first*', async (route) => {
      await released;
      await route.continue().catch(() => undefined); // the page may have given the request up
    });
    const asked = page.waitForRequest(/messages\?q=first/);
    await search(page, 'first');
    await asked;
    await field(page).fill('second');
    await page.getByRole('option', { name: 'second letter' }).waitFor();
    release();
    await page.getByText('2 results').waitFor();
    expect((await options(page)).join()).not.toContain('first letter');

    problems.expect(/status of 500/);
    const error = {
      code: 'INTERNAL_ERROR',
      message: 'The storage is away.',
      request_id: 'req_x',
      details: {},
    };
    await page.route('**/messages?q=third*', (route) => route.fulfill({ status: 500, json: { error } }));
    await field(page).fill('third');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await dialog.getByRole('alert').getByText('The storage is away.').waitFor();
    expect(await options(page)).toEqual(['All messages with “third”']);
    await page.unroute('**/messages?q=third*');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    expect(await field(page).inputValue()).toBe('third');
  });

  it.runIf(isLongForm)('speaks Spanish, and is on a phone', async () => {
    const { page } = await openWithNumber(browser, '');
    await chooseInAccount(page, 'Español');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Buscar' }).filter({ visible: true }).click();
    await field(page).fill('mensajes');
    await page.getByRole('option', { name: 'Mensajes', exact: true }).click();
    await title(page, 'Mensajes');
  });
});
