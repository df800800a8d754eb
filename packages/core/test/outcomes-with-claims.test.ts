import { describe, expect, it, vi } from 'vitest';
import { TAKEN } from '../src/testing/index.ts';
import { MINUTE, SECOND, listen, only, startHarness } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

/** Two endpoints with `count` due deliveries each, whose receivers respond immediately. */
async function twoEndpoints(count: number) {
  const harness = await startHarness({ roles: only('api', 'webhooks') });
  harness.sender.respond(() => TAKEN);
  const { deliveries } = harness.storage;
  const calls = {
    claim: vi.spyOn(deliveries, 'claim'),
    complete: vi.spyOn(deliveries, 'complete'),
    completeAndClaim: vi.spyOn(deliveries, 'completeAndClaim'),
  };
  const one = await listen(harness, 'https://one.example/');
  const other = await listen(harness, 'https://other.example/');
  const queue = async (): Promise<void> => {
    for (let index = 0; index < count; index += 1)
      await Promise.all([one, other].map(({ id }) => harness.api.webhooks.test(id)));
  };
  return { harness, deliveries, calls, one, other, queue };
}

const statusesOf = async ({ api }: Harness, { id }: { readonly id: string }) =>
  (await api.webhooks.deliveries(id, { limit: 100 })).data.map(({ status }) => status);

describe('the outcomes of webhooks', () => {
  it('are recorded by the claims of the next ones, without a call of their own', async () => {
    const { harness, calls, one, other, queue } = await twoEndpoints(20);
    await queue();
    await harness.clock.settle();
    expect(new Set([...(await statusesOf(harness, one)), ...(await statusesOf(harness, other))])).toEqual(
      new Set(['success']),
    );
    expect(harness.sender.requests).toHaveLength(40);
    expect(calls.complete).not.toHaveBeenCalled();
    expect(calls.completeAndClaim.mock.calls.length).toBeLessThanOrEqual(40);
    // The last outcome leaves nothing to claim, and no further call finds that out.
    expect(calls.claim.mock.calls.length + calls.completeAndClaim.mock.calls.length).toBeLessThan(90);
  });

  it('are recorded on their own a second after a claim that could not record them', async () => {
    const { harness, calls, one, queue } = await twoEndpoints(1);
    calls.completeAndClaim.mockRejectedValueOnce(new Error('a value that cannot be stored'));
    await queue();
    await harness.clock.advance(SECOND);
    expect(await statusesOf(harness, one)).toEqual(['success']);
    expect(calls.complete).toHaveBeenCalled();
    expect(harness.sender.requests).toHaveLength(2);
  });

  it('are recorded on their own if another process is busy in their lane', async () => {
    const { harness, deliveries, calls, one, other, queue } = await twoEndpoints(3);
    calls.completeAndClaim.mockImplementation(async (completions, claim) => ({
      ...(await deliveries.claim(claim)),
      completed: completions.map(() => 'busy'),
    }));
    await queue();
    await harness.clock.settle();
    expect(await statusesOf(harness, one)).toEqual(['success', 'success', 'success']);
    expect(await statusesOf(harness, other)).toEqual(['success', 'success', 'success']);
    expect(harness.sender.requests).toHaveLength(6);
  });

  it('of one endpoint delay no other if the call that records them hangs', async () => {
    const { harness, deliveries, one, other } = await twoEndpoints(1);
    const works = deliveries.completeAndClaim.bind(deliveries);
    let hanging = 0;
    deliveries.completeAndClaim = (completions, claim) => {
      if (!completions.some(({ delivery }) => delivery.endpointId === one.id))
        return works(completions, claim);
      hanging += 1;
      return new Promise(() => {});
    };
    for (let index = 0; index < 5; index += 1) await harness.api.webhooks.test(one.id);
    await harness.clock.settle();
    for (let index = 0; index < 5; index += 1) await harness.api.webhooks.test(other.id);
    await harness.clock.advance(2 * SECOND);
    const done = Array.from({ length: 5 }, () => 'success');
    expect(await statusesOf(harness, other)).toEqual(done);
    expect(hanging).toBe(1);
    await harness.clock.advance(2 * MINUTE);
    expect(await statusesOf(harness, one)).toEqual(done);
    expect(harness.sender.requests).toHaveLength(10);
  });

  it('are recorded by a stop while the call that records another hangs', async () => {
    const { harness, deliveries, one, other } = await twoEndpoints(1);
    deliveries.completeAndClaim = () => new Promise(() => {});
    await harness.api.webhooks.test(one.id);
    await harness.clock.settle();
    const response = Promise.withResolvers<typeof TAKEN>();
    harness.sender.respond(() => response.promise);
    const delivery = await harness.api.webhooks.test(other.id);
    await harness.clock.advance(SECOND);
    expect(harness.sender.requests).toHaveLength(2);
    const stopped = harness.trunkline.stop();
    response.resolve(TAKEN);
    await harness.clock.advance(MINUTE);
    await stopped;
    const { api } = await harness.another({ roles: only('api') });
    expect(await api.deliveries.get(delivery.id)).toMatchObject({ status: 'success', attempts: 1 });
  });
});
