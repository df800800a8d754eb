import { expect, it } from 'vitest';
import { loadAssets } from '#assets';
import { pagePaths } from './support/app-routes.ts';

/** In bytes over the wire. */
const FIRST_PAGE_MAX = 200 * 1024;

const IMPORTED = /(?:from|import)\s*["']\.\/([^"']+)["']/g;

async function builtText(name: string): Promise<string> {
  const file = (await loadAssets())[name];
  if (!file) throw new Error(`The build has no ${name}.`);
  const content = new Response(Buffer.from(file.gzip, 'base64')).body;
  return new Response(content?.pipeThrough(new DecompressionStream('gzip'))).text();
}

async function withImports(name: string, known = new Set<string>()): Promise<ReadonlySet<string>> {
  if (known.has(name)) return known;
  known.add(name);
  for (const [, imported] of (await builtText(name)).matchAll(IMPORTED)) {
    await withImports(`assets/${imported}`, known);
  }
  return known;
}

it('the first page takes less than 200 KiB over the wire, with every style there is', async () => {
  const files = await loadAssets();
  const names = Object.keys(files);
  const entries = names.filter((name) =>
    /^assets\/(index|main|now-page|en-now|en-numbers)-[^/]+\.js$/.test(name),
  );
  expect(entries).toHaveLength(5);
  const needed = new Set(['index.html', ...names.filter((name) => name.endsWith('.css'))]);
  for (const entry of entries) for (const name of await withImports(entry)) needed.add(name);
  const bytes = [...needed].map((name) => Buffer.from(files[name]?.gzip ?? '', 'base64').byteLength);
  expect(needed.size).toBeGreaterThan(5);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(FIRST_PAGE_MAX);
});

it('the document has nothing inline, and no path that only holds at the root of a host', async () => {
  const text = await builtText('index.html');
  expect(text).toContain('<base href="./" />');
  expect(text).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/);
  const paths = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(2);
  for (const path of paths) expect(path).toMatch(/^\.\//);
});

it('pages and languages are fetched when they are needed', async () => {
  const names = Object.keys(await loadAssets());
  const scriptOf = (module: string): string => {
    const name = names.find((each) => each.startsWith(`assets/${module}-`) && each.endsWith('.js'));
    if (name === undefined) throw new Error(`The build has no file of ${module}.`);
    return name;
  };
  const eager = await withImports(scriptOf('main'));
  const document = await builtText('index.html');
  for (const first of ['index', 'main']) expect(document).toContain(scriptOf(first));
  const pages = ['numbers-page', 'number-page', 'sign-in-page'];
  const parts = ['link-phone', 'account-menu', 'dialog-popup', 'search-popup', 'en-search'];
  for (const lazy of [...pages, ...parts, 'en-numbers', 'es-numbers', 'es-shell']) {
    expect(eager, lazy).not.toContain(scriptOf(lazy));
    expect(document, lazy).not.toContain(scriptOf(lazy));
  }
});

it('the server knows the files of each page that the router has, with its texts in each language', async () => {
  const names = Object.keys(await loadAssets());
  const pages: readonly { path: string; files: string[]; texts: Record<string, string[]> }[] = JSON.parse(
    await builtText('pages.json'),
  );
  expect(pages.map(({ path }) => path).toSorted()).toEqual((await pagePaths()).toSorted());
  for (const { path, files, texts } of pages) {
    expect(files[0], path).toMatch(/^assets\/[\w-]+-page-[\w-]+\.js$/);
    expect(Object.keys(texts), path).toEqual(['en', 'es']);
    for (const file of [...files, ...Object.values(texts).flat()]) expect(names, path).toContain(file);
  }
  const numbers = pages.find(({ path }) => path === '/w/$workspace/numbers');
  expect(numbers?.texts['es']?.[0]).toMatch(/^assets\/es-numbers-/);
});
