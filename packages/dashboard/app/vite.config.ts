import { defaultClientConditions } from 'vite';
import type { InlineConfig } from 'vite';

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
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
};

export default config;
