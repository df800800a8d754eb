// Job queues with their fastest settings, and jobs that do nothing.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { Pool } from 'pg';
import { PgBoss } from 'pg-boss';
import { inBatches } from '../batches.ts';
import { dropSchema, postgresUrl, schemaOf } from '../postgres.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';

const BATCH = 1_000;
const silent = new Logger(() => () => {});

/** Returns how many jobs were completed per second. */
export async function drainGraphileWorker(jobs: number): Promise<number> {
  const directory = makeDirectory();
  const pgPool = new Pool({ connectionString: postgresUrl(), max: 10 });
  pgPool.on('error', console.error);
  pgPool.on('connect', (client) => void client.on('error', console.error));
  const common = { pgPool, schema: schemaOf(directory), logger: silent };
  const utils = await makeWorkerUtils(common);
  await utils.migrate();
  for (const batch of inBatches(payloads(jobs), BATCH)) {
    await utils.addJobs(batch.map((payload) => ({ identifier: 'nothing', payload })));
  }
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const began = performance.now();
  const runner = await run({
    ...common,
    noHandleSignals: true,
    taskList: {
      nothing() {
        count += 1;
        if (count === jobs) resolve();
      },
    },
    preset: {
      worker: {
        concurrentJobs: 24,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        pollInterval: 200,
      },
    },
  });
  await done;
  // `stop` waits until the outcomes are written.
  await runner.stop();
  const perSecond = jobs / ((performance.now() - began) / 1000);
  await utils.release();
  await pgPool.end();
  await dropSchema(directory);
  removeDirectory(directory);
  return perSecond;
}

/** Returns how many jobs were completed per second. */
export async function drainPgBoss(jobs: number): Promise<number> {
  const directory = makeDirectory();
  const boss = new PgBoss({
    connectionString: postgresUrl(),
    schema: schemaOf(directory),
    max: 10,
    supervise: false,
    schedule: false,
  });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue('nothing');
  for (const batch of inBatches(payloads(jobs), BATCH)) {
    await boss.insert(
      'nothing',
      batch.map((data) => ({ data })),
    );
  }
  const began = performance.now();
  const work = async (): Promise<void> => {
    for (;;) {
      const fetched = await boss.fetch('nothing', { batchSize: BATCH });
      if (fetched.length === 0) return;
      await boss.complete(
        'nothing',
        fetched.map(({ id }) => id),
      );
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  const perSecond = jobs / ((performance.now() - began) / 1000);
  await boss.stop({ graceful: false });
  await dropSchema(directory);
  removeDirectory(directory);
  return perSecond;
}

function payloads(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    event: `evt_${index}`,
    endpoint: `wh_${index % 1000}`,
  }));
}
