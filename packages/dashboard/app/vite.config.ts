import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultClientConditions } from 'vite';
import type { HtmlTagDescriptor, InlineConfig, Plugin, Rolldown } from 'vite';
import { PAGES } from '../src/assets.ts';
import type { PageFiles } from '../src/assets.ts';

/** A prefix for files of texts, because a page's file may have the same name: `es-` in `es-numbers`. */
function languageOf(module: string | null): string {
  const [, language] = /\/texts\/(\w+)\/[^/]+$/.exec(module ?? '') ?? [];
  return language === undefined ? '' : `${language}-`;
}

/** Preloads the dashboard's code, which the document's small script imports only after the first paint. */
const fetchedMeanwhile: Plugin = {
  name: 'fetched-meanwhile',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {}, chunk }) {
      const [main] = chunk?.dynamicImports ?? [];
      if (chunk?.dynamicImports.length !== 1 || main === undefined)
        throw new Error('The document’s script has to fetch one file, that of main.tsx.');
      const inDocument = filesOf(chunk.fileName, bundle);
      return [...filesOf(main, bundle)].filter((name) => !inDocument.has(name)).map(preload);
    },
  },
};

function filesOf(script: string, bundle: Rolldown.OutputBundle): ReadonlySet<string> {
  const files = new Set([script]);
  for (const file of files) {
    const chunk = bundle[file];
    if (chunk?.type === 'chunk') for (const name of chunk.imports) files.add(name);
  }
  return files;
}

/** A link with lower priority than the files of the first paint. */
function preload(file: string): HtmlTagDescriptor {
  const attrs = { rel: 'modulepreload', crossorigin: true, href: `./${file}`, fetchpriority: 'low' };
  return { tag: 'link', attrs, injectTo: 'head' };
}

/** Lists the files of each page, so that the server can name the requested page's files in the document. */
const filesOfPages: Plugin = {
  name: 'files-of-pages',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const fileOf = (module: string): string => {
      const path = join(SOURCES, module);
      const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(path));
      if (!chunk) throw new Error(`routes.ts leads to ${module}, which is in no file.`);
      return chunk.fileName;
    };
    const main = filesOf(fileOf('main.tsx'), bundle);
    const filesOfAll = (modules: readonly string[]): readonly string[] => {
      const files = modules.flatMap((module) => [...filesOf(fileOf(module), bundle)]);
      return [...new Set(files)].filter((file) => !main.has(file));
    };
    const pages = routedPages().map(({ path, module, areas }): PageFiles => {
      const textsIn = (language: string) => filesOfAll(areas.map((area) => `texts/${language}/${area}.ts`));
      return { path, files: filesOfAll([module]), texts: { en: textsIn('en'), es: textsIn('es') } };
    });
    this.emitFile({ type: 'asset', fileName: PAGES, source: JSON.stringify(pages) });
  },
};

const SOURCES = join(import.meta.dirname, 'src');

interface RoutedPage {
  readonly path: string;
  readonly module: string;
  readonly areas: readonly string[];
}

const ROUTES = /const (\w+) = createRoute\(\{([\s\S]*?)\}\);/g;
const PARENT = /getParentRoute: \(\) => (\w+)/;
const PATH = /path: '([^']*)'/;
const PAGE = /import\('\.\.\/([^']+)'\), '\w+', \[([^\]]*)\]/;

/** Reads the pages from the source of routes.ts. A test compares their paths with the router's. */
function routedPages(): readonly RoutedPage[] {
  const paths = new Map([['root', '']]);
  const pages: RoutedPage[] = [];
  const source = readFileSync(join(SOURCES, 'router/routes.ts'), 'utf8');
  for (const [, name = '', route = ''] of source.matchAll(ROUTES)) {
    const above = paths.get(PARENT.exec(route)?.[1] ?? '') ?? '';
    const own = PATH.exec(route)?.[1] ?? '';
    const path = own === '' || own === '/' ? above : `${above}/${own}`;
    paths.set(name, path);
    const [, module, areas = ''] = PAGE.exec(route) ?? [];
    if (module === undefined) continue;
    const files = areas.match(/\w+/g) ?? [];
    pages.push({ path: path === '' ? '/' : path, module, areas: files.map((area) => fileNameOf(area)) });
  }
  return pages;
}

/** The file name of an area's texts: `sign-in` for `signIn`. */
function fileNameOf(area: string): string {
  return area.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The location of the dashboard is known only at run time, so every path is relative. Nothing is inline (CSP). */
const config: InlineConfig = {
  root: import.meta.dirname,
  base: './',
  configFile: false,
  mode: 'production',
  logLevel: 'warn',
  resolve: { conditions: ['source', ...defaultClientConditions] },
  plugins: [fetchedMeanwhile, filesOfPages],
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    // The first versions with light-dark() and :has(), the newest features in use.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    // All styles together are small, so a request per file would cost more.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      // 'use client' matters only to servers that render React.
      checks: { moduleLevelDirective: false },
      output: {
        // Each file costs a request: one file for the initial code, and one for code that pages share.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 2 },
            { name: 'main', test: /app[\\/]src[\\/]main\.tsx$/, priority: 1 },
            {
              name: 'parts',
              test: /app[\\/]src[\\/](api|components|domain|live)[\\/]|texts[\\/]plural|client[\\/]/,
              minShareCount: 2,
            },
          ],
        },
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: ({ facadeModuleId }) => `assets/${languageOf(facadeModuleId)}[name]-[hash].js`,
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
};

export default config;
