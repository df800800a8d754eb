import fc from 'fast-check';
import { describe } from 'vitest';
import { createNewId } from '@trunkline/core/spi/storage';
import type { Storage } from '@trunkline/core';
import { memoryStorage } from '@trunkline/core/testing';
import { it } from '../cases.ts';
import type { ContractSubject } from '../contract-subject.ts';
import { silent } from '../test-database.ts';
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

/** Takes random steps with the storage under test and with the in-memory storage. All results must be the same. */
export function modelContract(subject: ContractSubject): void {
  const numRuns = Number(RUNS ?? subject.randomRuns ?? 40);
  describe('random steps', () => {
    it('have the same results as in memory', { timeout: 300_000 + numRuns * 30_000 }, async () => {
      const themes = [EVERYTHING, MESSAGES, DELIVERIES, EVENTS].map((steps) =>
        fc.commands(steps, { maxCommands: STEPS, size: 'max' }),
      );
      const property = fc.asyncProperty(fc.oneof(...themes), (steps) => runOnce(subject, steps));
      await fc.assert(property, { numRuns });
    });
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
  try {
    const model = newSide(await opened(memoryStorage()));
    const real = newSide(await opened(storage));
    const scenario = new Scenario(model);
    await scenario.begin([model, real]);
    await fc.asyncModelRun(() => ({ model: scenario, real }), steps);
  } finally {
    await storage.close();
    await database.dispose();
  }
}

/** Opens a storage. Both storages make the same ids if they make them in the same order. */
async function opened(storage: Storage): Promise<Storage> {
  await storage.open({ newId: createNewId(seededBytes(1)), logger: silent });
  return storage;
}
