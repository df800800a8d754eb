import { HANG_MS } from '@trunkline/test-support';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page as PlaywrightPage } from 'playwright-core';
import { afterAll, inject, onTestFinished } from 'vitest';
import type {} from './global-setup.ts';
import { watch } from './problems.ts';
import type { Problems } from './problems.ts';

export type Page = PlaywrightPage;

export interface PageOptions {
  /** The base of relative addresses. */
  readonly baseURL?: string;
  /** Default 1280 × 800. */
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** Default `en-GB`. */
  readonly locale?: string;
  /** Default `UTC`. */
  readonly timezoneId?: string;
  /** The page of another tab, whose cookies the new page shares. */
  readonly beside?: Page;
}

interface Opened {
  readonly page: Page;
  readonly problems: Problems;
}

export interface TestBrowser {
  /** The reason why no browser starts; null if a browser was started. */
  readonly missing: string | null;
  /**
   * Opens a page in a new profile, or next to the page of another tab. At the end of the test, the page is closed, and
   * the test fails if the page had an unexpected problem.
   */
  open(options?: PageOptions): Promise<Opened>;
  /**
   * A tab in a new profile, for many tests that only read. A new tab for each test would take twice as much CPU time,
   * mostly to compile the same scripts again.
   */
  newTab(): Promise<KeptTab>;
}

/** A tab that stays open until the test file ends. */
export interface KeptTab {
  /** The profile, through which a test can set cookies. */
  readonly context: BrowserContext;
  /**
   * Returns the page. At the end of the test, its routes and its session storage are removed, and the test fails if the
   * page had an unexpected problem.
   */
  open(): Promise<Opened>;
}

/**
 * Returns the browser for a test file. Call this after the imports, as `const browser = await testBrowser()`, and put
 * the tests into `describe.skipIf(browser.missing !== null)`. All files of a run share one browser process, and each
 * file has its own profiles, which end with the file. If no browser starts, this rejects in CI; elsewhere the reason is
 * printed, and the tests are skipped.
 */
export async function testBrowser(): Promise<TestBrowser> {
  let browser: Browser;
  try {
    browser = await connectToShared();
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    const missing = error instanceof Error ? error.message : String(error);
    process.stderr.write(`No browser starts here, so that its tests are left out: ${missing}\n`);
    const reject = (): Promise<never> => Promise.reject(new Error(missing));
    return { missing, open: reject, newTab: reject };
  }
  afterAll(() => browser.close());
  return {
    missing: null,
    async open({ beside, ...options } = {}) {
      const context = beside?.context() ?? (await newContext(browser, options));
      const { page, watched } = await newPage(context);
      const problems = watched();
      onTestFinished(async () => {
        await (beside ? page.close() : context.close());
        problems.check();
      });
      return { page, problems };
    },
    async newTab() {
      const context = await newContext(browser);
      const { page, watched } = await newPage(context);
      return {
        context,
        open: async () => {
          const problems = watched();
          onTestFinished(async () => {
            await page.unrouteAll();
            await page.evaluate('sessionStorage.clear()');
            problems.check();
          });
          return { page, problems };
        },
      };
    },
  };
}

async function connectToShared(): Promise<Browser> {
  const response = await fetch(inject('browserDesk'));
  const reply = await response.text();
  if (!response.ok) throw new Error(reply);
  return chromium.connect(reply, { timeout: HANG_MS });
}

async function newPage(context: BrowserContext) {
  const page = await context.newPage();
  return { page, watched: await watch(page) };
}

async function newContext(browser: Browser, options?: Omit<PageOptions, 'beside'>): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  });
  // This timeout, for pages and requests, ends before the test's, with an error that names the wait.
  context.setDefaultTimeout(HANG_MS);
  return context;
}
