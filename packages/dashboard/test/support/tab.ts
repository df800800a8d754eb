import type { KeptTab, Page, PageOptions, Problems, TestBrowser } from '@trunkline/browser';
import type { WorkspaceApi } from '@trunkline/core';
import type { SandboxPhone } from '@trunkline/core/sandbox';
import { serveDashboard } from './serve-dashboard.ts';
import type { HarnessOptions, ServedDashboard } from './serve-dashboard.ts';

interface Tab {
  readonly page: Page;
  readonly problems: Problems;
  /** Such as `at('/numbers')`, in the workspace Acme. */
  at(path: string): string;
}

interface TabOptions extends PageOptions {
  /** The key to sign in with; by default, a new link of an admin. */
  readonly apiKey?: string;
}

/** A signed-in user's tab that has loaded nothing of the dashboard yet. */
export async function signedInTab(
  browser: TestBrowser,
  served: ServedDashboard,
  { apiKey, ...options }: TabOptions = {},
): Promise<Tab> {
  const { page, problems } = await browser.open(options);
  await signIn(page.context(), served, apiKey);
  return { page, problems, at: (path) => `${served.url}/w/${served.workspaceId}${path}` };
}

interface OpenedWithNumber extends ServedDashboard, Tab {
  readonly instance: string;
  readonly phone: SandboxPhone;
  readonly api: WorkspaceApi;
}

/** A service with a connected number, and an admin who has opened a page of Acme; the path may need the number's id. */
export async function openWithNumber(
  browser: TestBrowser,
  path: string | ((instance: string) => string),
  options?: HarnessOptions,
): Promise<OpenedWithNumber> {
  const served = await serveDashboard(options);
  const { id: instance } = await served.connect('Support');
  const tab = await signedInTab(browser, served);
  await tab.page.goto(tab.at(typeof path === 'string' ? path : path(instance)));
  const api = served.trunkline.workspace(served.workspaceId);
  return { ...served, ...tab, instance, phone: served.sandbox.phone(instance), api };
}

/** For read-only tests that use the tab one after the other. */
export async function signedInKeptTab(
  browser: TestBrowser,
  served: ServedDashboard,
  apiKey?: string,
): Promise<KeptTab> {
  const tab = await browser.newTab();
  await signIn(tab.context, served, apiKey);
  return tab;
}

async function signIn(
  { request }: ReturnType<Page['context']>,
  { url, origin, link }: ServedDashboard,
  apiKey?: string,
): Promise<void> {
  const response = await request.post(`${url}/api/sign-in`, {
    headers: { Origin: origin },
    data: apiKey === undefined ? { token: new URL(link()).hash.replace('#token=', '') } : { api_key: apiKey },
  });
  if (!response.ok()) throw new Error(`The sign-in was refused: ${await response.text()}`);
}

/** Opens the menu of the account, which has the workspaces, the theme, the language and the way out. */
export async function openAccount(page: Page): Promise<void> {
  await page.getByRole('button', { name: /, (account|cuenta)$/ }).click();
  await page.getByRole('menu').waitFor();
}

/** Chooses a workspace, a theme or a language in the menu of the account, and closes it. */
export async function chooseInAccount(page: Page, name: string): Promise<void> {
  await openAccount(page);
  await page.getByRole('menuitemradio', { name }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

/** Waits until the page's event stream is open. From then on, changes show without polling. */
export function untilLive(page: Page): Promise<void> {
  return untilIndicator(page, 'Live');
}

/** The word also exists in a hidden bar, for narrow pages. */
export function untilIndicator(page: Page, word: string): Promise<void> {
  return page.getByText(word, { exact: true }).filter({ visible: true }).waitFor();
}
