import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { cpuBudget } from './internal/test-support/src/cpu-budget.ts';
import { longFiles } from './internal/test-support/src/long-files.ts';
import { startedProgramsAreImports } from './internal/test-support/src/started-programs.ts';

// Packages import each other's TypeScript sources, so that nothing has to be built before a test.
const conditions = ['source', 'module', 'node', 'development|production'];

/**
 * Tests that leave their process unchanged, so that a worker can keep what it has loaded from one of these files to the
 * next. Other tests measure their process, count its timers or change it for good, intercept all of its requests, or
 * run servers that end with the process.
 */
const SHARED_PROCESS = [
  'packages/{core,gateway-baileys,http,receiver,storage-kit,storage-sqlite,storage-postgres}/src/**/*.test.ts',
  'packages/{gateway-contract,mcp,media-s3,storage-contract,storage-postgres,storage-sqlite}/test/*.test.ts',
  'packages/gateway-baileys/test/!(proxy).test.ts',
  'packages/core/test/{*,inputs/*,resources/*,safe-url/*}.test.ts',
  'packages/core/test/node/!(clock|webhook-sender-pinning).test.ts',
  'packages/dashboard/test/{!(app-build|late-pages|long-lists|stream-access),browser/*}.test.ts',
  'packages/http/test/{!(event-stream|form-parser|growing-inputs|media-socket|traces|unread-download),client/!(retries)}.test.ts',
  'packages/receiver/test/!(vectors-web).test.ts',
  'internal/fake-whatsapp/test/*.test.ts',
];

/**
 * Files that take half a minute or more. They start first, in this order, because a long file that starts last would
 * run alone at the end.
 */
const LONGEST = [
  'packages/server/test/commands/move',
  'packages/server/test/commands/kills-at-each-step',
  'packages/server/test/commands/backup',
  'packages/server/test/commands/hostile-answers',
  'packages/server/test/kills',
  'packages/storage-postgres/test/contract',
];

/**
 * Puts LONGEST first. Vitest itself sorts by the durations of the last run, or else by size, which misplaces a small
 * file that runs a whole contract.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}

/**
 * Saves a tenth of the CPU time, because a test allocates much, keeps little, and four test processes may share two
 * cores.
 */
const FEWER_COLLECTIONS = ['--max-semi-space-size=64', '--single-threaded-gc'];

const LONG_ONLY = '**/*.long.test.ts';
const ALL = ['{packages,internal,examples}/*/{src,test}/**/*.test.ts', 'test/**/*.test.ts'];

/** Files of `pnpm test` that may take more than ten seconds of CPU time, or a fiftieth of the run, by reason. */
const DEAR_FILES = {
  'starts programs, servers or clusters, which is what it tests': [
    'packages/gateway-baileys/test/kill.test.ts',
    'packages/server/test/commands/kills-at-each-step.test.ts',
    'packages/server/test/commands/move.test.ts',
    'packages/server/test/kills.test.ts',
    'packages/server/test/whatsapp.test.ts',
  ],
  'runs a whole contract': [
    'packages/http/test/conformance.test.ts',
    'packages/storage-postgres/test/contract.test.ts',
    'packages/storage-sqlite/test/contract.test.ts',
  ],
  'plays hours on the manual clock, with every statement on SQLite': [
    'packages/core/test/disturbances.test.ts',
    'packages/core/test/failing-endpoints.test.ts',
    'packages/core/test/held-messages.test.ts',
    'packages/core/test/late-files.test.ts',
    'packages/core/test/outages.test.ts',
  ],
  'tries thousands of random or hostile inputs': [
    'packages/http/test/fuzz.test.ts',
    'packages/http/test/growing-inputs.test.ts',
  ],
  'streams files through real sockets': ['packages/http/test/media-socket.test.ts'],
  'links a number over the fake network in each of its tests': [
    'packages/gateway-baileys/test/flows.test.ts',
  ],
  'opens each of 16 pages in a browser': ['packages/dashboard/test/browser/every-page.test.ts'],
  'lets a day of the clock pass for each of its cases': ['packages/core/test/late-files.test.ts'],
};

/** The report in which `.ci/run` counts the tests. */
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
                test: {
                  name: 'shared process',
                  include: SHARED_PROCESS,
                  exclude: [LONG_ONLY],
                  isolate: false,
                  setupFiles: ['internal/test-support/src/same-globals.ts'],
                },
              },
            ]),
        {
          extends: true,
          test: {
            name: 'own process',
            include: isLong ? longFiles(import.meta.dirname, ALL) : ALL,
            exclude: ['**/node_modules/**', ...(isLong ? [] : [...SHARED_PROCESS, LONG_ONLY])],
          },
        },
      ],
      globalSetup: [
        'internal/test-postgres/src/global-setup.ts',
        'internal/test-support/src/build-programs.ts',
        'internal/browser/src/global-setup.ts',
      ],
      env: isLong ? { TEST_FORM: 'long' } : {},
      setupFiles: ['internal/test-support/src/measure-cpu.ts'],
      pool: 'forks',
      // Four workers even on two cores, because tests mostly wait for other processes and for time to pass.
      maxWorkers: 4,
      execArgv: ['--conditions=source', ...FEWER_COLLECTIONS],
      // Inlined because eventsource has TypeScript under the condition `source`, which Node does not run from
      // node_modules.
      server: { deps: { inline: [/@modelcontextprotocol[\\/]client/, 'eventsource'] } },
      sequence: { sequencer: LongestFirst },
      retry: 0,
      // Only for hangs, because a test that waits for an event fails sooner (HANG_MS), with an error that names the
      // event.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      reporters: [
        'default',
        cpuBudget(isLong ? null : { seconds: 10, share: 1 / 50, exceptions: DEAR_FILES }),
        ...(process.env['CI'] ? [jsonReport(isLong ? 'long' : 'test')] : []),
      ],
    },
  };
});
