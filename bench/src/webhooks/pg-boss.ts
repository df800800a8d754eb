import { PgBoss } from 'pg-boss';
import { inBatches } from '../batches.ts';
import { postgresUrl, schemaOf } from '../postgres.ts';
import { jobsOf } from './job.ts';
import type { Job, JobSender } from './job.ts';
import { createMeter, IN_FLIGHT } from './plan.ts';
import type { Plan, SendFigures } from './plan.ts';

const QUEUE = 'webhooks';
/** While one loop waits for the slowest job of its batch, the others send. */
const LOOPS = 4;

/** In its fastest form: batches are fetched and completed explicitly. */
export async function pgBoss(plan: Plan, directory: string, sender: JobSender): Promise<SendFigures> {
  const boss = new PgBoss({
    connectionString: postgresUrl(),
    schema: schemaOf(directory),
    max: 10,
    supervise: false,
    schedule: false,
  });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(QUEUE);
  for (const batch of inBatches(jobsOf(plan), 1000)) {
    await boss.insert(
      QUEUE,
      batch.map((data) => ({ data })),
    );
  }
  const meter = createMeter(plan.webhooks);
  const work = async (): Promise<void> => {
    for (;;) {
      const jobs = await boss.fetch<Job>(QUEUE, { batchSize: IN_FLIGHT / 2 });
      if (jobs.length === 0) return;
      await Promise.all(jobs.map(({ data }) => sender.send(data)));
      await boss.complete(
        QUEUE,
        jobs.map(({ id }) => id),
      );
      for (let count = 0; count < jobs.length; count += 1) meter.sent();
    }
  };
  await Promise.all(Array.from({ length: LOOPS }, work));
  const figures = await meter.done;
  await boss.stop({ graceful: false });
  await sender.close();
  return figures;
}
