import { serveParent } from '../child.ts';
import { dropSchema } from '../postgres.ts';
import { STORAGES } from '../storages.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';
import { bareLoop } from './bare-loop.ts';
import { fetchSender } from './fetch-sender.ts';
import { graphileWorker } from './graphile-worker.ts';
import { ourSender } from './job.ts';
import { pgBoss } from './pg-boss.ts';
import type { Plan, SendFigures } from './plan.ts';
import { trunklineSender } from './trunkline-sender.ts';

export type Variant =
  | 'undici dispatch'
  | 'undici fetch'
  | 'trunkline, SQLite'
  | 'trunkline, PostgreSQL'
  | 'graphile-worker'
  | 'graphile-worker, fetch'
  | 'pg-boss';

const directory = makeDirectory();

async function send(variant: Variant, plan: Plan): Promise<SendFigures> {
  switch (variant) {
    case 'undici dispatch':
      return bareLoop(plan, 'dispatch');
    case 'undici fetch':
      return bareLoop(plan, 'fetch');
    case 'trunkline, SQLite':
      return trunklineSender(plan, () => STORAGES.sqlite(directory));
    case 'trunkline, PostgreSQL':
      return trunklineSender(plan, () => STORAGES.postgres(directory));
    case 'graphile-worker':
      return graphileWorker(plan, directory, ourSender(plan));
    case 'graphile-worker, fetch':
      return graphileWorker(plan, directory, fetchSender(plan));
    case 'pg-boss':
      return pgBoss(plan, directory, ourSender(plan));
  }
}

const variant = process.argv[2] as Variant; // the parent passes a variant
serveParent(
  'ready',
  (plan) => send(variant, plan as Plan), // the parent sends a `Plan`
  async () => {
    await dropSchema(directory);
    removeDirectory(directory);
  },
);
