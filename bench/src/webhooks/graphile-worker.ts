import { EventEmitter } from 'node:events';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import type { WorkerEvents } from 'graphile-worker';
import { Pool } from 'pg';
import { inBatches } from '../batches.ts';
import { postgresUrl, schemaOf } from '../postgres.ts';
import { jobsOf } from './job.ts';
import type { Job, JobSender } from './job.ts';
import { createMeter, IN_FLIGHT } from './plan.ts';
import type { Plan, SendFigures } from './plan.ts';

const silent = new Logger(() => () => {});

/** With its fastest settings: jobs are fetched ahead and completed together. */
export async function graphileWorker(plan: Plan, directory: string, sender: JobSender): Promise<SendFigures> {
  const pgPool = new Pool({ connectionString: postgresUrl(), max: 10 });
  pgPool.on('error', console.error);
  pgPool.on('connect', (client) => void client.on('error', console.error));
  const common = { pgPool, schema: schemaOf(directory), logger: silent };
  const utils = await makeWorkerUtils(common);
  await utils.migrate();
  for (const batch of inBatches(jobsOf(plan), 1000)) {
    await utils.addJobs(batch.map((payload) => ({ identifier: 'send', payload })));
  }
  const meter = createMeter(plan.webhooks);
  const events: WorkerEvents = new EventEmitter();
  events.on('job:complete', ({ error }) => {
    if (error) throw new Error('A job failed.', { cause: error });
    meter.sent();
  });
  const runner = await run({
    ...common,
    events,
    noHandleSignals: true,
    taskList: { send: (job) => sender.send(job as Job) }, // the payload was added as a `Job`
    preset: {
      worker: {
        concurrentJobs: IN_FLIGHT,
        localQueue: { size: 2 * IN_FLIGHT },
        completeJobBatchDelay: 1,
        failJobBatchDelay: 1,
        pollInterval: 200,
      },
    },
  });
  const figures = await meter.done;
  await runner.stop();
  await utils.release();
  await pgPool.end();
  await sender.close();
  return figures;
}
