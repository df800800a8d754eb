import { defaultClientConditions } from 'vite';
import type { InlineConfig } from 'vite';

/** An area's texts and its pages have the same name: `es-numbers` are its words in Spanish. */
function languageOf(module: string | null): string {
  const [, language] = /\/texts\/(\w+)\/[^/]+$/.exec(module ?? '') ?? [];
  return language === undefined ? '' : `${language}-`;
}

/** Where the dashboard is, is known at run time only: every path is relative, and nothing is inline (CSP). */
const config: InlineConfig = {
  root: import.meta.dirname,
  base: './',
  configFile: false,
  mode: 'production',
  logLevel: 'warn',
  resolve: { conditions: ['source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    // light-dark(), and nothing newer.
    target: ['chrome123', 'firefox120', 'safari17.5'],
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
            { name: 'frame', tags: ['$initial'], priority: 1 },
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
