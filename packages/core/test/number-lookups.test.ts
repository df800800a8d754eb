import { describe, expect, it } from 'vitest';
import type { NumberLookup } from '../src/spi/gateway.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway, silence } from './support/scripted-gateway.ts';
import type { Script, ScriptedGateway } from './support/scripted-gateway.ts';
import {
  after,
  connected,
  connectInstance,
  connectScripted,
  DAY,
  jumpAhead,
  MINUTE,
  only,
  SECOND,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const ADA = '34600000009';

function lookingGateway(script: Partial<Script> = {}): ScriptedGateway {
  return { ...scriptedGateway(script), capabilities: ['text', 'lookup'] };
}

interface Looking {
  readonly harness: Harness;
  readonly gateway: ScriptedGateway;
  readonly id: string;
}

async function looking(script: Partial<Script> = {}, storage = memoryStorage()): Promise<Looking> {
  const gateway = lookingGateway(script);
  const { harness, id } = await connected({ gateway, storage });
  return { harness, gateway, id };
}

const numbered = (from: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => String(34_700_000_000 + from + index));

/** The code of the refusal, or the numbers that are on the network. */
async function look({ harness, id }: Omit<Looking, 'gateway'>, numbers: readonly string[]) {
  const answer = harness.api.instances.lookup(id, { numbers }).then(
    ({ data }) => data.flatMap(({ number, on_network }) => (on_network ? [number] : [])),
    (error: { readonly code: string }) => error.code,
  );
  await harness.clock.advance(2 * SECOND);
  return answer;
}

describe('a lookup of numbers', () => {
  it('has an entry for each number in the order of the request, and asks about each once', async () => {
    const one = await looking({
      lookUp: async (numbers) =>
        numbers.toReversed().map((number): NumberLookup => {
          const isOnNetwork = number !== '34600000003';
          return { number, isOnNetwork, registeredNumber: isOnNetwork ? `${number}0` : null };
        }),
    });
    const numbers = ['+34 600 000 009', '34600000003', ADA];
    const { data } = await one.harness.api.instances.lookup(one.id, { numbers });
    const ada = { number: ADA, on_network: true, registered_number: `${ADA}0` };
    expect(data).toEqual([ada, { number: '34600000003', on_network: false, registered_number: null }, ada]);
    expect(one.gateway.lookedUp()).toEqual([[ADA, '34600000003']]);
  });

  it('is remembered for a day, also by the next process', async () => {
    const storage = memoryStorage();
    const { harness, gateway, id } = await looking({}, storage);
    expect(await look({ harness, id }, [ADA])).toEqual([ADA]);
    expect(await look({ harness, id }, [ADA, '34600000001'])).toHaveLength(2);
    expect(gateway.lookedUp()).toEqual([[ADA], ['34600000001']]);
    await harness.trunkline.stop();
    const second = lookingGateway();
    const { api, trunkline } = await harness.another({ gateway: second });
    await harness.clock.advance(MINUTE);
    expect((await api.instances.lookup(id, { numbers: [ADA] })).data).toMatchObject([{ on_network: true }]);
    expect(second.lookedUp()).toEqual([]);
    await jumpAhead(harness, DAY);
    expect((await api.instances.lookup(id, { numbers: [ADA] })).data).toHaveLength(1);
    expect(second.lookedUp()).toEqual([[ADA]]);
    await trunkline.stop();
  });

  it('is made for 500 numbers a day at most, whatever its outcome, and for each instance', async () => {
    const one = await looking();
    const other = { ...one, id: await connectScripted(one.harness) };
    for (let from = 0; from < 450; from += 50) expect(await look(one, numbered(from, 50))).toHaveLength(50);
    one.gateway.script.lookUp = () => Promise.reject(new Error('socket hang up'));
    expect(await look(one, numbered(450, 30))).toBe('GATEWAY_ERROR');
    one.gateway.script.lookUp = async () => [];
    expect(await look(one, numbered(450, 20))).toBe('GATEWAY_ERROR');
    const asked = one.gateway.lookedUp().length;
    await expect(one.harness.api.instances.lookup(one.id, { numbers: [ADA] })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { limit: 500, retry_after: expect.any(Number) },
    });
    expect(await look(one, numbered(0, 50))).toHaveLength(50);
    expect(one.gateway.lookedUp()).toHaveLength(asked);
    expect(await look(other, [ADA])).toBe('GATEWAY_ERROR');
    expect(one.gateway.lookedUp()).toHaveLength(asked + 1);
  });

  it('asks the network one after another, a second apart, and refuses those that would wait too long', async () => {
    const askedAt: number[] = [];
    let inFlight = 0;
    const one = await looking({
      async lookUp(numbers) {
        inFlight += 1;
        expect(inFlight).toBe(1);
        askedAt.push(one.harness.clock.now());
        await Promise.resolve();
        inFlight -= 1;
        return numbers.map((number) => ({ number, isOnNetwork: true, registeredNumber: null }));
      },
    });
    const { harness, id } = one;
    const all = Promise.allSettled(
      numbered(0, 15).map((number) => harness.api.instances.lookup(id, { numbers: [number] })),
    );
    await harness.clock.advance(20 * SECOND);
    const refused = (await all).flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
    expect(refused).toEqual(Array.from({ length: 5 }, () => 'RATE_LIMITED'));
    expect(askedAt).toHaveLength(10);
    for (const [index, at] of askedAt.slice(1).entries())
      expect(at - (askedAt[index] ?? 0)).toBeGreaterThanOrEqual(SECOND);
  });

  it('fails if the network hangs, and those behind it are not asked for callers who have given up', async () => {
    const one = await looking({ lookUp: silence });
    const all = Promise.all([look(one, [ADA]), look(one, ['34600000001']), look(one, ['34600000002'])]);
    await one.harness.clock.advance(MINUTE);
    expect(await all).toEqual(['GATEWAY_ERROR', 'GATEWAY_ERROR', 'GATEWAY_ERROR']);
    expect(one.gateway.lookedUp()).toEqual([[ADA], ['34600000001']]);
    one.gateway.script.lookUp = async () => [{ number: ADA, isOnNetwork: true, registeredNumber: ADA }];
    expect(await look(one, [ADA])).toEqual([ADA]);
  });

  it('is refused for what are no numbers, too many of them, and an instance of another workspace', async () => {
    const { harness, gateway, id } = await looking();
    const wrong: readonly unknown[] = [undefined, null, ADA, {}, [], [5], [null], [[ADA]], numbered(0, 51)];
    for (const numbers of wrong)
      await expect(
        harness.api.instances.lookup(id, { numbers: numbers as readonly string[] }),
        JSON.stringify(numbers),
      ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(
      harness.api.instances.lookup(id, { numbers: [ADA, 'grp_1', '+34 (0) 600'] }),
    ).rejects.toMatchObject({
      details: {
        fields: {
          numbers: [/^Entry 2 must be/, /^Entry 3 must be/].map((text) => expect.stringMatching(text)),
        },
      },
    });
    const stranger = await harness.trunkline.admin.workspaces.create({ name: 'Stranger' });
    const theirs = harness.trunkline.workspace(stranger.id).instances;
    await expect(theirs.lookup(id, { numbers: [ADA] })).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    await after(harness, SECOND, harness.api.instances.disconnect(id));
    expect(await look({ harness, id }, [ADA])).toBe('INSTANCE_NOT_CONNECTED');
    expect(gateway.lookedUp()).toEqual([]);
  });

  it('is answered by the process that holds the instance, and by the sandbox', async () => {
    const storage = memoryStorage();
    const harness = await startHarness({ roles: only('api'), gateway: lookingGateway(), storage });
    const holding = lookingGateway();
    await harness.another({ roles: only('gateway'), gateway: holding });
    const id = await connectScripted(harness);
    expect(await look({ harness, id }, [ADA])).toEqual([ADA]);
    expect(holding.lookedUp()).toEqual([[ADA]]);
    const simulated = await startHarness();
    const other = { harness: simulated, id: await connectInstance(simulated) };
    expect(await look(other, [ADA, '34600000003'])).toEqual([ADA]);
  });

  it('is erased with its person', async () => {
    const one = await looking();
    await look(one, [ADA, '34600000001']);
    const { workspaceId, trunkline } = one.harness;
    await trunkline.admin.erasePerson({ workspaceId, number: ADA });
    await look(one, [ADA, '34600000001']);
    expect(one.gateway.lookedUp()).toEqual([[ADA, '34600000001'], [ADA]]);
  });
});
