import { expect, it } from 'vitest';
import { connectInstance, sendText, SECOND, startHarness } from './support/harness.ts';

/** How many instances that are neither connected nor linked, such as deleted ones, the sandbox remembers. */
const KEPT = 100;

it('The sandbox forgets deleted instances, but for the latest', async () => {
  const harness = await startHarness();
  const deleted = [];
  for (let at = 0; at <= KEPT; at += 1) {
    const id = await connectInstance(harness);
    await sendText(harness, id, '15550001');
    await harness.clock.advance(SECOND);
    const removed = harness.api.instances.delete(id);
    await harness.clock.advance(SECOND);
    await removed;
    deleted.push(id);
  }
  const known = deleted.map((id) => harness.sandbox.phone(id).accepted().length);
  expect(known).toEqual([0, ...Array.from({ length: KEPT }, () => 1)]);
});
