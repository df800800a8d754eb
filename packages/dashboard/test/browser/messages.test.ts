import { screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { chooseInAccount, openWithNumber } from '../support/tab.ts';

const browser = await testBrowser();

const PNG = new Uint8Array(Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')); // prettier-ignore

/** Refuses only the first request. */
async function receiver(): Promise<string> {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = requests++ === 0 ? 500 : 200;
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return `http://127.0.0.1:${address.port}/hook`;
}

const rows = (page: Page): Promise<string[]> => page.locator('tbody tr').allTextContents();

describe.skipIf(browser.missing !== null)('messages in the dashboard', () => {
  it('are listed as they arrive, and can be searched by contact', async () => {
    const { page, api, instance, sandbox } = await openWithNumber(browser, '/messages');
    await page.getByText('No message yet.').waitFor();
    await screenshot(page, 'messages-empty');

    await api.messages.send({ instance, to: '15550100', type: 'text', text: 'Your order has left.' });
    await page.getByRole('link', { name: '+1 555 0100' }).waitFor();
    await page.locator('tbody').getByText('Read').waitFor();
    await sandbox.phone(instance).receive({ from: '15550199', text: '<b>Where</b> is it?' });
    await page.getByText('<b>Where</b> is it?').waitFor();
    await sandbox.phone(instance).receive({
      from: '15550199',
      text: 'A photo',
      file: { type: 'image', content: PNG, filename: 'parcel.png', mimeType: 'image/png' },
    });
    await page.getByText('A photo').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'messages');

    await page.keyboard.press('/');
    await page.keyboard.type('+1 555 0100');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await rows(page)).toHaveLength(1));
    expect(new URL(page.url()).searchParams.get('counterpart')).toBe('+1 555 0100');
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('No message matches.').waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await eventually(async () => expect(await rows(page)).toHaveLength(3));
    await page.getByLabel('Before').fill('2020-01-01T00:00');
    await page.getByLabel('Before').blur();
    await page.getByText('No message matches.').waitFor();
    expect(new URL(page.url()).searchParams.get('before')).toBe('2020-01-01T00:00:00.000Z');
    await page.goBack();
  });

  it.runIf(isLongForm)('go by pages, whose links can be shared', async () => {
    const { page, api, instance } = await openWithNumber(browser, '/messages');
    for (let i = 0; i < 60; i++)
      await api.messages.send({ instance, to: '15550100', type: 'text', text: `Number ${i}` });
    await page.reload();
    await page.getByRole('link', { name: 'Older' }).click();
    await eventually(async () => expect(await rows(page)).toHaveLength(10));
    const { page: second } = await browser.open({ beside: page });
    await second.goto(page.url());
    await eventually(async () => expect(await rows(second)).toEqual(await rows(page)));
    await page.getByRole('link', { name: 'Newer' }).click();
    await eventually(async () => expect(await rows(page)).toHaveLength(50));
  });

  it('name a person the same in both directions, and find them by a word', async () => {
    const { page, api, instance, phone } = await openWithNumber(browser, '/messages');
    await phone.receive({ from: '15550199', sender: { name: 'Ada Lovelace' }, text: 'Is it ready?' });
    await api.messages.send({ instance, to: '15550199', type: 'text', text: 'It is.' });
    await eventually(async () =>
      expect(await page.getByRole('link', { name: 'Ada Lovelace', exact: true }).count()).toBe(2),
    );
    await page.getByRole('searchbox').fill('Ada');
    await page.keyboard.press('Enter');
    await eventually(async () => expect(await rows(page)).toHaveLength(1));
    await page.getByRole('searchbox').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('No message matches.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('fit a phone, whatever their text is, and say what has none', async () => {
    const { page, phone } = await openWithNumber(browser, '/messages');
    await page.setViewportSize({ width: 390, height: 844 });
    await phone.receive({ from: '15550199', text: 'unbroken'.repeat(60) });
    const file = { type: 'image', content: PNG, mimeType: 'image/png' } as const;
    await phone.receive({ from: '15550199', file });
    await phone.receive({ from: '15550199', text: 'متى يصل طلبي رقم 12؟' });
    await eventually(async () => expect(await rows(page)).toHaveLength(3));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect((await rows(page)).join()).not.toMatch(/·\s*Status/);
    await screenshot(page, 'messages-long');
  });

  it('have the time of day if they are of today, and the date otherwise', async () => {
    const { page, api, instance } = await openWithNumber(browser, '/messages');
    const { message } = await api.messages.send({ instance, to: '15550100', type: 'text', text: 'Hello' });
    const time = page.locator('tbody time');
    await time.waitFor();
    expect(await time.textContent()).toMatch(/^\d{1,2}:\d{2}( [AP]M)?$/);
    const year = String(new Date().getFullYear());
    expect(await time.getAttribute('title')).toContain(year);
    await page.clock.setFixedTime(new Date(Date.parse(message.created_at) + 400 * 86_400_000));
    await page.reload();
    await time.waitFor();
    expect(await time.textContent()).toContain(year);
  });

  it('show their whole history, with each delivery and attempt', async () => {
    const { page, at, api, instance } = await openWithNumber(browser, '/webhooks');
    await api.webhooks.create({ url: await receiver(), events: ['message.sent', 'message.read'] });
    const { message } = await api.messages.send({ instance, to: '15550100', type: 'text', text: 'Hello' });
    await page.goto(at('/messages'));
    await page.getByRole('searchbox').fill(message.id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Message to +1 555 0100' }).waitFor();
    await page.getByText('It was read.').waitFor();
    await page.getByText('Will be retried').waitFor();
    await page.getByText(/attempt 1 · 500/).waitFor();
    await page.locator('li', { hasText: 'message.read' }).getByText('Delivered').waitFor();
    expect(await page.getByText('not yet').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'message');
  });

  it('show who chose which answer of a poll', async () => {
    const { page, at, api, instance, sandbox } = await openWithNumber(browser, '/messages');
    const payload = { question: 'When do you have time?', options: ['Thursday', 'Friday'], multiple: true };
    const { message } = await api.messages.send({ instance, to: '15550100', kind: 'poll', payload });
    await page.goto(at(`/messages/${message.id}`));
    await page.getByText('It was read.').waitFor();
    const phone = sandbox.phone(instance);
    const [poll] = phone.accepted();
    await phone.vote({ about: poll?.networkId ?? '', from: '15550100', options: ['Thursday', 'Friday'] });
    await page.getByText('1 · +15550100').nth(1).waitFor();
    await phone.vote({ about: poll?.networkId ?? '', from: '15550100', options: ['Friday'] });
    await page.locator('dl > div', { hasText: 'Thursday' }).getByText('0', { exact: true }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'message-poll');
  });

  it.runIf(isLongForm)('show why they have failed, and their files', async () => {
    const { page, at, api, instance, sandbox } = await openWithNumber(browser, '/messages');
    // The sandbox network refuses numbers with this ending.
    const { message } = await api.messages.send({ instance, to: '15550003', type: 'text', text: 'Hello' });
    await page.goto(at(`/messages/${message.id}`));
    await page.getByText('It failed.').waitFor();
    await screenshot(page, 'message-failed');

    await sandbox.phone(instance).receive({
      from: '15550199',
      text: 'A photo',
      file: { type: 'image', content: PNG, filename: 'parcel.png', mimeType: 'image/png' },
    });
    await page.goto(at('/messages?type=image'));
    await page.getByRole('link', { name: '+1 555 0199' }).click();
    const picture = page.getByAltText('Picture parcel.png');
    await eventually(async () =>
      expect(await picture.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(1),
    );
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download parcel.png' }).click();
    expect((await download).suggestedFilename()).toBe('parcel.png');
    await expectAccessible(page);
    await screenshot(page, 'message-with-file');
  });

  it.runIf(isLongForm)("are not found if they are another workspace's", async () => {
    const { page, problems, at, trunkline } = await openWithNumber(browser, '/messages');
    const other = await trunkline.admin.workspaces.create({ name: 'Other' });
    const { id } = await trunkline.workspace(other.id).instances.create();
    problems.expect(/404/);
    await page.goto(at(`/messages/${id.replace('ins', 'msg')}`));
    await page.getByRole('alert').getByText('MESSAGE_NOT_FOUND').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'message-not-found');
  });

  it.runIf(isLongForm)('speak Spanish', async () => {
    const { page, api, instance } = await openWithNumber(browser, '/messages');
    await api.messages.send({ instance, to: '15550100', type: 'text', text: 'Hola' });
    await chooseInAccount(page, 'Español');
    await page.getByRole('heading', { level: 1, name: 'Mensajes' }).waitFor();
    await page.locator('tbody').getByText('Leído').waitFor();
  });
});
