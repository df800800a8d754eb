import { screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import type { Principal } from '@trunkline/core';
import type { Sandbox } from '@trunkline/core/sandbox';
import { eventually, must } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { serveDashboard } from '../support/serve-dashboard.ts';
import type { HarnessOptions } from '../support/serve-dashboard.ts';
import { chooseInAccount, openWithNumber } from '../support/tab.ts';

const browser = await testBrowser();

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'); // prettier-ignore

const ANA = '15550199';

const open = (path: string | ((instance: string) => string), options?: HarnessOptions) =>
  openWithNumber(browser, path, options);

const chatWithAna = (instance: string): string => `/chats/${ANA}?instance=${instance}`;

const thread = (page: Page) => page.getByRole('log');
const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const own = (page: Page) => thread(page).getByRole('article', { name: 'You' });
const rows = (page: Page): Promise<string[]> => page.locator('tbody tr').allTextContents();

/** A string, because it runs in the page. */
const TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

const placeOf = async (page: Page, text: string): Promise<number> => {
  const box = await thread(page).getByText(text, { exact: true }).boundingBox();
  return Math.round(must(box).y);
};

describe.skipIf(browser.missing !== null)('chats in the dashboard', () => {
  it.runIf(isLongForm)(
    'are those of the only number, by their last message, and can be searched by contact',
    async () => {
      const { page, api, instance, phone } = await open('/chats');
      await page.getByText('No chat yet.').waitFor();
      await screenshot(page, 'chats-empty');
      await phone.receive({ from: ANA, sender: { name: 'Ana Pérez' }, text: 'Where is\nmy order?' });
      await page.getByRole('link', { name: 'Ana Pérez' }).waitFor();
      await page.getByText('Where is my order?').waitFor();
      await api.messages.send({ instance, to: '15550100', type: 'text', text: 'It has left.' });
      await eventually(async () => expect((await rows(page))[0]).toMatch(/\+1 555 0100.*It has left.*Read/));
      await expectAccessible(page);
      await screenshot(page, 'chats');

      await page.keyboard.press('/');
      await page.keyboard.type('ana p');
      await page.keyboard.press('Enter');
      await eventually(async () => expect(await rows(page)).toHaveLength(1));
      expect(new URL(page.url()).searchParams.get('find')).toBe('ana p');
      await page.getByRole('searchbox').fill('+1 555 0777');
      await page.keyboard.press('Enter');
      await page.getByText('No chat matches.').waitFor();
      await page.getByRole('link', { name: 'Open the chat with +1 555 0777' }).click();
      await page.getByText('No message with them yet.').waitFor();
      await screenshot(page, 'chat-empty');
    },
  );

  it.runIf(isLongForm)('are those of the chosen number if there are several', async () => {
    const { page, connect, sandbox, phone } = await open('/numbers');
    const { id: sales } = await connect('Sales');
    await phone.receive({ from: ANA, text: 'For support' });
    await sandbox.phone(sales).receive({ from: ANA, text: 'For sales' });
    await page.getByRole('link', { name: 'Chats' }).click();
    await page.getByText('Each number has chats of its own.').waitFor();
    await screenshot(page, 'chats-choice');
    await page.getByRole('link', { name: 'Sales' }).click();
    await page.getByText('For sales').waitFor();
    expect(await page.getByText('For support').count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('instance')).toBe(sales);
    await page.getByLabel('Number', { exact: true }).selectOption('Support');
    await page.getByText('For support').waitFor();
    await page.getByRole('link', { name: `+${ANA}` }).click();
    await thread(page).getByText('For support').waitFor();
    expect(await thread(page).getByText('For sales').count()).toBe(0);
  });

  it.runIf(isLongForm)('go by pages', async () => {
    const { page, api, instance } = await open('/');
    for (let i = 0; i < 55; i++)
      await api.messages.send({ instance, to: `1555010${1000 + i}`, type: 'text', text: 'Hello' });
    await page.getByRole('link', { name: 'Chats' }).click();
    await eventually(async () => expect(await rows(page)).toHaveLength(50));
    await page.getByRole('link', { name: 'Older' }).click();
    await eventually(async () => expect(await rows(page)).toHaveLength(5));
    await expectAccessible(page);
  });

  it('show a thread with a reply, which two tabs see become read', async () => {
    const { page, phone } = await open('/chats');
    await phone.receive({ from: ANA, sender: { name: 'Ana Pérez' }, text: 'Where is my order?' });
    await page.getByRole('link', { name: 'Ana Pérez' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ana Pérez' }).waitFor();
    const { page: second } = await browser.open({ beside: page });
    await second.goto(page.url());
    await thread(second).getByText('Where is my order?').waitFor();

    await field(page).fill('It has left.');
    await field(page).press('Shift+Enter');
    await field(page).pressSequentially('It comes tomorrow.');
    await field(page).press('Enter');
    for (const tab of [page, second]) {
      await own(tab).filter({ hasText: 'It has left.\nIt comes tomorrow.' }).getByText('Read').waitFor();
    }
    expect(await field(page).inputValue()).toBe('');
    await thread(second).getByRole('button', { name: 'Reply to Where is my order?' }).click();
    await field(second).fill('This one.');
    await field(second).press('Enter');
    const reply = own(page).filter({ hasText: 'This one.' });
    await reply.getByRole('button', { name: 'Replies to: Ana Pérez Where is my order?' }).click();
    await expectAccessible(page);
    await screenshot(page, 'chat');
    expect(await own(page).count()).toBe(2);

    await thread(page).getByRole('button', { name: 'React to Where is my order?' }).click();
    await expectAccessible(page);
    await thread(page).getByRole('button', { name: 'React with 👍' }).click();
    await page.getByText('The reaction 👍 is in the queue.').waitFor();
    await eventually(() => expect(phone.acted()).toMatchObject([{ deed: { emoji: '👍' } }]));

    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Block' }).click();
    await page.getByText('Blocked on this number.').waitFor();
    expect(phone.blocked()).toEqual([ANA]);
    await page.getByRole('button', { name: 'Unblock' }).click();
    await page.getByText('No longer blocked on this number.').waitFor();
    expect(phone.blocked()).toEqual([]);

    const mark = thread(page).getByRole('button', {
      name: 'Mark as read up to Where is my order?',
    });
    await mark.click();
    await page.getByText('The read mark is in the queue.').waitFor();
    await mark.waitFor({ state: 'detached' });
    await eventually(() => expect(phone.read()).toHaveLength(1));

    const [words = ''] = phone.accepted().map(({ text }) => text);
    await thread(page)
      .getByRole('button', { name: `Edit ${words}` })
      .click();
    await thread(page).getByLabel('New text').fill('Better words');
    await expectAccessible(page);
    await thread(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The edit is in the queue.').waitFor();
    await thread(page).getByText('Better words').waitFor();

    await thread(page).getByRole('button', { name: 'Delete Better words' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete for everyone' }).click();
    await page.getByText('The deletion is in the queue.').waitFor();
    await thread(page).getByText('Better words').waitFor({ state: 'detached' });
  });

  it.runIf(isLongForm)('send a file with its caption, and show a received one', async () => {
    const { page, api, phone } = await open(chatWithAna);
    await phone.receive({
      from: ANA,
      text: 'A photo',
      file: { type: 'image', content: PNG, filename: 'parcel.png', mimeType: 'image/png' },
    });
    await eventually(async () =>
      expect(
        await thread(page)
          .getByAltText('Picture parcel.png')
          .evaluate((image) => Reflect.get(image, 'naturalWidth')),
      ).toBe(1),
    );
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'invoice.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 x') });
    await page.getByRole('textbox', { name: 'Caption' }).fill('Your invoice');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await own(page).filter({ hasText: 'Your invoice' }).getByText('Read').waitFor();
    await own(page).getByRole('link', { name: 'Download invoice.pdf' }).waitFor();
    const { data } = await api.messages.list({ direction: 'outbound' });
    expect(data).toMatchObject([
      { type: 'document', caption: 'Your invoice', media: { filename: 'invoice.pdf' } },
    ]);
    await screenshot(page, 'chat-with-files');
  });

  it.runIf(isLongForm)('mark what was edited and what was deleted', async () => {
    const { page, phone } = await open(chatWithAna);
    const edited = await phone.receive({ from: ANA, text: 'Tomorow' });
    const deleted = await phone.receive({ from: ANA, text: 'A secret' });
    await thread(page).getByText('A secret').waitFor();
    await phone.edit({ about: edited, from: ANA, text: 'Tomorrow' });
    await phone.delete({ about: deleted, from: ANA });
    await thread(page).getByText('Tomorrow').waitFor();
    await thread(page).getByText('edited', { exact: true }).waitFor();
    await thread(page).getByText('Deleted by its sender.').waitFor();
    expect(await thread(page).getByText('A secret').count()).toBe(0);
  });

  it.runIf(isLongForm)('name the author of each message in a group', async () => {
    const { page, phone } = await open('/chats');
    const groupNetworkId = await phone.addGroup({ name: 'Neighbours', participantsCount: 3 });
    await phone.receive({ from: ANA, sender: { name: 'Ana Pérez' }, groupNetworkId, text: 'Hello all' });
    await phone.receive({ from: '15550177', groupNetworkId, text: 'Hello Ana' });
    await page.getByRole('link', { name: 'Neighbours' }).click();
    await page.getByRole('heading', { level: 1, name: 'Neighbours' }).waitFor();
    await thread(page).getByRole('article', { name: 'Ana Pérez' }).getByText('Hello all').waitFor();
    await thread(page).getByRole('article', { name: '+1 555 0177' }).getByText('+1 555 0177').waitFor();
    await field(page).fill('Welcome');
    await field(page).press('Enter');
    await own(page).getByText('Welcome').waitFor();
    await screenshot(page, 'chat-group');
  });

  it.runIf(isLongForm)('keep the reading position while older and newer messages arrive', async () => {
    const { page, api, instance, phone } = await open('/');
    for (let i = 0; i < 120; i++)
      await api.messages.send({ instance, to: ANA, type: 'text', text: `Number ${i}` });
    await page.getByRole('link', { name: 'Chats' }).click();
    await page.getByRole('link', { name: `+${ANA}` }).click();
    await thread(page).getByText('Number 119', { exact: true }).waitFor();
    expect(
      await thread(page).evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight),
    ).toBeLessThan(2);

    await thread(page).evaluate((area) => area.scrollTo(0, 0));
    await page.getByRole('button', { name: 'To the newest message' }).waitFor();
    const before = await placeOf(page, 'Number 70');
    await page.getByRole('button', { name: 'Older messages' }).click();
    await thread(page).getByText('Number 20', { exact: true }).waitFor();
    expect(Math.abs((await placeOf(page, 'Number 70')) - before)).toBeLessThanOrEqual(1);

    await phone.receive({ from: ANA, text: 'Are you there?' });
    await page.getByRole('button', { name: 'One new message' }).waitFor();
    expect(Math.abs((await placeOf(page, 'Number 70')) - before)).toBeLessThanOrEqual(1);
    await thread(page).getByText('Number 20', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'One new message' }).click();
    await eventually(async () =>
      expect(
        await thread(page).evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight),
      ).toBeLessThan(2),
    );
    await phone.receive({ from: ANA, text: 'Hello?' });
    await thread(page).getByText('Hello?', { exact: true }).waitFor();
    await eventually(async () =>
      expect(
        await thread(page).evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight),
      ).toBeLessThan(2),
    );

    await thread(page).evaluate((area) => area.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Older messages' }).click();
    await thread(page).getByText('This is the oldest message that is stored.').waitFor();
    await thread(page).getByText('Number 0', { exact: true }).waitFor();
    expect(await own(page).count()).toBe(120);
  });

  it.runIf(isLongForm)('keep the text when the network fails in the middle, and send it once', async () => {
    const { page, problems, api } = await open(chatWithAna);
    problems.expect(/ERR_FAILED|ERR_CONNECTION/);
    const sends = '**/messages';
    let isLost = true;
    await page.route(sends, async (route) => {
      if (route.request().method() !== 'POST' || !isLost) return route.fallback();
      await route.fetch();
      await route.abort();
    });
    await field(page).fill('Once');
    await field(page).press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByText('Whether it was sent is not known.').waitFor();
    expect(await field(page).inputValue()).toBe('Once');
    await expectAccessible(page);
    await screenshot(page, 'chat-not-sent');
    isLost = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(async () => expect(await field(page).inputValue()).toBe(''));
    await own(page).getByText('Read').waitFor();
    expect((await api.messages.list({ direction: 'outbound' })).data).toMatchObject([{ text: 'Once' }]);

    const held = Promise.withResolvers<void>();
    await page.route(sends, async (route) => {
      if (route.request().method() === 'POST') await held.promise;
      return route.fallback();
    });
    await field(page).fill('Slow');
    await field(page).press('Enter');
    await page.getByRole('button', { name: 'Sending…' }).waitFor();
    await field(page).fill('Written meanwhile');
    held.resolve();
    await own(page).filter({ hasText: 'Slow' }).getByText('Read').waitFor();
    expect(await field(page).inputValue()).toBe('Written meanwhile');

    await field(page).fill('Twice');
    await page.getByRole('button', { name: 'Send', exact: true }).dblclick();
    await own(page).filter({ hasText: 'Twice' }).getByText('Read').waitFor();
    await field(page).fill('Twice');
    await field(page).press('Enter');
    await eventually(async () => expect(await own(page).filter({ hasText: 'Twice' }).count()).toBe(2));
    expect((await api.messages.list({ direction: 'outbound' })).data).toHaveLength(4);
  });

  it.runIf(isLongForm)('show a refusal of the API, and keep the text', async () => {
    const { page, problems } = await open(chatWithAna);
    problems.expect(/422/);
    await field(page).fill('x'.repeat(4_097));
    await field(page).press('Enter');
    await page.getByRole('alert').getByText('VALIDATION_FAILED').waitFor();
    expect(await field(page).inputValue()).toHaveLength(4_097);
    await page.goto(page.url().replace(ANA, 'nobody'));
    await page.getByRole('alert').getByText('VALIDATION_FAILED').waitFor();
    await screenshot(page, 'chat-error');
  });

  it.runIf(isLongForm)('begin with a message to a number', async () => {
    const { page, problems } = await open('/chats');
    problems.expect(/422/);
    await page.getByRole('button', { name: 'New message' }).click();
    await page.getByRole('textbox', { name: 'To' }).fill('12');
    await page.getByRole('textbox', { name: 'Text' }).fill('Hello Ana');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('textbox', { name: 'To' }).fill('+1 555 0199');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await own(page).filter({ hasText: 'Hello Ana' }).getByText('Read').waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/chats\/15550199$/);
  });

  it.runIf(isLongForm)("are not harmed by a stranger's name or text", async () => {
    const { page, phone } = await open('/chats');
    await phone.receive({
      from: ANA,
      sender: { name: '\u202egnp.exe <script>alert(1)</script> ' + 'A'.repeat(200) },
      text: `\u202e${'W'.repeat(5_000)}`,
    });
    await phone.receive({
      from: '15550188',
      sender: { name: '\u200b\u202e\u2066' },
      text: `Z${'\u0300'.repeat(300)}`,
    });
    await page.getByRole('link', { name: '+1 555 0188' }).waitFor();
    const hostile = page.getByRole('link', { name: 'gnp.exe <script>' });
    await hostile.waitFor();
    expect(await hostile.textContent()).not.toMatch(/\u202e/);
    const isTooWide = (): Promise<boolean> => page.evaluate<boolean>(TOO_WIDE);
    expect(await isTooWide()).toBe(false);
    await screenshot(page, 'chats-hostile');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await isTooWide()).toBe(false);
    await hostile.click();
    await page.getByRole('button', { name: 'Show all of it' }).click();
    expect(await isTooWide()).toBe(false);
    await screenshot(page, 'chat-hostile');
    await expectAccessible(page);
  });

  it.runIf(isLongForm)('offer no field to a user who may only read', async () => {
    const { url, workspaceId, connect, sandbox } = await serveDashboard({
      dashboard: { authorize: () => ({ access: 'read-only' }) },
    });
    const { id } = await connect('Support');
    await sandbox.phone(id).receive({ from: ANA, text: 'Hello' });
    const { page } = await browser.open();
    await page.goto(`${url}/w/${workspaceId}/chats`);
    await page.getByRole('link', { name: `+${ANA}` }).click();
    await thread(page).getByText('Hello').waitFor();
    await page.getByText('Your access does not include sending.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Reply|React|New message/ }).count()).toBe(0);
  });

  it.runIf(isLongForm)('are tried in a sandbox by writing as the other side', async () => {
    const network = Promise.withResolvers<Sandbox>();
    const served = await open(chatWithAna, {
      dashboard: {
        async sandbox(request: Request, _principal: Principal) {
          const [, instance = ''] = /instances\/([^/]+)\/messages$/.exec(new URL(request.url).pathname) ?? [];
          const sandbox = await network.promise;
          const { from, text }: { from: string; text: string } = JSON.parse(await request.text());
          await sandbox.phone(instance).receive({ from, text });
          return Response.json({ data: {} }, { status: 202 });
        },
      },
    });
    network.resolve(served.sandbox);
    const { page } = served;
    await page.getByRole('button', { name: 'Write as them' }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('Hello from the other side');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Receive' }).click();
    await thread(page).getByText('Hello from the other side').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it.runIf(isLongForm)('are reached from a message, and speak Spanish', async () => {
    const { page, at, api, instance } = await open('/chats');
    const { message } = await api.messages.send({ instance, to: ANA, type: 'text', text: 'Hola' });
    const numbers = Promise.withResolvers<void>();
    await page.route(/\/instances(\?|$)/, async (route) => {
      await numbers.promise;
      await route.continue();
    });
    await page.goto(at(`/messages/${message.id}`));
    const link = page.getByRole('main').getByRole('link', { name: 'Chat' });
    await link.waitFor();
    const place = await link.boundingBox();
    const number = page.getByRole('main').getByRole('link', { name: 'Support', exact: true });
    expect(await number.count()).toBe(0);
    numbers.resolve();
    await number.waitFor();
    expect(await link.boundingBox()).toEqual(place); // a click aimed at its earlier place still hits it
    await link.click();
    await own(page).getByText('Hola').waitFor();
    await chooseInAccount(page, 'Español');
    await page.getByText('Intro envía').waitFor();
    await thread(page).getByText('Leído').waitFor();
  });
});
