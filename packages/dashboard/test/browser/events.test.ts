import { axe, inEachLook, picture, testBrowser } from '@trunkline/browser';
import { describe, expect, it } from 'vitest';
import { openWithNumber, untilLive } from '../support/tab.ts';

const browser = await testBrowser();

describe.skipIf(browser.missing !== null)('the page of events', () => {
  it('shows what happens, filters, pauses, and says that nothing has happened yet', async () => {
    const { page, at, api, phone, instance } = await openWithNumber(browser, '');
    await api.webhooks.create({ url: 'http://127.0.0.1:9/hook', events: ['message.received'] });
    await untilLive(page);
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    await page.getByText('Nothing has happened since this page was opened.').waitFor();

    await phone.receive({ from: '15550100', text: 'Where is my parcel?' });
    const received = page.getByRole('button', { name: 'message.received' });
    await received.waitFor();
    await received.click();
    await page.getByText('"Where is my parcel?"').waitFor();
    await page.getByRole('list', { name: 'Deliveries' }).getByRole('link').waitFor();
    await inEachLook(page, async (look) => {
      expect(await axe(page), look).toEqual([]);
      await picture(page, `events-${look}`);
    });

    await page.getByRole('button', { name: 'Pause' }).click();
    await phone.receive({ from: '15550100', text: 'Hello?' });
    await page.getByText('Paused: 1 new event waits.').waitFor();
    expect(await received.count()).toBe(1);
    await page.getByRole('button', { name: 'Go on' }).click();
    await received.nth(1).waitFor();

    await page.getByRole('combobox', { name: 'Type' }).selectOption('message.sent');
    await page.getByText('No event matches.').waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await received.nth(1).waitFor();

    await page.goto(at(`/events?instance=${instance}`));
    await page.getByRole('button', { name: 'instance.connected' }).waitFor();
    expect(await received.count()).toBe(2);
  });
});
