// Sends webhooks in one of the ways that are compared.
import { serveParent } from '../child.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';
import { bareLoop } from './bare-loop.ts';
import type { Plan, SendFigures } from './plan.ts';
import { trunklineSender } from './trunkline-sender.ts';

export type Variant = 'undici dispatch' | 'undici fetch' | 'trunkline';

const directory = makeDirectory();

async function send(variant: Variant, plan: Plan): Promise<SendFigures> {
  switch (variant) {
    case 'undici dispatch':
      return bareLoop(plan, 'dispatch');
    case 'undici fetch':
      return bareLoop(plan, 'fetch');
    case 'trunkline':
      return trunklineSender(plan, directory);
  }
}

const variant = process.argv[2] as Variant; // the parent's own
serveParent(
  'ready',
  (plan) => send(variant, plan as Plan), // likewise
  () => removeDirectory(directory),
);
