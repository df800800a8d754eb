import fc from 'fast-check';
import { describe } from 'vitest';
import { createNewId } from '@trunkline/core/spi/storage';
import type { Storage } from '@trunkline/core/spi/storage';
import { it } from '../cases.ts';
import type { ContractSubject } from '../contract-subject.ts';
import { silent } from '../test-database.ts';
import { actionSteps } from './action-steps.ts';
import { activitySteps } from './activity-steps.ts';
import { claimSteps, deliverySteps, waitSteps } from './delivery-steps.ts';
import { downloadSteps } from './download-steps.ts';
import { endpointSteps, reopeningSteps } from './endpoint-steps.ts';
import { instanceSteps } from './instance-steps.ts';
import { messageSteps } from './message-steps.ts';
import { seededBytes } from './seeded-bytes.ts';
import { subscriptionSteps } from './subscription-steps.ts';
import { workspaceSteps } from './workspace-steps.ts';
import { newSide, Scenario } from './scenario.ts';

/** More runs find rarer defects: `STORAGE_CONTRACT_RUNS=2000`. */
const RUNS = process.env['STORAGE_CONTRACT_RUNS'];
const STEPS = 120;

/**
 * Takes random steps with the storage under test, and holds what can then be read against the rules. If the subject has
 * a reference, takes the same steps with that, and all results must be the same.
 */
export function modelContract(subject: ContractSubject): void {
  const numRuns = Number(RUNS ?? subject.randomRuns ?? 40);
  describe('random steps', () => {
    it(
      'follow the rules, and have the results of the reference',
      { timeout: 300_000 + numRuns * 30_000 },
      async () => {
        const themes = [EVERYTHING, MESSAGES, DELIVERIES, EVENTS].map((steps) =>
          fc.commands(steps, { maxCommands: STEPS, size: 'max' }),
        );
        const property = fc.asyncProperty(fc.oneof(...themes), (steps) => runOnce(subject, steps));
        await fc.assert(property, { numRuns });
      },
    );
  });
}

/**
 * Each run takes steps from one of these lists, because related steps affect the same rows more often if other steps
 * are left out. Steps that are listed twice are taken more often.
 */
const WAITS = [...waitSteps, ...waitSteps];
const MESSAGES = [
  ...instanceSteps,
  ...messageSteps,
  ...messageSteps,
  ...downloadSteps,
  ...activitySteps,
  ...actionSteps,
  ...WAITS,
];
const LIVES = [...claimSteps, ...claimSteps, ...reopeningSteps, ...waitSteps];
const DELIVERIES = [...LIVES, ...LIVES, ...endpointSteps, ...deliverySteps];
const EVENTS = [...MESSAGES, ...subscriptionSteps, ...subscriptionSteps, ...deliverySteps];
const EVERYTHING = [...workspaceSteps, ...MESSAGES, ...DELIVERIES, ...subscriptionSteps];

type Steps = Parameters<typeof fc.asyncModelRun<Scenario, ReturnType<typeof newSide>, false, Scenario>>[1];

async function runOnce(subject: ContractSubject, steps: Steps): Promise<void> {
  const database = await subject.createDatabase();
  const storage = database.connect();
  const reference = subject.reference?.();
  try {
    const real = newSide(await opened(storage));
    const model = reference ? newSide(await opened(reference)) : real;
    const scenario = new Scenario(model);
    await scenario.begin(new Set([model, real]));
    await fc.asyncModelRun(() => ({ model: scenario, real }), steps);
  } finally {
    await storage.close();
    await reference?.close();
    await database.dispose();
  }
}

/** Opens a storage. Both storages make the same ids if they make them in the same order. */
async function opened(storage: Storage<unknown>): Promise<Storage> {
  await storage.open({ newId: createNewId(seededBytes(1)), logger: silent });
  return storage;
}
