import { axe, screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const MAIN = new URL('../start.js', import.meta.url);

const browser = await testBrowser();

describe.skipIf(browser.missing !== null)('somebody who uses the example for the first time', () => {
  it('follows the link of the start, links a number, sends, receives, sees it read, and a webhook break', async () => {
    const { link, call } = await start();
    const { page, problems } = await browser.open();
    // A code may be asked for just as it is used.
    problems.allow(/status of 409 .*\/qr\)/);
    await page.goto(link);
    await page.getByText('There is no number yet.').waitFor();
    expect(await axe(page)).toEqual([]);
    await screenshot(page, 'first-use-1-now');

    await page.getByRole('link', { name: 'Go to Numbers' }).click();
    await page.getByRole('button', { name: 'Add a number' }).first().click();
    await page.getByLabel('Name').fill('Support');
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await title(page, 'Support');
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    await screenshot(page, 'first-use-2-link');
    await page.getByRole('button', { name: 'Scan the code' }).click();
    await page.getByRole('status').getByText('Connected', { exact: true }).waitFor();
    await page.getByText('A phone was linked').first().waitFor();

    const instance = new URL(page.url()).pathname.split('/').at(-1);
    const to = '15550100';
    await call('messages', { instance, to, type: 'text', text: 'Your order has left.' });
    await page.getByRole('button', { name: 'Receive a message' }).click();
    await page.getByLabel('Text').fill('Thank you!');
    await page.getByRole('dialog').getByRole('button', { name: 'Receive a message' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await page.getByText('Thank you!').waitFor();
    await page.getByRole('link', { name: '+15550100', exact: true }).click();
    await page.getByText('It was read.').waitFor();
    await screenshot(page, 'first-use-3-read');

    await page.getByRole('link', { name: 'Now', exact: true }).click();
    await page.getByText('All is well.').waitFor();
    await call('webhooks', { url: await brokenReceiver(), events: ['message.received'] });
    await page.getByRole('link', { name: 'Numbers', exact: true }).click();
    await page.getByRole('link', { name: 'Support' }).click();
    await page.getByRole('button', { name: 'Receive a message' }).click();
    await page.getByLabel('Text').fill('Is anybody there?');
    await page.getByRole('dialog').getByRole('button', { name: 'Receive a message' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await page
      .getByRole('row', { name: /Is anybody there/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByText(/attempt 1 · 500/).waitFor();
    await screenshot(page, 'first-use-4-broken');
  });
});

const title = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** What `npm start` runs, in a folder with nothing in it, and what it prints. */
async function start() {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const server = startNodeProgram(MAIN, {
    cwd: directory,
    env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn', WEBHOOK_URL_POLICY: 'local' },
  });
  const [, link = ''] = await server.printed(/^The dashboard.*: (http\S+)$/m);
  const [, api = ''] = await server.printed(/^Trunkline is at (\S+)$/m);
  const [, key = ''] = await server.printed(/^API key, shown only this once: (\S+)$/m);
  onTestFinished(async () => expect(await server.stop()).toBe(0));
  return {
    link,
    async call(path: string, body: object) {
      const response = await fetch(`${api}/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(await response.text());
    },
  };
}

/** Answers everything with 500. Returns its address. */
async function brokenReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(500).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return `http://127.0.0.1:${address.port}/hook`;
}
