import { describe, expect } from 'vitest';
import type { Signal, StoredCall } from '@trunkline/core/spi/storage';
import { until } from '@trunkline/test-support';
import { it, itAlways } from './cases.ts';
import type { ContractSubject } from './contract-subject.ts';
import { NOW, testId } from './examples.ts';
import { testDatabases } from './test-database.ts';

const ROOM = { now: NOW, limit: 2 };

function aCall(instanceId: string, expiresAt = NOW + 1_000): StoredCall {
  return { id: testId('opr', NOW), instanceId, request: '{"text":"ü\\u0000"}', expiresAt };
}

export function callContract(subject: ContractSubject): void {
  const open = testDatabases(subject);

  describe('a call of an instance', () => {
    itAlways('is taken once, answered, and gone when it is removed', async () => {
      const { calls } = await open();
      const [instanceId, other] = [testId('ins', NOW), testId('ins', NOW)];
      const call = aCall(instanceId);
      expect(await calls.add(call, ROOM)).toBe(true);
      expect(await calls.list([other, instanceId, 'ins_none'], NOW, 10)).toEqual([call]);
      expect(await calls.list([other], NOW, 10)).toEqual([]);
      const taken = await Promise.all(Array.from({ length: 5 }, () => calls.take(call.id)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await calls.list([instanceId], NOW, 10)).toEqual([]);
      expect(await calls.findResponse(call.id)).toBeNull();
      await calls.respond(call.id, '{"kind":"done"}');
      expect(await calls.findResponse(call.id)).toBe('{"kind":"done"}');
      await calls.remove(call.id);
      expect(await calls.findResponse(call.id)).toBeNull();
      await calls.respond(call.id, '{"kind":"done"}');
      expect(await calls.findResponse(call.id)).toBeNull();
      expect(await calls.take(call.id)).toBe(false);
    });

    it('is refused while its instance has as many as it may', async () => {
      const { calls } = await open();
      const instanceId = testId('ins', NOW);
      const [first, second] = [aCall(instanceId), aCall(instanceId)];
      expect(await calls.add(first, ROOM)).toBe(true);
      expect(await calls.add(second, ROOM)).toBe(true);
      expect(await calls.add(aCall(instanceId), ROOM)).toBe(false);
      expect(await calls.add(aCall(testId('ins', NOW)), ROOM)).toBe(true);
      expect(await calls.list([instanceId], NOW, 1)).toHaveLength(1);
      await calls.remove(first.id);
      expect(await calls.add(aCall(instanceId), ROOM)).toBe(true);
      expect(await calls.add(aCall(instanceId, NOW + 9_000), { ...ROOM, now: NOW + 1_000 })).toBe(true);
    });

    it('is hidden once it has expired, and deleted a batch at a time, the earliest first', async () => {
      const { calls } = await open();
      const instanceId = testId('ins', NOW);
      const all = [30, 10, 20].map((ms) => aCall(instanceId, NOW + ms));
      for (const call of all) await calls.add(call, { now: NOW, limit: 9 });
      const left = async (): Promise<readonly number[]> =>
        (await calls.list([instanceId], NOW, 9))
          .map(({ expiresAt }) => expiresAt - NOW)
          .toSorted((a, b) => a - b);
      const listed = await calls.list([instanceId], NOW + 20, 9);
      expect(listed.map(({ expiresAt }) => expiresAt)).toEqual([NOW + 30]);
      expect(await calls.deleteExpired(NOW + 30, 1)).toBe(1);
      expect(await left()).toEqual([20, 30]);
      expect(await calls.deleteExpired(NOW + 30, 9)).toBe(1);
      expect(await left()).toEqual([30]);
    });

    it('is announced, and so is its response', async () => {
      const storage = await open();
      const signals: Signal[] = [];
      storage.subscribe((signal) => signals.push(signal));
      const call = aCall(testId('ins', NOW));
      const announced = { topic: 'call', instanceId: call.instanceId };
      await storage.calls.add(call, ROOM);
      await until('the call is announced', () => signals.length === 1);
      await storage.calls.respond(call.id, '{}');
      await storage.calls.respond(testId('opr', NOW), '{}');
      await until('the response is announced', () => signals.length === 2);
      expect(signals).toEqual([announced, announced]);
    });
  });
}
