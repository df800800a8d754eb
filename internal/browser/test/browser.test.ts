import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  axe,
  bytesReceived,
  firstPaint,
  heapBytes,
  screenshot,
  slowDown,
  testBrowser,
} from '../src/index.ts';
import type { KeptTab } from '../src/index.ts';
import startSharedBrowser from '../src/global-setup.ts';

const browser = await testBrowser();

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  response.setHeader(
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:",
  );
  response.setHeader('Content-Type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html');
  response.statusCode = pathname in PAGES ? 200 : 404;
  response.end(PAGES[pathname]);
});

const page = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>A page</title><link rel="icon" href="data:,"></head><body><main><h1>A page</h1>${body}</main></body></html>`;

const PAGES: Readonly<Record<string, string>> = {
  '/good': page('<p>All is well.</p>'),
  '/inline-script': page('<script>document.title = "no"</script>'),
  '/inline-style': page('<p style="color: red">Red</p>'),
  '/throws': page('<script src="throws.js"></script>'),
  '/throws.js': 'throw new Error("It is broken.")',
  '/characters': page('<p>中 ▲ ✓ 😀 عربي</p>'),
  '/complains': page('<script src="complains.js"></script>'),
  '/complains.js': 'console.error("Something is wrong.")',
  '/late': page('<script src="late.js"></script>'),
  '/late.js': `console.warn('The resource was preloaded using link preload but not used within a few seconds')`,
  '/missing': page('<script src="nothing.js"></script>'),
  '/no-name': page('<button></button>'),
  '/pale': page('<p><font color="#bbbbbb">Hardly to be seen</font></p><button></button>'),
  '/grows': page('<script src="grows.js"></script>'),
  '/grows.js': 'globalThis.kept = Array.from({ length: 2_000_000 }, (_, i) => i + 0.5)',
  '/scheme': page('<p>Colours</p><script src="scheme.js"></script>'),
  '/scheme.js': 'matchMedia("(prefers-color-scheme: dark)").onchange = () => document.title = "changed"',
};

/** The widths of narrow and wide letters: equal if there is no font. */
const WIDTHS = `['iiii', 'WWWW'].map((text) => {
  const paragraph = document.querySelector('p');
  paragraph.replaceChildren(Object.assign(document.createElement('span'), { textContent: text }));
  return paragraph.firstChild.getBoundingClientRect().width;
})`;

describe.skipIf(browser.missing !== null)('a browser for tests', () => {
  let baseURL = '';
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('There is no port.');
    baseURL = `http://127.0.0.1:${address.port}`;
  });
  afterAll(() => server.close());

  it('paints text, also with characters that few fonts have', async () => {
    const { page } = await browser.open({ baseURL });
    await page.goto('/characters');
    const widths = await page.evaluate<readonly number[]>(WIDTHS);
    expect(new Set(widths).size).toBe(2);
  });

  it('opens a page, which has no problems', async () => {
    const { page: opened, problems } = await browser.open({ baseURL });
    await opened.goto('/good');
    expect(await opened.getByRole('heading').textContent()).toBe('A page');
    expect(await axe(opened)).toEqual([]);
    expect(problems.list()).toEqual([]);
  });

  it.each([
    ['a script that the policy forbids', '/inline-script', /policy: script-src/],
    ['a style that the policy forbids', '/inline-style', /policy: style-src/],
    ['an error', '/throws', /error: Error: It is broken\./],
    ['a complaint on the console', '/complains', /console: Something is wrong\./],
    ['a file that is missing', '/missing', /404/],
  ])('notices %s', async (_, path, problem) => {
    const { page: opened, problems } = await browser.open({ baseURL });
    await opened.goto(path);
    await eventually(() => expect(problems.list().join('\n')).toMatch(problem));
    // Expect the problem, or this test would fail because of it.
    problems.expect(problem);
    problems.expect(/./);
    expect(problems.list()).toEqual([]);
  });

  it('takes no warning for a problem that only says that the machine is busy', async () => {
    const { page: opened, problems } = await browser.open({ baseURL });
    const warning = opened.waitForEvent('console');
    await opened.goto('/late');
    expect((await warning).text()).toContain('was preloaded');
    expect(problems.list()).toEqual([]);
  });

  it('reports obstacles for a screen reader', async () => {
    const { page: opened } = await browser.open({ baseURL });
    await opened.goto('/no-name');
    expect(await axe(opened)).toEqual([expect.stringMatching(/^button-name: .*: button/)]);
  });

  it('reports colours that are hard to read, and on request only these', async () => {
    const { page: opened } = await browser.open({ baseURL });
    await opened.goto('/pale');
    const contrast = expect.stringMatching(/^color-contrast: .*: font/);
    expect(await axe(opened)).toEqual([expect.stringMatching(/^button-name: /), contrast]);
    expect(await axe(opened, { about: 'colour' })).toEqual([contrast]);
  });

  it.runIf(isLongForm)('measures what a page costs', async () => {
    const { page: opened } = await browser.open({ baseURL });
    const bytes = await bytesReceived(opened);
    await slowDown(opened, 4);
    await opened.goto('/good');
    expect(bytes()).toBeGreaterThan(100);
    expect(await firstPaint(opened)).toBeGreaterThan(0);
    const small = await heapBytes(opened);
    await opened.goto('/grows');
    expect((await heapBytes(opened)) - small).toBeGreaterThan(15_000_000);
  });

  it.runIf(isLongForm)('takes pictures for people to look at, when asked to', async () => {
    const { page: opened } = await browser.open({ baseURL });
    await opened.goto('/scheme');
    vi.stubEnv('SCREENSHOTS', '');
    expect(await screenshot(opened, 'a-page')).toEqual([]);
    vi.stubEnv('SCREENSHOTS', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const paths = await screenshot(opened, 'a-page');
    expect(paths.map((path) => path.replace(/.*-/, ''))).toEqual(['light.png', 'dark.png', 'phone.png']);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    expect(await opened.title()).toBe('changed');
    expect(opened.viewportSize()).toEqual({ width: 1280, height: 800 });
  });

  it('keeps profiles apart, and tabs of one together', async () => {
    const { page: first } = await browser.open({ baseURL });
    await first.context().addCookies([{ name: 'who', value: 'me', url: baseURL }]);
    const { page: second } = await browser.open({ baseURL });
    const { page: tab } = await browser.open({ beside: first });
    expect(await second.context().cookies()).toEqual([]);
    expect(await tab.context().cookies()).toHaveLength(1);
  });

  describe('a tab for many tests', () => {
    let tab: KeptTab;
    beforeAll(async () => {
      tab = await browser.newTab();
    });

    it('is signed in by its cookies, and left by a test in a state of its own', async () => {
      await tab.context.addCookies([{ name: 'who', value: 'me', url: baseURL }]);
      const { page: opened, problems } = await tab.open();
      problems.expect(/Something is wrong\./);
      await opened.route('**/good', (route) => route.abort());
      await opened.goto(`${baseURL}/complains`);
      await opened.evaluate("sessionStorage.setItem('theme', 'dark')");
    });

    it('is as new in the next test, with its cookies', async () => {
      const { page: opened, problems } = await tab.open();
      await opened.goto(`${baseURL}/good`);
      expect(problems.list()).toEqual([]);
      expect(await opened.evaluate("sessionStorage.getItem('theme')")).toBe(null);
      expect(await tab.context.cookies()).toHaveLength(1);
    });
  });

  it.runIf(isLongForm)('is shared by all who ask for it, and is another one after a crash', async () => {
    let desk = '';
    const end = await startSharedBrowser({ provide: (_name, url) => void (desk = String(url)) });
    onTestFinished(end);
    const ask = async (): Promise<string> => (await fetch(desk)).text();
    const first = await ask();
    expect(await ask()).toBe(first);
    const shared = await chromium.connect(first);
    const debuggerOfBrowser = await shared.newBrowserCDPSession();
    void debuggerOfBrowser.send('Browser.crash').catch(() => undefined);
    await eventually(async () => expect(await ask()).not.toBe(first));
    const second = await chromium.connect(await ask());
    expect(second.isConnected()).toBe(true);
  });

  it.runIf(isLongForm)('ends with the process that started it, even if that is killed', async () => {
    const program = fileURLToPath(new URL('support/programs/open-browser.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=source', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface(child.stdout), 'line');
    const pid = Number(line);
    expect(() => process.kill(pid, 0)).not.toThrow();
    child.kill('SIGKILL');
    await eventually(() => expect(isRunning(pid)).toBe(false));
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
