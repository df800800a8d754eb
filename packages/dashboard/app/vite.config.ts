import { defaultClientConditions } from 'vite';
import type { HtmlTagDescriptor, InlineConfig, Plugin, Rolldown } from 'vite';

/** An area's texts and its pages have the same name: `es-numbers` are its words in Spanish. */
function languageOf(module: string | null): string {
  const [, language] = /\/texts\/(\w+)\/[^/]+$/.exec(module ?? '') ?? [];
  return language === undefined ? '' : `${language}-`;
}

/** The document's script is small, and loads the dashboard after the first paint: its files are fetched meanwhile. */
const fetchedMeanwhile: Plugin = {
  name: 'fetched-meanwhile',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {}, chunk }) {
      const [main] = chunk?.dynamicImports ?? [];
      if (chunk?.dynamicImports.length !== 1 || main === undefined)
        throw new Error('The document’s script has to fetch one file, that of main.tsx.');
      const inDocument = filesOf(chunk.fileName, bundle);
      return [...filesOf(main, bundle)]
        .filter((name) => !inDocument.has(name))
        .map((name) => link(name.endsWith('.css') ? 'stylesheet' : 'modulepreload', name));
    },
  },
};

/** A script with all that it imports, and their styles. */
function filesOf(script: string, bundle: Rolldown.OutputBundle): ReadonlySet<string> {
  const files = new Set([script]);
  // What is added on the way is gone through as well.
  for (const file of files) {
    const chunk = bundle[file];
    if (chunk?.type !== 'chunk') continue;
    for (const name of [...chunk.imports, ...(chunk.viteMetadata?.importedCss ?? [])]) files.add(name);
  }
  return files;
}

function link(rel: string, file: string): HtmlTagDescriptor {
  return { tag: 'link', attrs: { rel, crossorigin: true, href: `./${file}` }, injectTo: 'head' };
}

/** Where the dashboard is, is known at run time only: every path is relative, and nothing is inline (CSP). */
const config: InlineConfig = {
  root: import.meta.dirname,
  base: './',
  configFile: false,
  mode: 'production',
  logLevel: 'warn',
  resolve: { conditions: ['source', ...defaultClientConditions] },
  plugins: [fetchedMeanwhile],
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    // light-dark() and :has(), and nothing newer.
    target: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      // 'use client' has a meaning for servers that render React: none here.
      checks: { moduleLevelDirective: false },
      output: {
        // Files cost a request each: what comes first is one, and so is what most pages share.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 2 },
            { name: 'main', test: /app[\\/]src[\\/]main\.tsx$/, priority: 1 },
            {
              name: 'parts',
              test: /app[\\/]src[\\/](api|components|domain|live)[\\/]|client[\\/]/,
              minShareCount: 3,
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
