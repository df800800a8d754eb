import { axe, inEachLook, picture, testBrowser } from '@trunkline/browser';
import type { KeptTab, Look, Page } from '@trunkline/browser';
import { eventually, HANG_MS } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { beforeAll, describe, expect, it } from 'vitest';
import { pagePaths } from '../support/app-routes.ts';
import { serveDashboard } from '../support/serve-dashboard.ts';
import type { ServedDashboard } from '../support/serve-dashboard.ts';
import { signedInKeptTab } from '../support/tab.ts';

const browser = await testBrowser();
const PATHS = await pagePaths();
const OF_WORKSPACE = PATHS.filter((path) => path.startsWith('/w/'));
/** `/sign-in` needs no session; the other two only redirect. */
const NOT_PAGES = ['/sign-in', '/', '/$'];
const WITH_DATA = PATHS.filter((path) => !NOT_PAGES.includes(path));
const LISTS = OF_WORKSPACE.filter((path) => (path.match(/\$/g) ?? []).length === 1);

const CONTACT = '15550100';
/** No server listens here, so deliveries fail. */
const NOWHERE = 'http://127.0.0.1:9/hook';
const READ_SCOPES = ['instances:read', 'messages:read', 'webhooks:read'] as const;

/**
 * One service for all tests, which only read. It has a full workspace, an empty one, and a third whose user may see
 * neither.
 */
async function openService() {
  const { promise: ending, resolve } = Promise.withResolvers<() => Promise<void>>();
  const served = await serveDashboard({ until: resolve });
  const { workspaces } = served.trunkline.admin;
  const values = await fill(served);
  const { id: empty } = await workspaces.create({ name: 'Globex' });
  const { id: other } = await workspaces.create({ name: 'Initech' });
  return {
    end: await ending,
    url: served.url,
    values,
    empty: { workspace: empty },
    admin: await signedInKeptTab(browser, served),
    tabOfReader: async () => signedInKeptTab(browser, served, await served.newKey({ scopes: READ_SCOPES })),
    tabOfStranger: async () => signedInKeptTab(browser, served, await served.newKey({ workspaceId: other })),
  };
}

/** Creates something of each kind. Returns the values of the paths' parameters. */
async function fill({ trunkline, workspaceId, connect, sandbox }: ServedDashboard): Promise<Values> {
  const { messages, webhooks, instances } = trunkline.workspace(workspaceId);
  const webhook = await webhooks.create({ url: NOWHERE, events: ['message.received', 'message.sent'] });
  const { id: instance } = await connect('Support');
  await instances.create({ name: 'Sales' });
  const { message } = await messages.send({
    instance,
    to: CONTACT,
    type: 'text',
    text: 'Your order has left.',
  });
  await sandbox.phone(instance).receive({ from: CONTACT, text: '<b>Thank you!</b>' });
  const delivery = await eventually(async () => {
    const { data } = await webhooks.deliveries(webhook.id);
    expect(data.length).toBeGreaterThan(1);
    return data[0]?.id ?? '';
  });
  const [group] = (await instances.groups(instance)).data;
  return {
    workspace: workspaceId,
    instance,
    group: group?.id ?? '',
    message: message.id,
    webhook: webhook.id,
    delivery,
    counterpart: CONTACT,
  };
}

type Values = Readonly<Record<string, string>>;

function addressOf(path: string, values: Values): string {
  return path.replaceAll(/\$(\w*)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`Say in \`fill\` what $${name} in the path ${path} stands for.`);
    return encodeURIComponent(value);
  });
}

async function isLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await eventually(async () => expect(await page.getByText('Loading…').count()).toBe(0));
}

/** In pixels, without the scrollbar. */
const BEYOND = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/**
 * Checks the page in light colours; in the long form, also in dark colours and at phone width. The screenshots are for
 * people.
 */
async function expectInOrder(page: Page, name: string): Promise<void> {
  const check = async (look: Look): Promise<void> => {
    // In the dark look, only the colours differ.
    expect(await axe(page, { about: look === 'dark' ? 'colour' : 'everything' }), look).toEqual([]);
    const beyond: unknown = await page.evaluate(BEYOND);
    expect(beyond, `${look}: pixels beyond the edge`).toBeLessThanOrEqual(0);
    await picture(page, `${name}-${look}`);
  };
  await inEachLook(page, check, isLongForm ? undefined : ['light']);
}

const nameOf = (path: string): string =>
  `every${path.replace('/w/$workspace', '/workspace').replaceAll(/\W+/g, '-')}`;

describe.skipIf(browser.missing !== null)('every page of the dashboard', () => {
  let service: Awaited<ReturnType<typeof openService>>;
  beforeAll(async () => {
    service = await openService();
    return service.end;
  });

  it('is in the table of the router', () =>
    expect(PATHS).toEqual(expect.arrayContaining(['/', '/sign-in', '/w/$workspace'])));

  it.each(WITH_DATA)('%s: opens by its link, without a problem', async (path) => {
    const { url, values, admin } = service;
    const { page } = await admin.open();
    await page.goto(url + addressOf(path, values));
    await isLoaded(page);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    expect(await page.title()).toMatch(/^\S.* · Trunkline$/);
    await expectInOrder(page, nameOf(path));
  });

  it.each(isLongForm ? OF_WORKSPACE : OF_WORKSPACE.slice(0, 1))(
    '%s: shows what failed, and retries',
    async (path) => {
      const { url, values, admin } = service;
      const { page, problems } = await admin.open();
      problems.expect(/status of 500/);
      const failing = /\/api\/(admin\/)?workspaces\//;
      const error = {
        code: 'INTERNAL_ERROR',
        message: 'The storage is away.',
        request_id: 'req_of_the_test',
        details: {},
      };
      await page.route(failing, (route) => route.fulfill({ status: 500, json: { error } }));
      await page.goto(url + addressOf(path, values));
      await page.getByRole('alert').first().waitFor();
      await page.getByText('req_of_the_test').first().waitFor();
      await page.getByText('The storage is away.').first().waitFor();
      await expectInOrder(page, `${nameOf(path)}-failed`);
      await page.unroute(failing);
      // One retry may fix several errors.
      await eventually(async () => {
        const again = page.getByRole('button', { name: 'Try again' });
        if ((await again.count()) > 0) await again.first().click({ timeout: HANG_MS / 6 });
        expect(await page.getByRole('alert').count()).toBe(0);
      });
      await isLoaded(page);
    },
  );

  it.runIf(isLongForm).each(LISTS)('%s: says what to do where there is nothing yet', async (path) => {
    const { url, empty, admin } = service;
    const { page } = await admin.open();
    await page.goto(url + addressOf(path, empty));
    await isLoaded(page);
    await expectInOrder(page, `${nameOf(path)}-empty`);
  });

  describe.runIf(isLongForm)('to a session that may only read', () => {
    let tab: KeptTab;
    beforeAll(async () => {
      tab = await service.tabOfReader();
    });

    it.each(OF_WORKSPACE)('%s: is complete', async (path) => {
      const { url, values } = service;
      const { page } = await tab.open();
      await page.goto(url + addressOf(path, values));
      await isLoaded(page);
      expect(await page.getByRole('alert').allTextContents()).toEqual([]);
      expect(await page.getByText('Read only').count()).toBe(1);
    });
  });

  describe.runIf(isLongForm)('to a session of another workspace', () => {
    let tab: KeptTab;
    beforeAll(async () => {
      tab = await service.tabOfStranger();
    });

    it.each(OF_WORKSPACE)('%s: shows nothing', async (path) => {
      const { url, values } = service;
      const { page, problems } = await tab.open();
      problems.expect(/status of 403/);
      await page.goto(url + addressOf(path, values));
      await page.getByRole('alert').first().waitFor();
      const text = await page.getByRole('main').textContent();
      expect(text).not.toMatch(/Support|Sales|order has left|Thank you|127\.0\.0\.1:9/);
    });
  });

  it('the sign-in page passes the checks as well', async () => {
    const { page } = await browser.open();
    await page.goto(`${service.url}/sign-in`);
    await page.getByLabel('API key or admin token').waitFor();
    await expectInOrder(page, 'every-sign-in');
  });
});
