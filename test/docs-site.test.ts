import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { inEachLook, picture, testBrowser } from '@trunkline/browser';
import type { Page, TestBrowser } from '@trunkline/browser';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { brokenLinks } from '../site/src/broken-links.ts';
import { readContents } from '../site/src/contents.ts';
import { siteText } from '../site/src/site-text.ts';

const ROOT = join(import.meta.dirname, '..');
const contents = readContents(readFileSync(join(ROOT, 'docs/README.md'), 'utf8'));
const pages = contents.flatMap((section) => section.pages);

test('docs/README.md lists every page of docs/ once, so that the site has it in its sidebar', () => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'docs/*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const written = files.split('\n').filter((path) => path !== '' && path !== 'docs/README.md');
  const listed = pages.map(({ path }) => path);
  expect(listed.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(written.toSorted());
  expect(new Set(listed).size).toBe(listed.length);
  expect(new Set(pages.map(({ slug }) => slug)).size).toBe(pages.length);
  expect(contents.map(({ title }) => title)).toEqual([
    'Start',
    'Embed',
    'Receive',
    'Integrate',
    'Operate',
    'WhatsApp',
    'Reference',
    'How it works',
  ]);
});

test('every item of a list in docs/README.md that links to a page is a page of the site', () => {
  const text = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
  const items = text.slice(text.indexOf('\n## ')).match(/^- /gm);
  expect(items).toHaveLength(pages.length);
});

test('links between pages lead to pages of the site, others to the code host, and code is not changed', () => {
  const [page] = pages.filter(({ path }) => path === 'docs/deploy/nginx.md');
  if (!page) throw new Error('docs/README.md lists no page docs/deploy/nginx.md.');
  const markdown = [
    '# Nginx',
    '[1](../running.md#settings) [2](README.md) [3](#here) [4](https://example.com/a.md)',
    '[5](../../packages/http/openapi.json) [6](../../deploy/nginx) [7](../../scripts/check-docs.mjs)',
    '[8](../../examples/cluster) ![9](../images/dashboard-tour-1.png)',
    '<source srcset="../images/number-dark.png"><img src="../images/number-light.png" alt="x">',
    '> [!WARNING]',
    '> Read [this](../running.md)',
    '> first.',
    '```sh',
    'echo "[9](../running.md)"',
    '```',
  ];
  const text = siteText(page, markdown.join('\n'), {
    pages: new Map(pages.map((each) => [each.path, each])),
    base: '/0.1',
    isDirectory: (path) => !extname(path),
  });
  expect(text.split('\n')).toEqual([
    '[1](/0.1/running/#settings) [2](/0.1/deploy/) [3](#here) [4](https://example.com/a.md)',
    '[5](/0.1/openapi.json) [6](https://github.com/trunkline/trunkline/tree/main/deploy/nginx) [7](https://github.com/trunkline/trunkline/blob/main/scripts/check-docs.mjs)',
    '[8](/0.1/examples/cluster/) ![9](/0.1/images/dashboard-tour-1.png)',
    '<source srcset="/0.1/images/number-dark.png"><img src="/0.1/images/number-light.png" alt="x">',
    ':::caution',
    'Read [this](/0.1/running/)',
    'first.',
    ':::',
    '```sh',
    'echo "[9](../running.md)"',
    '```',
  ]);
});

test('the check of the built site finds links to missing pages, files and anchors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-site-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'a'));
  writeFileSync(
    join(folder, 'index.html'),
    '<a id="x"></a><a href="#x"></a><a href="/0.1/a/#y"></a><a href="https://example.com/">',
  );
  writeFileSync(
    join(folder, 'a/index.html'),
    `<a id="y"></a><a href="/0.1/"></a><a href="#x"></a><a href="/0.1/b/"></a><a href="../#y"></a>
<img src="/0.1/c.png"><a href="/a/"></a>`,
  );
  expect(brokenLinks(folder, '/0.1').toSorted()).toEqual([
    'a/index.html: #x',
    'a/index.html: ../#y',
    'a/index.html: /0.1/b/',
    'a/index.html: /0.1/c.png',
    'a/index.html: /a/',
  ]);
});

// Building takes long, and needs packages that nothing else needs.
const BUILDS = process.env['DOCS_SITE'] === '1';
const browser: TestBrowser | null = BUILDS ? await testBrowser() : null;

describe.skipIf(!BUILDS)('the built site (DOCS_SITE=1)', () => {
  const base = '/0.1';
  const dist = join(ROOT, 'site/dist');
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = join(dist, decodeURI(pathname).slice(base.length));
    const file = path.endsWith('/') ? `${path}index.html` : path;
    if (!pathname.startsWith(`${base}/`) || !existsSync(file)) return void response.writeHead(404).end();
    return void response
      .writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' })
      .end(readFileSync(file));
  });
  let output = '';
  let baseURL = '';

  beforeAll(async () => {
    const { status, stdout, stderr } = spawnSync('npx', ['--yes', 'pnpm@12', 'docs:build'], {
      timeout: 280_000,
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...OUTSIDE, SITE_BASE: base, npm_config_loglevel: 'error' },
    });
    output = stdout + stderr;
    expect(status, output).toBe(0);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('There is no port.');
    baseURL = `http://127.0.0.1:${address.port}${base}/`;
  });
  afterAll(() => server.close());

  it('is built without a warning', () => {
    expect(output).toContain('Complete!');
    expect(output).not.toMatch(/warn|deprecat|telemetry/i);
  });

  it('has every page, in the sidebar of every page', () => {
    const sidebar = readFileSync(join(dist, 'running/index.html'), 'utf8');
    for (const { slug, title } of pages) {
      expect(sidebar).toContain(`href="${base}/${slug}/"`);
      expect(readFileSync(join(dist, slug, 'index.html'), 'utf8')).toContain(title);
    }
    expect(sidebar).toContain(`href="${base}/typescript/`);
    expect(sidebar).toContain(`href="${base}/api/`);
    expect(existsSync(join(dist, '404.html'))).toBe(true);
  });

  it('has the text of every page for language models', () => {
    const list = readFileSync(join(dist, 'llms.txt'), 'utf8');
    const full = readFileSync(join(dist, 'llms-full.txt'), 'utf8');
    for (const { slug, title, description } of pages) {
      expect(list).toContain(`- [${title}](${base}/${slug}.md): ${description}`);
      expect(full).toContain(`# ${title}\n`);
      expect(existsSync(join(dist, `${slug}.md`))).toBe(true);
    }
  });

  it('has a search, and sends no request to another server', async () => {
    const { page, foreign } = await open();
    await page.goto('./');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('textbox').fill('Litestream');
    await page.getByRole('dialog').getByRole('link', { name: 'Litestream', exact: true }).first().click();
    await page.waitForURL('**/deploy/litestream/**');
    expect(foreign).toEqual([]);
  });

  // A test also fails if a page has logged an error or a warning.
  it.for(SECTIONS)(
    'shows every page of "%s" from edge to edge, on a desk and on a phone',
    { timeout: 600_000 },
    async (section) => {
      const { page, foreign } = await open();
      const faults: string[] = [];
      const pages = shown(section, dist);
      expect(pages).not.toEqual([]);
      for (const [index, { slug, title }] of pages.entries()) {
        await page.goto(slug === '' || extname(slug) !== '' ? `./${slug}` : `${slug}/`);
        const titles = await page.getByRole('heading', { level: 1 }).allInnerTexts();
        expect(titles, slug).toEqual([title ?? expect.stringMatching(/\S/)]);
        const name = `docs/${slug.replaceAll('/', '-') || 'index'}`;
        // A generated page may be as long as a book.
        const height = title === null ? 4000 : undefined;
        await inEachLook(page, async (look) => {
          if (look === 'dark' && index % 8 > 0) return;
          const fault = await page.evaluate<string | null>(BEYOND_THE_EDGE);
          if (fault !== null) faults.push(`${slug}, ${look}: ${fault}`);
          await picture(page, `${name}-${look}`, height);
        });
      }
      expect(faults).toEqual([]);
      expect(foreign).toEqual([]);
    },
  );

  async function open(): Promise<{ readonly page: Page; readonly foreign: readonly string[] }> {
    if (!browser || browser.missing !== null) throw new Error(`There is no browser: ${browser?.missing}`);
    const { page } = await browser.open({ baseURL });
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(baseURL))
        foreign.push(request.url());
    });
    return { page, foreign };
  }
});

/** Without Vitest's own variables, from which Vite would read its `BASE_URL` and mode. */
const OWN = /^(BASE_URL|DEV|MODE|NODE_ENV|NODE_OPTIONS|PROD|SSR|TEST|VITEST.*)$/;
const OUTSIDE = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN.test(name)));

/** The pages of the last two sections are generated. */
const SECTIONS = [...contents.map(({ title }) => title), 'REST API', 'TypeScript API'];

/** The pages of a section, with their titles; the title of a generated page is null. */
function shown(
  section: string,
  dist: string,
): readonly { readonly slug: string; readonly title: string | null }[] {
  const folder = { 'REST API': 'api', 'TypeScript API': 'typescript' }[section];
  if (folder !== undefined) {
    return globSync('**/index.html', { cwd: join(dist, folder) })
      .map((file) => ({ slug: join(folder, file, '..'), title: null }))
      .toSorted((one, other) => one.slug.localeCompare(other.slug));
  }
  const listed = contents.find(({ title }) => title === section)?.pages ?? [];
  if (section !== 'Start') return listed;
  return [{ slug: '', title: 'Trunkline' }, ...listed, { slug: '404.html', title: 'There is no such page' }];
}

/**
 * Returns the HTML of the first element beyond the right edge of the window, except within scrolling elements; null if
 * there is none. A string, because it runs in the page.
 */
const BEYOND_THE_EDGE = `(() => {
  const { clientWidth } = document.documentElement;
  const main = document.querySelector('main');
  const scrolls = (element) =>
    element !== main &&
    (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const beyond = [...main.querySelectorAll('*')].find(
    (element) => element.getBoundingClientRect().right > clientWidth + 1 && !scrolls(element),
  );
  return beyond?.outerHTML.slice(0, 200) ?? null;
})()`;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
};
