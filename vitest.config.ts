import { defineConfig } from 'vitest/config';

// Packages import each other's TypeScript sources, so that nothing has to be built before a test.
const conditions = ['source', 'module', 'node', 'development|production'];

/** Tests that change nothing of their process and need no server: a worker keeps what it has loaded for all of their files. */
const PURE = [
  'packages/{core,http,receiver,storage-kit}/src/**/*.test.ts',
  'packages/core/test/{*,inputs/*,resources/*}.test.ts',
];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['source'] } },
  test: {
    projects: [
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
      {
        extends: true,
        test: {
          name: 'own process',
          include: ['{packages,internal,examples}/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...PURE],
          globalSetup: [
            'internal/test-postgres/src/global-setup.ts',
            'internal/test-support/src/build-programs.ts',
          ],
        },
      },
    ],
    pool: 'forks',
    // Also on two cores: for most of their time, tests wait for other processes, and for what takes its time.
    maxWorkers: 4,
    execArgv: ['--conditions=source'],
    // eventsource has TypeScript under the same condition, which Node does not run from node_modules.
    server: { deps: { inline: [/@modelcontextprotocol[\\/]client/, 'eventsource'] } },
    retry: 0,
    // For what hangs and nothing else: a test that waits says sooner what it waited for in vain (HANG_MS).
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: process.env['CI'] ? ['default', ['json', { outputFile: 'reports/vitest.json' }]] : ['default'],
  },
});
