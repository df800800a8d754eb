import { screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { isLongForm } from '@trunkline/test-support/long-form';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { serveDashboard } from '../support/serve-dashboard.ts';
import type { HarnessOptions } from '../support/serve-dashboard.ts';
import { chooseInAccount, signedInTab, untilLive } from '../support/tab.ts';

const browser = await testBrowser();
const HOUR = 3_600_000;

interface Request {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends the response that a test sets. */
async function startReceiver() {
  const requests: Request[] = [];
  const state = { status: 200, body: 'ok' };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.statusCode = state.status;
      response.end(state.body);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return { url: `http://127.0.0.1:${address.port}/hook`, requests, respond: state };
}

async function open(path: string, options?: HarnessOptions) {
  const served = await serveDashboard(options);
  const tab = await signedInTab(browser, served);
  await tab.page.goto(tab.at(path));
  return { ...served, ...tab, api: served.trunkline.workspace(served.workspaceId) };
}

const rows = (page: Page): Promise<string[]> => page.locator('tbody tr').allTextContents();
const verdict = (page: Page) => page.getByRole('main').getByRole('status').first();
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
/** The browser of the tests has no clipboard to read. */
const copied = (page: Page): Promise<unknown> => page.evaluate('globalThis.copied');
const catchCopies = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const clipboard = { writeText: async (text: string) => Reflect.set(globalThis, 'copied', text) };
    Object.defineProperty(navigator, 'clipboard', { value: clipboard });
  });

describe.skipIf(browser.missing !== null)('webhooks in the dashboard', () => {
  it('are added, shown to fail, fixed, and their failed deliveries sent again', async () => {
    const receiver = await startReceiver();
    const { page, problems, at, api, connect } = await open('/webhooks');
    await catchCopies(page);
    const { id: instance } = await connect('Support');
    await page.getByText('No webhook yet.').waitFor();

    await page.getByRole('button', { name: 'Add a webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Choose none' }).click();
    await dialog.getByLabel('Address').fill('http://10.0.0.1/');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Choose at least one event.').waitFor();
    expect(await dialog.getByLabel('message.received').and(page.locator(':focus')).count()).toBe(1);
    problems.expect(/status of 422/);
    await dialog.getByLabel('message.sent').check();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('The host of the URL must have a public address.').waitFor();
    expect(await dialog.getByLabel('Address').and(page.locator(':focus')).count()).toBe(1);
    await expectAccessible(page);
    await screenshot(page, 'webhook-add');
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByLabel('Description').fill('Orders');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();

    const shownOnce = page.getByRole('alertdialog', { name: 'The signing secret' });
    const secret = await shownOnce.getByLabel('Signing secret').inputValue();
    expect(secret).toMatch(/^whsec_.{44}$/);
    await expectAccessible(page);
    await screenshot(page, 'webhook-secret');
    await shownOnce.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByText('Not tried yet').first().waitFor();
    await page.getByText('No delivery yet.').waitFor();
    await screenshot(page, 'webhook-empty');

    await press(page, 'Send a test');
    await page.getByRole('link', { name: 'webhook.test' }).waitFor();
    await verdict(page).getByText('Delivering', { exact: true }).waitFor();

    await untilLive(page);
    receiver.respond.status = 500;
    receiver.respond.body = `<h1>Database is down</h1>${'\nat Pool.query'.repeat(60)}`;
    await api.messages.send({ instance, to: '15550100', type: 'text', text: "It's here" });
    await verdict(page).getByText('Failing', { exact: true }).waitFor();
    await page.getByText('If nothing is delivered, the service disables it in').waitFor();
    await page.locator('tbody').getByText('Will be retried').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'webhook-failing');
    await page.goto(at('/'));
    const troubled = page.locator('tbody tr', { hasText: 'Orders' });
    await troubled.getByText(/disabled in 71 hr/).waitFor();
    await screenshot(page, 'now-webhook-failing');
    await troubled.getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('link', { name: 'message.sent' }).click();

    await page.getByRole('heading', { level: 1, name: 'Delivery of message.sent' }).waitFor();
    await verdict(page).getByText('It is retried automatically.').waitFor();
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('Attempt 1').waitFor();
    await attempts.getByText('500').first().waitFor();
    await attempts.getByText('<h1>Database is down</h1>').first().waitFor();
    await attempts
      .getByText(/\d+ ms/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    await press(page, 'Try now');
    await attempts.getByText('Attempt 2').waitFor();
    await page.getByRole('link', { name: 'Message', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Message to +1 555 0100' }).waitFor();
    await page.getByRole('link', { name: receiver.url }).click();
    await attempts.getByText('500').first().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'delivery-failing');
    const entry = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Webhooks' });
    expect(await entry.getAttribute('aria-current')).toBe('page');
    await press(page, 'Copy as curl');
    await page.getByText('Copied').waitFor();
    expect(await copied(page)).toContain(String.raw`"text":"It'\''s here"`);

    await page.getByRole('link', { name: 'Orders' }).click();
    await press(page, 'Disable');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
    await verdict(page).getByText('Nothing is sent until you enable it.').waitFor();
    await page.getByRole('cell', { name: '500', exact: true }).waitFor();
    receiver.respond.status = 200;
    receiver.respond.body = 'ok';
    await press(page, 'Enable');
    await verdict(page).getByText('Not tried yet').waitFor();
    await page.getByRole('link', { name: 'message.sent' }).click();
    await press(page, 'Send again');
    await verdict(page).getByText('The receiver accepted it.').waitFor();
    // Automatic retries may have happened, so the attempt's number is unknown.
    await attempts.getByText(/^Attempt \d+ \(by hand\)$/).waitFor();
    await page.getByRole('link', { name: 'Orders' }).click();
    await verdict(page).getByText('Delivering', { exact: true }).waitFor();
  });

  it.runIf(isLongForm)('can be edited, get a new secret, and be deleted', async () => {
    const receiver = await startReceiver();
    const { page, at, api } = await open('/webhooks');
    const { id, secret } = await api.webhooks.create({ url: receiver.url, events: ['message.sent'] });
    const [shop] = [await api.instances.create({ name: 'Shop' }), await api.instances.create()];
    await page.goto(at(`/webhooks/${id}`));
    await press(page, 'Edit');
    const edit = page.getByRole('dialog');
    await edit.getByLabel('Description').fill('Billing');
    await edit.getByLabel('message.reaction').check();
    await edit.getByLabel('Shop').check();
    await edit.getByLabel('Each request has the header traceparent').check();
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
    expect(await api.webhooks.get(id)).toMatchObject({
      url: receiver.url,
      description: 'Billing',
      events: ['message.sent', 'message.reaction'],
      instances: [shop.id],
      trace_context: true,
    });
    await page.getByRole('link', { name: 'Shop' }).waitFor();

    await press(page, 'New secret');
    const rotation = page.getByRole('alertdialog');
    await rotation.getByLabel('The new secret signs').selectOption('in an hour');
    await rotation.getByRole('button', { name: 'New secret' }).click();
    const shown = page.getByRole('alertdialog', { name: 'The signing secret' }).getByLabel('Signing secret');
    const rotated = await shown.inputValue();
    expect(rotated).not.toBe(secret);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText(`…${rotated.slice(-4)}`).waitFor();
    await page.getByText('signs from').waitFor();

    await press(page, 'Delete');
    const confirm = page.getByRole('alertdialog');
    expect(await confirm.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await confirm.getByRole('textbox').fill(new URL(receiver.url).host);
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhook yet.').waitFor();
    expect(await api.webhooks.list()).toMatchObject({ data: [] });
  });

  it('show their attempts of the last 24 hours by outcome, and how long these took', async () => {
    const storage = sqliteStorage({ path: ':memory:' });
    const { page, problems, at, api } = await open('/webhooks', { trunkline: { storage } });
    const events = ['message.sent'] as const;
    const { id } = await api.webhooks.create({ url: 'https://127.0.0.1/in', events, description: 'Orders' });
    await page.goto(at(`/webhooks/${id}`));
    await page.getByText('No attempt in the last 24 hours.').waitFor();
    const now = Math.floor(Date.now() / HOUR) * HOUR;
    await storage.traffic.add(
      Array.from({ length: 24 }, (_, hour) => ({
        kind: 'webhook',
        id,
        quarter: now - hour * HOUR,
        counts: {
          succeeded: 40 + ((hour * 17) % 60),
          'class:1': 30 + ((hour * 17) % 60),
          'class:3': 10,
          ...(hour % 7 === 3 && { 'failed:HTTP_5XX': 12, 'failed:TIMEOUT': 6, 'class:7': 6, 'class:2': 12 }),
        },
      })),
    );
    await page.reload();
    const day = page.getByRole('region', { name: 'The last 24 hours' });
    await day.getByText('1,692 succeeded, 36 refused, 18 without a response').waitFor();
    await day
      .getByText(/Half of the attempts took at most \d+ ms, 95 % at most \d+ ms/)
      .first()
      .waitFor();
    await expectAccessible(page);
    await screenshot(page, 'webhook');
    await day.getByText('As a table').click();
    const hours = day.getByRole('table', { name: 'Attempts by hour' }).locator('tbody tr');
    expect(await hours.count()).toBe(24);
    expect(await hours.filter({ hasText: '12 HTTP_5XX, 6 TIMEOUT' }).count()).toBe(3);
    await expectAccessible(page);
    expect(problems.list()).toEqual([]);
  });

  it.runIf(isLongForm)(
    "are filtered by the link's parameters, as are their deliveries, page by page",
    async () => {
      const receiver = await startReceiver();
      const { page, at, api, connect } = await open('/webhooks');
      const { id: instance } = await connect('Support');
      const well = await api.webhooks.create({ url: receiver.url, events: ['message.sent', 'message.read'] });
      const stopped = await api.webhooks.create({ url: receiver.url, events: ['call.received'], description: 'Calls' }); // prettier-ignore
      await api.webhooks.update(stopped.id, { status: 'disabled' });
      await api.webhooks.create({ url: receiver.url, events: ['message.read'], description: 'Archive' });
      for (let i = 0; i < 30; i++)
        await api.messages.send({ instance, to: '15550100', type: 'text', text: `Number ${i}` });
      await eventually(() => expect(receiver.requests.length).toBe(90));

      await page.goto(at('/webhooks?state=stopped'));
      await eventually(async () => expect(await rows(page)).toEqual([expect.stringContaining('Calls')]));
      await page.getByLabel('Event').selectOption('message.read');
      await page.getByText('No webhook matches.').waitFor();
      await page.getByRole('link', { name: 'Clear filters' }).click();
      await eventually(async () => expect(await rows(page)).toHaveLength(3));
      await expectAccessible(page);
      await screenshot(page, 'webhooks');

      await page.goto(at(`/webhooks/${well.id}?event=message.read`));
      const listed = page.getByRole('table', { name: 'Deliveries, the newest first' }).locator('tbody tr');
      await eventually(async () => expect(await listed.count()).toBe(30));
      await page.getByLabel('Status').selectOption('exhausted');
      await page.getByText('No delivery matches.').waitFor();
      await page.getByRole('link', { name: 'Clear filters' }).click();
      await eventually(async () => expect(await listed.count()).toBe(50));
      await page.getByRole('link', { name: 'Older' }).click();
      await eventually(async () => expect(await listed.count()).toBe(10));
      await page.getByRole('link', { name: 'Newest' }).click();
      await eventually(async () => expect(await listed.count()).toBe(50));
      expect(new URL(page.url()).search).toBe('');

      await page.getByLabel('Event').selectOption('message.read');
      await listed.getByRole('link', { name: 'message.read' }).first().click();
      const others = page.getByRole('region', { name: 'Other deliveries of this event' });
      await others.getByRole('link', { name: 'Archive' }).click();
      await page.getByRole('link', { name: 'Archive' }).first().waitFor();
      await others.getByRole('link', { name: receiver.url.replace('http://', '') }).waitFor();
    },
  );

  it.runIf(isLongForm)('send all failed deliveries again, and show how many', async () => {
    const receiver = await startReceiver();
    const { page, at, api, connect } = await open('/webhooks');
    const { id: instance } = await connect('Support');
    const { id } = await api.webhooks.create({ url: receiver.url, events: ['message.sent'] });
    receiver.respond.status = 500;
    for (let i = 0; i < 110; i++)
      await api.messages.send({ instance, to: '15550100', type: 'text', text: `Number ${i}` });
    await eventually(async () =>
      expect((await api.webhooks.deliveries(id, { limit: 100 })).nextCursor).not.toBeNull(),
    );
    await api.webhooks.update(id, { status: 'disabled' });
    await api.webhooks.update(id, { status: 'enabled' });
    receiver.respond.status = 200;
    await page.goto(at(`/webhooks/${id}`));
    await press(page, 'Send failed ones again');
    await page.getByText(/^1\d\d deliveries are sent again\.$/).waitFor();
    await press(page, 'Send failed ones again');
    await page.getByText('No delivery was given up.').waitFor();
  });

  it.runIf(isLongForm)(
    'have their signatures checked in the browser, by a secret that does not leave it',
    async () => {
      const receiver = await startReceiver();
      const { page, at, api } = await open('/webhooks');
      const { id, secret } = await api.webhooks.create({ url: receiver.url, events: ['message.sent'] });
      await catchCopies(page);
      const delivery = await api.webhooks.test(id);
      await eventually(() => expect(receiver.requests).toHaveLength(1));
      const [{ headers, body } = { headers: {}, body: '' }] = receiver.requests;
      const sent: string[] = [];
      page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
      await page.goto(at(`/deliveries/${delivery.id}`));

      const region = page.getByRole('region', { name: 'Check a signature' });
      await region.getByRole('button', { name: 'Check', exact: true }).click();
      await region.getByText('Enter the secret').waitFor();
      expect(await region.getByLabel('Body that the receiver got').inputValue()).toBe(body);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
      const check = async (key: string, received: string, text: string) => {
        await region.getByLabel('The signing secret of the receiver').fill(key);
        await region.getByLabel('Headers that the receiver got').fill(received);
        await region.getByLabel('Body that the receiver got').fill(text);
        await region.getByRole('button', { name: 'Check', exact: true }).click();
      };
      await check(secret, lines.join('\n'), body);
      await region.getByText('The signature is right').waitFor();
      await expectAccessible(page);
      await screenshot(page, 'delivery-signature');
      await check(secret, lines.join('\n'), JSON.stringify(JSON.parse(body), null, 2));
      await region.getByText('The signature does not belong to this secret, time and body.').waitFor();
      await check(`${secret}x`, lines.join('\n'), body);
      await region.getByText('The signature does not belong to this secret, time and body.').waitFor();
      await check(secret, lines.filter((line) => !/x-service-signature/i.test(line)).join('\n'), body);
      await region.getByText('The header with the signature is missing.').waitFor();
      const standard = Object.fromEntries(
        Object.entries(headers).filter(([name]) => name.startsWith('webhook-')),
      );
      await check(secret, JSON.stringify(standard, null, 2), body);
      await region.getByText('The signature is right').waitFor();

      await region.getByRole('button', { name: 'Copy as curl, signed now' }).click();
      await page.getByText('Copied').waitFor();
      expect(await copied(page)).toMatch(/-H 'X-Service-Signature: v1=[0-9a-f]{64}'/);
      expect(sent.filter((text) => text.includes(secret.slice(6, 40)))).toEqual([]);

      // As on a page that is opened over http from another machine.
      await page.addInitScript(() => Reflect.defineProperty(globalThis, 'isSecureContext', { value: false }));
      await page.reload();
      await region.getByText('The browser signs only on pages with https').waitFor();
    },
  );

  it.runIf(isLongForm)("are not found if they are another workspace's", async () => {
    const { page, problems, at, trunkline } = await open('/webhooks');
    const other = await trunkline.admin.workspaces.create({ name: 'Other' });
    const { webhooks } = trunkline.workspace(other.id);
    const { id } = await webhooks.create({ url: 'http://127.0.0.1:9/', events: ['message.sent'] });
    const delivery = await webhooks.test(id);
    problems.expect(/status of 404/);
    await page.goto(at(`/webhooks/${id}`));
    await page.getByRole('alert').first().getByText('WEBHOOK_NOT_FOUND').waitFor();
    await page.goto(at(`/deliveries/${delivery.id}`));
    await page.getByRole('alert').first().getByText('WEBHOOK_DELIVERY_NOT_FOUND').waitFor();
    await expectAccessible(page);
  });

  it.runIf(isLongForm)('speak Spanish', async () => {
    const { page, at, api } = await open('/webhooks');
    const { id } = await api.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['message.sent'] });
    await page.goto(at(`/webhooks/${id}`));
    await chooseInAccount(page, 'Español');
    await page.getByText('Aún sin probar').first().waitFor();
    const { id: delivery } = await api.webhooks.test(id);
    await page.goto(at(`/deliveries/${delivery}`));
    await page.getByText('Falló la conexión con el receptor.').first().waitFor();
  });
});
