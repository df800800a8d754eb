import { picture, screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import type { Principal } from '@trunkline/core';
import type { Sandbox } from '@trunkline/core/sandbox';
import { eventually, must } from '@trunkline/test-support';
import { isLongForm, sized } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { serveDashboard } from '../support/serve-dashboard.ts';
import type { HarnessOptions } from '../support/serve-dashboard.ts';
import { chooseInAccount, openWithNumber } from '../support/tab.ts';

const browser = await testBrowser();

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'); // prettier-ignore

const ANA = '15550199';
const ANA_SHOWN = '+1 555 0199';

const open = (path: string | ((instance: string) => string), options?: HarnessOptions) =>
  openWithNumber(browser, path, options);

const chatWithAna = (instance: string): string => `/chats/${ANA}?instance=${instance}`;

const thread = (page: Page) => page.getByRole('log');
const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const own = (page: Page) => thread(page).getByRole('article', { name: 'You' });
const list = (page: Page) => page.getByRole('navigation', { name: /^Chats, the one/ });
const rows = (page: Page): Promise<string[]> => list(page).getByRole('listitem').allTextContents();
/** The actions on a message, which show when the pointer is on it. */
const actionsOn = async (page: Page, text: string) => {
  const message = thread(page)
    .getByRole('article')
    .filter({ has: page.getByRole('paragraph').filter({ hasText: text }) });
  await message.hover();
  return thread(page).getByRole('group', { name: /^Actions on/ });
};

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
      await page.getByRole('link', { name: /^Ana Pérez.*Where is my order\?.*1 unread message/ }).waitFor();
      await api.messages.send({ instance, to: '15550100', type: 'text', text: 'It has left.' });
      await eventually(async () =>
        expect((await rows(page))[0]).toMatch(/\+1 555 0100.*Sent Read.*It has left/),
      );
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
    await list(page).getByText('For sales').waitFor();
    expect(await page.getByText('For support').count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('instance')).toBe(sales);
    await page
      .getByRole('navigation', { name: 'Numbers', exact: true })
      .getByRole('link', { name: 'Support' })
      .click();
    await list(page).getByText('For support').waitFor();
    await list(page).getByRole('link', { name: ANA_SHOWN }).click();
    await thread(page).getByText('For support').waitFor();
    expect(await thread(page).getByText('For sales').count()).toBe(0);
  });

  it('are scrolled to the last one, while the page keeps some hundred rows', async () => {
    const { page, api, instance, phone, at } = await open('/', { dashboard: { rateLimit: false } });
    const last = sized('CHATS', { short: 360, long: 900 });
    for (let i = 0; i <= last; i++)
      await api.messages.send({ instance, to: `1555010${1000 + i}`, type: 'text', text: `Hello ${i}` });
    await page.goto(at('/chats'));
    await list(page).getByText(`Hello ${last}`, { exact: true }).waitFor();
    const area = list(page).locator('xpath=../..');
    const scrollTo = (edge: 'top' | 'bottom'): Promise<void> =>
      area.evaluate((element, side) => element.scrollTo(0, side === 'top' ? 0 : element.scrollHeight), edge);
    await eventually(async () => {
      await scrollTo('bottom');
      expect(await list(page).getByText('Hello 0', { exact: true }).count()).toBe(1);
    });
    expect((await rows(page)).length).toBeLessThanOrEqual(350);
    const place = await list(page).getByText('Hello 5', { exact: true }).boundingBox();

    await phone.receive({ from: ANA, text: 'Are you there?' });
    await page.getByRole('button', { name: 'To the newest chat' }).waitFor();
    expect(await list(page).getByText('Hello 5', { exact: true }).boundingBox()).toEqual(place);
    await eventually(async () => {
      await scrollTo('top');
      expect(await list(page).getByText('Are you there?').count()).toBe(1);
    });
    expect((await rows(page)).length).toBeLessThanOrEqual(350);
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
    await (
      await actionsOn(second, 'Where is my order?')
    )
      .getByRole('button', { name: 'Reply to Where is my order?' })
      .click();
    await field(second).fill('This one.');
    await field(second).press('Enter');
    const reply = own(page).filter({ hasText: 'This one.' });
    await reply.getByRole('button', { name: 'Replies to: Ana Pérez Where is my order?' }).click();
    await expectAccessible(page);
    await screenshot(page, 'chat');
    expect(await own(page).count()).toBe(2);

    const received = thread(page).getByRole('article', { name: 'Ana Pérez' });
    await (
      await actionsOn(page, 'Where is my order?')
    )
      .getByRole('button', { name: 'React to Where is my order?' })
      .click();
    await expectAccessible(page);
    await screenshot(page, 'chat-actions');
    await thread(page).getByRole('button', { name: 'React with 👍' }).click();
    await page.getByText('The reaction 👍 is in the queue.').waitFor();
    await eventually(() => expect(phone.acted()).toMatchObject([{ deed: { emoji: '👍' } }]));
    await thread(page).getByRole('list', { name: 'Reactions' }).getByText('👍').waitFor();

    await page.getByRole('button', { name: 'More about this chat' }).click();
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Block' }).click();
    await page.getByText('Blocked on this number.').waitFor();
    expect(phone.blocked()).toEqual([ANA]);
    await page.getByRole('button', { name: 'Unblock' }).click();
    await page.getByText('No longer blocked on this number.').waitFor();
    expect(phone.blocked()).toEqual([]);

    await received.hover();
    const mark = thread(page).getByRole('button', { name: 'Mark as read up to Where is my order?' });
    await mark.click();
    await page.getByText('The read mark is in the queue.').waitFor();
    await mark.waitFor({ state: 'detached' });
    await eventually(() => expect(phone.read()).toHaveLength(1));

    const [words = ''] = phone.accepted().map(({ text }) => text);
    await (await actionsOn(page, 'It has left.')).getByRole('button', { name: `Edit ${words}` }).click();
    await thread(page).getByLabel('New text').fill('Better words');
    await expectAccessible(page);
    await thread(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The edit is in the queue.').waitFor();
    await thread(page).getByText('Better words').waitFor();
    await thread(page).getByRole('button', { name: 'edited' }).click();
    await thread(page).getByRole('list', { name: 'Earlier texts' }).getByText('It has left.').waitFor();

    await (
      await actionsOn(page, 'Better words')
    )
      .getByRole('button', { name: 'Delete Better words' })
      .click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete for everyone' }).click();
    await page.getByText('The deletion is in the queue.').waitFor();
    await thread(page).getByText('Better words').waitFor({ state: 'detached' });
  });

  it('are answered by the keyboard alone', async () => {
    const { page, phone, api } = await open('/');
    const people = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gil', 'Hana', 'Ivo', 'Jo'];
    for (const [index, name] of people.entries())
      await phone.receive({ from: `1555010${1_000 + index}`, sender: { name }, text: `${name} asks` });
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    const focused = (): Promise<string> => page.evaluate<string>('document.activeElement?.textContent ?? ""');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const meaning of ['Go to the next or the previous chat', 'Reply in the open chat'])
      await shortcuts.getByText(meaning).waitFor();
    await press('Escape');
    await shortcuts.waitFor({ state: 'detached' });
    await press('g');
    await press('c');
    await list(page).getByRole('link', { name: '1 unread message' }).nth(9).waitFor();

    // An answered chat moves to the top, so the next one is always the last.
    await press('j');
    await eventually(async () => expect(await focused()).toContain('Jo asks'));
    await press('ArrowDown');
    await press('k');
    await eventually(async () => expect(await focused()).toContain('Jo asks'));
    for (let count = 0; count < people.length - 1; count++) await press('j');
    for (const name of people) {
      await eventually(async () => expect(await focused()).toContain(`${name} asks`));
      await press('Enter');
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await thread(page).getByText(`${name} asks`).waitFor();
      await eventually(async () => expect(await focused()).toBe(name));
      await press('r');
      await page.keyboard.type(`Hello ${name}`);
      await press('Enter');
      await own(page).getByText(`Hello ${name}`).waitFor();
      await list(page).getByRole('listitem').first().getByText(`Hello ${name}`).waitFor();
      await press('Escape');
      await eventually(async () => expect(await focused()).toContain(`Hello ${name}`));
      for (let count = 0; count < people.length - 1; count++) await press('j');
    }
    const { data } = await api.messages.list({ direction: 'outbound' });
    expect(data.map(({ text }) => text).toReversed()).toEqual(people.map((name) => `Hello ${name}`));
    expect(await list(page).getByText('unread message').count()).toBe(0);
    await press('k');
    await press('Enter');
    const replies = thread(page).getByRole('article');
    await replies.last().focus();
    await press('ArrowUp');
    await press('r');
    await page.getByRole('button', { name: 'Do not reply to this message' }).waitFor();
    await press('Escape');
    await page.getByRole('button', { name: 'Do not reply to this message' }).waitFor({ state: 'detached' });
  });

  it('are beside each other where there is room, and otherwise one after the other', async () => {
    const { page, phone, connect } = await open('/chats');
    await connect('Sales');
    await phone.receive({ from: ANA, sender: { name: 'Ana Pérez' }, text: 'Hello' });
    const numbers = page.getByRole('navigation', { name: 'Numbers', exact: true });
    const visible = async () => ({
      numbers: await numbers.isVisible(),
      list: await list(page).isVisible(),
      thread: await thread(page).isVisible(),
    });
    await page.reload();
    await page.setViewportSize({ width: 390, height: 844 });
    await numbers.getByRole('link', { name: 'Support' }).click();
    await list(page).getByRole('link', { name: 'Ana Pérez' }).waitFor();
    expect(await visible()).toEqual({ numbers: false, list: true, thread: false });
    await list(page).getByRole('link', { name: 'Ana Pérez' }).click();
    await thread(page).getByText('Hello').waitFor();
    expect(await visible()).toEqual({ numbers: false, list: false, thread: true });
    const address = page.url();
    await page.getByRole('link', { name: 'To the chats' }).click();
    expect(await visible()).toEqual({ numbers: false, list: true, thread: false });
    await page.getByRole('link', { name: 'Numbers', exact: true }).click();
    expect(await visible()).toEqual({ numbers: true, list: false, thread: false });

    await page.goto(address);
    await thread(page).getByText('Hello').waitFor();
    expect(await visible()).toEqual({ numbers: false, list: false, thread: true });
    await field(page).focus();
    await page.keyboard.press('Escape');
    await list(page).getByRole('link', { name: 'Ana Pérez' }).waitFor();
    await page.goto(address);
    await page.setViewportSize({ width: 820, height: 1_100 });
    await thread(page).getByText('Hello').waitFor();
    expect(await visible()).toEqual({ numbers: false, list: true, thread: true });
    await picture(page, 'chat-tablet');
    await page.setViewportSize({ width: 1_280, height: 800 });
    expect(await visible()).toEqual({ numbers: true, list: true, thread: true });
    await picture(page, 'chat-three-panes');
  });

  it('show what a message is, and nothing else', async () => {
    const { page, phone, api, instance } = await open(chatWithAna);
    await api.messages.send({ instance, to: ANA, type: 'text', text: 'Are you there?' });
    await phone.receive({
      from: ANA,
      sender: { name: 'Ada Lovelace' },
      text: 'See https://example.com/a_(b)?q=<script>, (http://other.example). javascript:alert(1)',
    });
    await phone.receive({ from: ANA, text: 'שלום, מה שלומך?' });
    await phone.receive({ from: ANA, text: `https://example.com/${'long/'.repeat(60)}` });
    await phone.call({ from: ANA, video: true });
    const links = thread(page).getByRole('link', { name: /example/ });
    await eventually(async () => expect(await links.count()).toBe(3));
    expect(await links.first().getAttribute('href')).toBe('https://example.com/a_(b)?q=');
    expect(await links.nth(1).getAttribute('href')).toBe('http://other.example/');
    for (const link of await links.all()) expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await thread(page).getByText('Ada Lovelace made a video call').waitFor();

    // One person has one name: in the list, in the head, and at each message.
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor();
    await list(page).getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    expect(await thread(page).getByRole('article', { name: 'Ada Lovelace' }).count()).toBe(3);
    expect(await page.evaluate<boolean>(TOO_WIDE)).toBe(false);
    await expectAccessible(page);
    await screenshot(page, 'chat-links');

    const times = await thread(page).getByRole('listitem').allTextContents();
    expect(times.filter((text) => text.includes('video call'))).toHaveLength(1);
    expect(times.at(-1)).toContain('video call');
  });

  it('are marked as read by choice only', async () => {
    const { page, phone, at, instance } = await open('/');
    await phone.receive({ from: ANA, sender: { name: 'Ana' }, text: 'One' });
    await phone.receive({ from: '15550188', sender: { name: 'Bo' }, text: 'Two' });
    await page.goto(at(`/chats/${ANA}?instance=${instance}`));
    await thread(page).getByText('One').waitFor();
    await page.getByRole('button', { name: 'Mark as read', exact: true }).waitFor();
    expect(phone.read()).toHaveLength(0);
    await page.getByRole('button', { name: 'More about this chat' }).click();
    await page.getByRole('checkbox', { name: 'Mark chats as read when I see them' }).check();
    await eventually(() => expect(phone.read()).toHaveLength(1));
    // The choice stays for the next chat.
    await list(page).getByRole('link', { name: 'Bo' }).click();
    await thread(page).getByText('Two').waitFor();
    await eventually(() => expect(phone.read()).toHaveLength(2));
  });

  it('take a file that is dropped or pasted', async () => {
    const { page, api } = await open(chatWithAna);
    await field(page).waitFor();
    const give = async (type: 'drop' | 'paste', name: string): Promise<void> => {
      await field(page).focus();
      await page.evaluate(`{
        const element = document.activeElement;
        const data = new DataTransfer();
        data.items.add(new File(['%PDF-1.4 x'], '${name}', { type: 'application/pdf' }));
        const options = { bubbles: true, cancelable: true };
        if ('${type}' === 'paste')
          element.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: data }));
        else
          for (const each of ['dragover', 'drop'])
            element.dispatchEvent(new DragEvent(each, { ...options, dataTransfer: data }));
      }`);
    };
    for (const [type, name] of [
      ['drop', 'dropped.pdf'],
      ['paste', 'pasted.pdf'],
    ] as const) {
      await give(type, name);
      await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
      await page.keyboard.press('Enter');
      await own(page)
        .getByRole('link', { name: `Download ${name}` })
        .waitFor();
    }
    expect((await api.messages.list({ direction: 'outbound' })).data).toMatchObject([
      { media: { filename: 'pasted.pdf' } },
      { media: { filename: 'dropped.pdf' } },
    ]);
  });

  it('send a location, a contact or a poll', async () => {
    const { page, problems, api } = await open(chatWithAna);
    problems.expect(/422/);
    const dialog = page.getByRole('dialog', { name: 'Send something else' });
    const begin = async (kind: string): Promise<void> => {
      await page.getByRole('button', { name: 'Send something else' }).click();
      await dialog.getByLabel('Kind').selectOption(kind);
    };
    const send = () => dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await begin('Location');
    await dialog.getByLabel('Latitude').fill('91');
    await dialog.getByLabel('Longitude').fill('13,4');
    await send();
    await dialog.locator('[aria-invalid="true"]').first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-other-kinds');
    await dialog.getByLabel('Latitude').fill('52.5');
    await dialog.getByLabel('Name of the place').fill('Office');
    await send();
    await own(page).getByText('Location: Office, 52.50,13.40').waitFor();
    await begin('Poll');
    await dialog.getByLabel('Question').fill('When?');
    await dialog.getByRole('textbox', { name: 'Answers' }).fill('Now\n\nLater');
    await send();
    await own(page).getByText('Poll: When? (Now, Later)').waitFor();
    await begin('Contact');
    await dialog.getByLabel('Name').fill('Bo');
    await dialog.getByLabel('Phone numbers').fill('+1 555 0188');
    await send();
    await own(page).getByText('Contact: Bo').waitFor();
    expect((await api.messages.list({ direction: 'outbound' })).data.map(({ kind }) => kind)).toEqual([
      'contact',
      'poll',
      'location',
    ]);
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
    await thread(page).getByRole('button', { name: 'edited' }).click();
    await thread(page).getByRole('list', { name: 'Earlier texts' }).getByText('Tomorow').waitFor();
    await thread(page).getByText('Deleted by its sender.').waitFor();
    await screenshot(page, 'chat-edited');
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
    await phone.call({ from: ANA, groupNetworkId });
    await thread(page).getByText('Ana Pérez called').waitFor();
    await field(page).fill('Welcome');
    await field(page).press('Enter');
    await own(page).getByText('Welcome').waitFor();
    await screenshot(page, 'chat-group');
  });

  it('keep the reading position while messages arrive, and are scrolled to the first one', async () => {
    const { page, api, instance, phone, at } = await open('/', { dashboard: { rateLimit: false } });
    const last = sized('CHAT_MESSAGES', { short: 420, long: 900 });
    for (let i = 0; i <= last; i++)
      await api.messages.send({ instance, to: ANA, type: 'text', text: `Number ${i}` });
    await page.goto(at(`/chats/${ANA}?instance=${instance}`));
    await thread(page).getByText(`Number ${last}`, { exact: true }).waitFor();
    const isAtEnd = (): Promise<boolean> =>
      thread(page).evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight < 2);
    expect(await isAtEnd()).toBe(true);

    // Older messages are read before the user reaches the oldest loaded one.
    await thread(page).evaluate((area) => area.scrollTo(0, 400));
    await page.getByRole('button', { name: 'To the newest message' }).waitFor();
    await thread(page)
      .getByText(`Number ${last - 80}`, { exact: true })
      .waitFor();
    const text = `Number ${last - 45}`;
    await thread(page).getByText(text, { exact: true }).scrollIntoViewIfNeeded();
    const before = await placeOf(page, text);
    await phone.receive({ from: ANA, text: 'Are you there?' });
    await page.getByRole('button', { name: 'One new message' }).waitFor();
    expect(Math.abs((await placeOf(page, text)) - before)).toBeLessThanOrEqual(1);
    await page.getByRole('button', { name: 'One new message' }).click();
    await eventually(async () => expect(await isAtEnd()).toBe(true));
    await phone.receive({ from: ANA, text: 'Hello?' });
    await thread(page).getByText('Hello?', { exact: true }).waitFor();
    await eventually(async () => expect(await isAtEnd()).toBe(true));

    await eventually(async () => {
      await thread(page).evaluate((area) => area.scrollTo(0, 0));
      expect(await thread(page).getByText('Number 0', { exact: true }).count()).toBe(1);
    });
    await thread(page).getByText('This is the oldest message that is stored.').waitFor();
    expect(await thread(page).getByRole('article').count()).toBeLessThanOrEqual(350);
    await page.getByRole('button', { name: 'To the newest message' }).click();
    await thread(page).getByText('Hello?', { exact: true }).waitFor();
    await eventually(async () => expect(await isAtEnd()).toBe(true));
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
    expect(await hostile.locator('bdi').first().textContent()).not.toMatch(/\u202e/);
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
    await page.getByRole('link', { name: ANA_SHOWN }).click();
    await thread(page).getByText('Hello').waitFor();
    await page.getByText('Your access does not include sending.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await actionsOn(page, 'Hello');
    await thread(page).getByRole('link', { name: 'Details of Hello' }).waitFor();
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
