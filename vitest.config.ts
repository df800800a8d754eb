import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { cpuBudget } from './internal/test-support/src/cpu-budget.ts';
import { longFiles } from './internal/test-support/src/long-files.ts';
import { startedProgramsAreImports } from './internal/test-support/src/started-programs.ts';

// Packages import each other's TypeScript sources, so that nothing has to be built before a test.
const conditions = ['source', 'module', 'node', 'development|production'];

/** Tests that change nothing of their process and need no server: a worker keeps what it has loaded for all of their files. */
const PURE = [
  'packages/{core,gateway-baileys,http,receiver,storage-kit}/src/**/*.test.ts',
  'packages/core/test/{*,inputs/*,resources/*,safe-url/*}.test.ts',
  // The others measure their process or intercept all of its requests, and one needs PostgreSQL.
  'packages/core/test/node/!(webhook-sender-pinning).test.ts',
  'packages/http/test/{!(form-parser|growing-inputs|media-socket|postgres-rate-limit|traces),client/*}.test.ts',
  'packages/dashboard/test/!(app-build|late-pages|long-lists|stream-access).test.ts',
];

/** Half a minute and more each, in this order: one that begins last would run alone at the end. */
const LONGEST = [
  'packages/server/test/commands/move',
  'packages/server/test/commands/kills-at-each-step',
  'packages/server/test/commands/backup',
  'packages/server/test/commands/history-and-events',
  'packages/server/test/commands/remote-commands',
  'packages/server/test/commands/every-command',
  'packages/server/test/move/move-data',
  'packages/server/test/commands/hostile-answers',
  'packages/server/test/kills',
  'packages/gateway-baileys/test/contract',
  'packages/storage-postgres/test/contract',
  'packages/storage-sqlite/test/contract',
];

/** Vitest goes by the durations of the last run, and by size where there was none: a file that runs a contract has a line. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

const LONG_ONLY = '**/*.long.test.ts';
const OWN_PROCESS = ['{packages,internal,examples}/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'];

/** Files of `pnpm test` that may take more than ten seconds of CPU, each with the reason. */
const DEAR_FILES = {};

/** What `.ci/run` counts. */
const jsonReport = (name: string): ['json', { outputFile: string }] => [
  'json',
  { outputFile: `reports/${name}.json` },
];

export default defineConfig(({ mode }) => {
  const isLong = mode === 'long';
  return {
    plugins: [startedProgramsAreImports()],
    resolve: { conditions },
    ssr: { resolve: { conditions, externalConditions: ['source'] } },
    test: {
      projects: [
        ...(isLong
          ? []
          : [
              {
                extends: true as const,
                test: { name: 'pure', include: PURE, exclude: [LONG_ONLY], isolate: false },
              },
            ]),
        {
          extends: true,
          test: {
            name: 'own process',
            include: isLong ? longFiles(import.meta.dirname, OWN_PROCESS) : OWN_PROCESS,
            exclude: ['**/node_modules/**', ...(isLong ? [] : [...PURE, LONG_ONLY])],
            globalSetup: [
              'internal/test-postgres/src/global-setup.ts',
              'internal/test-support/src/build-programs.ts',
              'internal/browser/src/global-setup.ts',
            ],
          },
        },
      ],
      env: isLong ? { TEST_FORM: 'long' } : {},
      setupFiles: ['internal/test-support/src/measure-cpu.ts'],
      pool: 'forks',
      // Also on two cores: for most of their time, tests wait for other processes, and for what takes its time.
      maxWorkers: 4,
      execArgv: ['--conditions=source'],
      // eventsource has TypeScript under the same condition, which Node does not run from node_modules.
      server: { deps: { inline: [/@modelcontextprotocol[\\/]client/, 'eventsource'] } },
      sequence: { sequencer: LongestFirst },
      retry: 0,
      // For what hangs and nothing else: a test that waits says sooner what it waited for in vain (HANG_MS).
      testTimeout: 300_000,
      hookTimeout: 300_000,
      reporters: [
        'default',
        cpuBudget(isLong ? null : { seconds: 10, exceptions: DEAR_FILES }),
        ...(process.env['CI'] ? [jsonReport(isLong ? 'long' : 'test')] : []),
      ],
    },
  };
});
