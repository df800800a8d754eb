import { expect, it, onTestFinished } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import type { Gateway } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { recordingSender, testRuntime } from '@trunkline/core/testing';
import { anInstance, aWorkspace } from '@trunkline/storage-contract/examples';
import { countingPool } from './support/counting-pool.ts';
import { openStorage, temporarySchema } from './support/open-storage.ts';

const SECOND = 1_000;
/** Shorter than any deadline, so that the statements of a step complete before time advances. */
const STEP = 250;

it('a process that holds 100 idle instances asks as much of the database in three minutes as one that holds 10', async () => {
  const [few, many] = [await idleStatements(10), await idleStatements(100)];
  expect(Object.fromEntries(many)).toEqual(Object.fromEntries(few));
  const total = [...many.values()].reduce((sum, count) => sum + count, 0);
  expect(total / 180).toBeLessThan(5.5);
});

/** How often each statement is sent in three minutes, once all instances are connected. */
async function idleStatements(instances: number): Promise<ReadonlyMap<string, number>> {
  const schema = await temporarySchema();
  const { pool, takeCounts, quiet } = countingPool(schema.url);
  // Leaves out `serverTime`, and the heartbeats of the listening connection, which follow the machine's clock.
  const { serverTime: _, ...storage } = await openStorage(schema, { pool, notifications: false });
  const runtime = testRuntime();
  // Creates the day's partition before the first event. Otherwise, the day would never get a partition, and each
  // maintenance would look for it again.
  await storage.maintain?.(runtime.clock.now());
  const workspace = aWorkspace();
  await storage.workspaces.insert(workspace);
  const connected: { readonly id: string }[] = [];
  for (let index = 0; index < instances; index += 1) {
    const instance = anInstance(workspace, { status: 'disconnected', desired: 'running' });
    await storage.instances.insert(instance, null);
    connected.push(instance);
  }
  const trunkline = createTrunkline({
    ...runtime,
    storage: { ...storage, open: async () => {}, close: async () => {} },
    gateways: [linkedBefore(createSandbox().gateway)],
    webhookSender: recordingSender(),
    secretKey: 'a secret key of at least 32 characters',
  });
  await trunkline.start();
  onTestFinished(() => trunkline.stop());
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP) {
      await runtime.clock.advance(STEP);
      await quiet();
    }
  };
  await pass(75 * SECOND);
  for (const { id } of connected) {
    expect(await storage.instances.find(workspace.id, id)).toMatchObject({ status: 'connected' });
  }
  takeCounts();
  await pass(180 * SECOND);
  return withoutSchema(takeCounts(), schema.name);
}

function withoutSchema(counts: ReadonlyMap<string, number>, schema: string): ReadonlyMap<string, number> {
  return new Map([...counts].map(([text, count]) => [text.replaceAll(schema, 'trunkline'), count]));
}

/** Makes each instance look to the sandbox network as if it was linked before. */
function linkedBefore(gateway: Gateway): Gateway {
  const profile = { phoneNumber: '15550100', profileName: null, profilePictureUrl: null };
  const device = new TextEncoder().encode(JSON.stringify(profile));
  return {
    ...gateway,
    open: (session, listener, options) =>
      gateway.open({ ...session, load: async () => new Map([['device', device]]) }, listener, options),
  };
}
