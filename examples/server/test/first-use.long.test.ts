import { axe, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { startNodeProgram } from '@trunkline/test-support/start-program';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTour } from './support/tour.ts';

const MAIN = new URL('../start.js', import.meta.url);
const COMMAND = new URL('../../../packages/server/src/cli.ts', import.meta.url);

const browser = await testBrowser();

describe.skipIf(browser.missing !== null)('a first-time user of the example', () => {
  it('can follow docs/dashboard-tour.md by clicking', async () => {
    const tour = readTour();
    const { said } = tour;
    const receiver = await startReceiver();
    // Started before the page, so that the page is closed first; otherwise, it would try to reach a stopped service.
    const link = await startService();
    const { page, problems } = await browser.open({ viewport: { width: 1060, height: 640 } });
    // The page may request a QR just as it is scanned.
    problems.allow(/status of 409 .*\/qr\)/);
    const press = (name: string): Promise<void> =>
      page
        .getByRole('button', { name: said(name), exact: true })
        .first()
        .click();
    const confirm = (name: string): Promise<void> =>
      page.getByRole('dialog').or(page.getByRole('alertdialog')).getByRole('button', { name: said(name), exact: true }).click(); // prettier-ignore
    const fill = (label: string, text: string): Promise<void> =>
      page.getByRole('dialog').getByLabel(said(label), { exact: true }).fill(text);
    const follow = (name: string): Promise<void> =>
      page
        .getByRole('link', { name: said(name), exact: true })
        .first()
        .click();
    const see = (text: string): Promise<void> => page.getByText(said(text)).first().waitFor();

    tour.step('Open the dashboard');
    await page.goto(link);
    await see('There is no number yet.');
    await page.getByRole('heading', { level: 1, name: said('Now') }).waitFor();
    expect(await axe(page)).toEqual([]);
    await tour.picture(page);

    tour.step('Add a number');
    await follow('Go to Numbers');
    await press('Add a number');
    await fill('Name', 'Support');
    await confirm('Add');
    await title(page, 'Support');
    await see('Needs a scan');
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    await tour.picture(page);

    tour.step('Link its phone');
    await page.getByRole('heading', { name: said('Sandbox') }).waitFor();
    await press('Scan the code');
    await page.getByRole('status').getByText(said('Connected'), { exact: true }).waitFor();
    await page.getByRole('heading', { name: said('Timeline') }).waitFor();
    await page.getByText('A phone was linked').first().waitFor();
    await tour.picture(page);

    tour.step('Send a message');
    await follow('Chats');
    await press('New message');
    await fill('To', '+1 555 010 0100');
    await fill('Text', 'Your order has left.');
    await confirm('Send');
    const thread = page.getByRole('log');
    await thread.getByRole('article', { name: 'You' }).getByText(said('Read'), { exact: true }).waitFor();
    await tour.picture(page);

    tour.step('Get a reply');
    await press('Write as them');
    await fill('Text', 'Thank you!');
    await confirm('Receive');
    await thread.getByText('Thank you!').waitFor();
    await tour.picture(page);

    tour.step('See what happened to a message');
    await follow('Messages');
    await page
      .getByRole('row', { name: /Your order has left/ })
      .getByRole('link')
      .first()
      .click();
    await see('It was read.');
    await tour.picture(page);

    tour.step('Add a webhook');
    await follow('Webhooks');
    await press('Add a webhook');
    await fill('Address', receiver.url);
    await fill('Description', 'Orders');
    await confirm('Add');
    await page.getByRole('alertdialog').getByLabel(said('Signing secret')).waitFor();
    await confirm('Close');
    await title(page, 'Orders');
    await press('Send a test');
    await page.getByRole('status').getByText(said('Delivering'), { exact: true }).first().waitFor();
    await tour.picture(page);

    tour.step('A receiver breaks');
    receiver.isDown = true;
    await follow('Chats');
    await page.getByRole('link', { name: /^\+1 555 010 0100/ }).click();
    await press('Write as them');
    await page.getByRole('dialog').getByLabel('Text').fill('Is anybody there?');
    await page.getByRole('dialog').getByRole('button', { name: 'Receive' }).click();
    await thread.getByText('Is anybody there?').waitFor();
    await follow('Now');
    await see('1 webhook fails.');
    await tour.picture(page);
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await follow('message.received');
    await see('The connection to the receiver failed.');

    tour.step('Fix it');
    receiver.isDown = false;
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await press('Disable');
    await confirm('Disable');
    await press('Enable');
    await press('Send failed ones again');
    await page.getByRole('status').getByText(said('Delivering'), { exact: true }).first().waitFor();
    expect(receiver.events).toEqual(['webhook.test', 'message.received']);
    await follow('Now');
    await see('All is well.');
    expect(await axe(page)).toEqual([]);
    await tour.picture(page);
    tour.end();
  });
});

const title = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** Runs the program of `npm start` in an empty folder. Resolves with the link that it prints. */
async function startService(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'trunkline-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const server = startNodeProgram(MAIN, {
    cwd: directory,
    env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn', WEBHOOK_URL_POLICY: 'local' },
  });
  onTestFinished(async () => expect(await server.stop()).toBe(0));
  const [, port = ''] = await server.printed(/^The dashboard is at http:\/\/127\.0\.0\.1:(\d+)/m);
  // Without a terminal, the server prints no link, or anyone who reads its log could sign in.
  const command = startNodeProgram(COMMAND, {
    args: ['dashboard'],
    cwd: directory,
    env: { PATH: process.env['PATH'], PORT: port, DATA_DIR: join(directory, 'data') },
  });
  const [link] = await command.printed(/^http\S+$/m);
  return link;
}

/** A receiver that accepts all events unless it is down. */
async function startReceiver() {
  const events: unknown[] = [];
  const server = createServer((request, response) => {
    if (state.isDown) {
      request.socket.destroy();
      return;
    }
    events.push(request.headers['x-service-event']);
    request.resume();
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  const state = { url: `http://127.0.0.1:${address.port}`, isDown: false, events };
  return state;
}
