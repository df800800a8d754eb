import { screenshot, testBrowser } from '@trunkline/browser';
import type { Page } from '@trunkline/browser';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/accessible.ts';
import { serveDashboard } from '../support/serve-dashboard.ts';
import type { ServedDashboard } from '../support/serve-dashboard.ts';
import { chooseInAccount, signedInTab } from '../support/tab.ts';

const browser = await testBrowser();

const title = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const rows = (page: Page): Promise<string[]> => page.locator('tbody tr').allTextContents();
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();

async function adminOf(path: string) {
  const served = await serveDashboard();
  const { id: workspaceId } = await served.trunkline.admin.workspaces.create({ name: 'Globex' });
  const tab = await signedInTab(browser, { ...served, workspaceId });
  await tab.page.goto(tab.at(path));
  return { ...served, ...tab, workspaceId, admin: served.trunkline.admin };
}

/** A user who sees every workspace, but may change nothing. */
async function readerOf(path: string) {
  const served = await serveDashboard({ dashboard: { authorize: () => ({ access: 'read-only' }) } });
  const { page, problems } = await browser.open();
  await page.goto(`${served.url}${path.replace('$workspace', served.workspaceId)}`);
  return { ...served, page, problems };
}

/** For buttons that the page hides. */
function send(page: Page, { origin, url }: ServedDashboard, method: string, path: string, data: object = {}) {
  return page.context().request.fetch(`${url}/api/admin/workspaces${path}`, {
    method,
    headers: { Origin: origin },
    data,
  });
}

describe.skipIf(browser.missing !== null)('the administration in the dashboard', () => {
  it('an admin creates a key, whose token is shown once, and revokes it', async () => {
    const { page, problems, workspaceId, admin, trunkline } = await adminOf('/keys');
    problems.expect(/status of 422/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await admin.members.create({ workspaceId, email: 'ada@example.com' });
    await page.getByText('No API key yet.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'keys-empty');

    await press(page, 'Create a key');
    const form = page.getByRole('dialog', { name: 'Create an API key' });
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Choose at least one.').waitFor();
    await form.getByLabel('Read messages').check();
    await form.getByRole('button', { name: 'Create' }).click();
    const name = form.getByLabel('Name');
    await form.getByText('Must have 1 to 255 characters.').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    expect(await form.getByRole('alert').count()).toBe(0);
    await name.fill('Billing');
    await form.getByLabel('Made for').selectOption('ada@example.com');
    await form.getByLabel('Expires').fill('2020-01-01');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Choose today or a later day.').waitFor();
    await form.getByLabel('Expires').fill('2099-01-01');
    await expectAccessible(page);
    await screenshot(page, 'keys-create');
    await form.getByRole('button', { name: 'Create' }).click();

    const shown = page.getByRole('alertdialog', { name: 'The new key: Billing' });
    const token = await shown.getByLabel('API key').inputValue();
    expect(token).toMatch(/^trk_/);
    await shown.getByText('It is shown only once').waitFor();
    await shown.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
    await expectAccessible(page);
    await screenshot(page, 'keys-created');
    const { apiKey } = await trunkline.authenticate(`Bearer ${token}`);
    expect(apiKey.scopes).toEqual(['messages:read']);
    await shown.getByRole('button', { name: 'Close' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(token);

    const row = page.locator('tbody tr', { hasText: 'Billing' });
    await row.getByText('messages:read').waitFor();
    await row.getByText('ada@example.com').waitFor();
    await row.getByText('Active').waitFor();
    await row.getByText(`${token.slice(0, 8)}…`, { exact: true }).waitFor();
    await admin.apiKeys.create({ workspaceId, name: 'Support desk', scopes: ['instances:read', 'messages:read', 'webhooks:read'] }); // prettier-ignore
    await page.reload();
    await page.locator('tbody tr', { hasText: 'Support desk' }).getByText('Read only').waitFor();
    expect(await page.content()).not.toContain(token);
    await expectAccessible(page);

    await press(page, 'Revoke Billing');
    const question = page.getByRole('alertdialog', { name: 'Revoke Billing?' });
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await press(page, 'Revoke Billing');
    await question.getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked', { exact: true }).waitFor();
    expect(await row.textContent()).not.toMatch(/\bin \d/);
    await expect(trunkline.authenticate(`Bearer ${token}`)).rejects.toThrow(/revoked/);
    expect(await page.getByRole('button', { name: 'Revoke Billing' }).count()).toBe(0);
    await screenshot(page, 'keys');

    await page.getByLabel('State').selectOption('expired');
    await page.getByText('No key has this state.').waitFor();
    expect(new URL(page.url()).searchParams.get('state')).toBe('expired');
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await eventually(async () => expect(await rows(page)).toHaveLength(2));
  });

  it('an admin adds a member, changes the role and removes them with their keys', async () => {
    const { page, problems, workspaceId, admin, trunkline } = await adminOf('/members');
    problems.expect(/status of 422/);
    await page.getByText('No member yet.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'members-empty');

    await press(page, 'Add a member');
    const form = page.getByRole('dialog', { name: 'Add a member' });
    await form.getByLabel('Email address').fill('ada');
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByText('Must be an email address').waitFor();
    expect(await form.getByRole('alert').count()).toBe(0);
    await form.getByLabel('Email address').fill('ada@example.com');
    await expectAccessible(page);
    await screenshot(page, 'members-add');
    await form.getByRole('button', { name: 'Add' }).click();
    const row = page.locator('tbody tr', { hasText: 'ada@example.com' });
    await row.getByText('Not verified').waitFor();

    await press(page, 'Change ada@example.com');
    const change = page.getByRole('dialog', { name: 'Change a member' });
    await change.getByLabel('Role').selectOption('Webhook administrator');
    await change.getByLabel('The address is verified').check();
    await change.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Webhook administrator').waitFor();
    await row.getByText('Verified', { exact: true }).waitFor();
    const [member] = await admin.members.list(workspaceId);
    expect(member).toMatchObject({ emailVerified: true, administersWebhooks: true });
    await expectAccessible(page);
    await screenshot(page, 'members');

    const { token } = await admin.apiKeys.create({ workspaceId, name: 'Hers', scopes: ['messages:read'], memberId: member?.id }); // prettier-ignore
    await press(page, 'Remove ada@example.com');
    const question = page.getByRole('alertdialog', { name: 'Remove ada@example.com?' });
    await question.getByText('These are: Hers.').waitFor();
    await screenshot(page, 'members-remove');
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No member yet.').waitFor();
    await expect(trunkline.authenticate(`Bearer ${token}`)).rejects.toThrow(/revoked/);
  });

  it('an admin creates a workspace, changes what it may do, suspends it and resumes it', async () => {
    const { page, problems, url, admin } = await adminOf('');
    problems.expect(/status of 422/);
    await page.getByRole('link', { name: 'Workspaces', exact: true }).click();
    await title(page, 'Workspaces');
    await eventually(async () => expect(await rows(page)).toHaveLength(2));
    await press(page, 'Create a workspace');
    const form = page.getByRole('dialog', { name: 'Create a workspace' });
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('Must have 1 to 255 characters.').waitFor();
    await form.getByLabel('Name').fill('Initech');
    await form.getByRole('button', { name: 'Create' }).click();
    await title(page, 'Initech');
    await page.getByText('0 numbers').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';

    await press(page, 'Rename');
    await page.getByRole('dialog').getByLabel('Name').fill('Initech GmbH');
    await press(page, 'Save');
    await title(page, 'Initech GmbH');

    await press(page, 'Change plan');
    const plan = page.getByRole('dialog', { name: 'Change plan' });
    await plan.getByLabel('Subscription').selectOption('Trial');
    await plan.getByLabel('Numbers at most').fill('three');
    await plan.getByLabel('Webhooks at most').fill('');
    await plan.getByLabel('Messages of the trial').fill('1000');
    await plan.getByRole('button', { name: 'Save' }).click();
    expect(await plan.getByText('Enter a whole number, 0 or more.').count()).toBe(2);
    await expectAccessible(page);
    await plan.getByLabel('Numbers at most').fill('3');
    await plan.getByLabel('Webhooks at most').fill('2');
    await screenshot(page, 'workspace-plan');
    await plan.getByRole('button', { name: 'Save' }).click();
    await page.getByText('0 of 1,000 used').waitFor();
    expect((await admin.workspaces.find(id))?.plan).toEqual({
      subscription: 'trial',
      instanceLimit: 3,
      webhookLimit: 2,
      trialMessageLimit: 1000,
    });

    await press(page, 'Change retention');
    const retention = page.getByRole('dialog', { name: 'Change retention' });
    await retention.getByLabel('Messages are kept').selectOption('For a number of days');
    await retention.getByRole('button', { name: 'Save' }).click();
    await retention.getByText('Enter a whole number of days').waitFor();
    await retention.getByLabel('Days', { exact: true }).fill('30');
    await retention.getByText('Messages older than 30 days are deleted.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workspace-retention');
    await retention.getByRole('button', { name: 'Save' }).click();
    await page.getByText('for 30 days').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workspace');

    await press(page, 'Suspend');
    const question = page.getByRole('alertdialog', { name: 'Suspend Initech GmbH?' });
    await question.getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('Requests with its API keys are refused').waitFor();
    expect((await admin.workspaces.find(id))?.suspendedAt).not.toBeNull();
    await expectAccessible(page);
    await screenshot(page, 'workspace-suspended');
    await page.goto(`${url}/workspaces`);
    const listed = page.locator('tbody tr', { hasText: 'Initech GmbH' });
    await listed.getByText('Suspended').waitFor();
    await listed.getByText('0 of 3').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workspaces');
    await page.getByRole('link', { name: 'Initech GmbH', exact: true }).click();
    await press(page, 'Resume');
    await page.getByText('Its API keys are accepted.').waitFor();
    expect((await admin.workspaces.find(id))?.suspendedAt).toBeNull();

    await page.getByRole('link', { name: 'Open Initech GmbH' }).click();
    await title(page, 'Now');
    expect(page.url()).toBe(`${url}/w/${id}`);
  });

  it.runIf(isLongForm)('workspaces go by pages, and each leads into it', async () => {
    const { page, url, admin } = await adminOf('');
    for (let n = 0; n < 100; n++) await admin.workspaces.create({ name: `Customer ${n}` });
    await page.goto(`${url}/workspaces`);
    await page.getByRole('link', { name: 'More' }).click();
    await eventually(async () => expect(await rows(page)).toHaveLength(2));
    await page.getByRole('link', { name: 'Customer 98', exact: true }).waitFor();
    await page.getByRole('link', { name: 'First page' }).click();
    await eventually(async () => expect(await rows(page)).toHaveLength(100));
    expect(page.url()).toBe(`${url}/workspaces`);
    const find = async (name: string): Promise<void> => {
      await page.getByRole('searchbox', { name: 'Find a workspace' }).fill(name);
      await page.keyboard.press('Enter');
    };
    await find('mer 9');
    await eventually(async () => expect(await rows(page)).toHaveLength(11));
    expect(page.url()).toBe(`${url}/workspaces?find=mer+9`);
    await find('Initech');
    await page.getByText('No workspace has “Initech” in its name.').waitFor();
    await page.getByRole('link', { name: 'Show all workspaces' }).click();
    await page.getByRole('link', { name: 'Open Acme' }).click();
    await title(page, 'Now');
  });

  it.runIf(isLongForm).each([
    ['/w/$workspace/keys', 'Tests', 'keys', { name: 'Mine', scopes: ['messages:send'] }],
    ['/w/$workspace/members', 'ada@example.com', 'members', { email: 'me@example.com' }],
    ['/workspaces/$workspace', 'Acme', 'suspend', {}],
    ['/workspaces', 'Acme', '', { name: 'Mine' }],
  ])(
    'who may only read sees %s without its buttons, and is refused what they do',
    async (path, seen, below, data) => {
      const reader = await readerOf('/sign-in');
      const { page, workspaceId, trunkline } = reader;
      await trunkline.admin.members.create({ workspaceId, email: 'ada@example.com' });
      await page.goto(`${reader.url}${path.replace('$workspace', workspaceId)}`);
      await page.getByRole('main').getByText(seen).first().waitFor();
      // Only the search, and the buttons that copy an id, which have no text.
      const buttons = await page.getByRole('main').getByRole('button').allTextContents();
      expect(buttons.filter((text) => text !== '' && text !== 'Search')).toEqual([]);
      await expectAccessible(page);
      const refused = await send(page, reader, 'POST', below === '' ? '' : `/${workspaceId}/${below}`, data);
      expect(refused.status()).toBe(403);
      expect(await refused.text()).toContain('INSUFFICIENT_SCOPE');
      expect(await trunkline.admin.workspaces.list()).toHaveLength(1);
    },
  );

  it.runIf(isLongForm)('the session of one workspace sees none of it, and is refused', async () => {
    const served = await serveDashboard();
    const { page, at } = await signedInTab(browser, served, { apiKey: served.apiKey });
    await page.goto(at('/keys'));
    await page.getByText('This is managed by those who run the service.').waitFor();
    await screenshot(page, 'keys-elsewhere');
    const links = await page.getByRole('navigation').getByRole('link').allTextContents();
    expect(links).toContain('Numbers');
    expect(links).not.toContain('API keys');
    expect(links).not.toContain('Workspaces');
    const refused = await send(page, served, 'GET', `/${served.workspaceId}/keys`);
    expect(refused.status()).toBe(403);
    await page.goto(`${served.url}/workspaces`);
    await page.getByText('This is managed by those who run the service.').waitFor();
    await expectAccessible(page);
  });

  it.runIf(isLongForm)('a failure is shown with its request id, and retried', async () => {
    const { page, url, problems } = await adminOf('');
    problems.expect(/status of 500/);
    const error = { code: 'INTERNAL_ERROR', message: 'The storage is away.', request_id: 'req_of_the_test', details: {} }; // prettier-ignore
    const failing = /\/api\/admin\/workspaces$/;
    await page.route(failing, (route) => route.fulfill({ status: 500, json: { error } }));
    await page.goto(`${url}/workspaces`);
    await page.getByRole('main').getByText('req_of_the_test').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workspaces-failed');
    await page.unroute(failing);
    await press(page, 'Try again');
    await eventually(async () => expect(await rows(page)).toHaveLength(2));

    // If the form lacks the field, the message names the field once.
    problems.expect(/status of 422/);
    const refused = {
      code: 'VALIDATION_FAILED',
      message: 'The request is not valid. owner: Is unknown. details.fields has 1 more.',
      request_id: 'req_of_the_test',
      details: { fields: { owner: ['Is unknown.'], sixth: ['Is wrong.'] } },
    };
    await page.route(failing, (route) => route.fulfill({ status: 422, json: { error: refused } }));
    await press(page, 'Create a workspace');
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Create' }).click();
    const said = await form.getByRole('alert').textContent();
    expect(said?.split('Is unknown.')).toHaveLength(2);
    expect(said).toContain('sixth: Is wrong.');
  });

  it.runIf(isLongForm)('speaks Spanish', async () => {
    const { page } = await adminOf('/keys');
    await chooseInAccount(page, 'Español');
    await title(page, 'Claves de API');
    await page.getByText('Aún no hay claves de API.').waitFor();
    await page.getByRole('link', { name: 'Espacios', exact: true }).click();
    await title(page, 'Espacios');
  });
});
