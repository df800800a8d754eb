import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutgoingMessage, SendOutcome } from '../src/spi/gateway.ts';
import { scriptedGateway, texts } from './support/scripted-gateway.ts';
import type { ScriptedGateway } from './support/scripted-gateway.ts';
import {
  connectScripted,
  HOUR,
  listen,
  MINUTE,
  only,
  receivedTypes,
  SECOND,
  sendText,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const ADA = '34600000001';
const BOB = '34600000002';
const BUSY = { code: 'recipient_unreachable', message: 'The devices of the recipient are not known.' };

const notTaken = (retryAfterMs: number): SendOutcome => ({
  kind: 'not_sent',
  reason: 'rate-overlimit',
  retryAfterMs,
  error: BUSY,
});

function takingNothingFor(refused: Set<string>, retryAfterMs = 10 * SECOND): ScriptedGateway {
  return scriptedGateway({
    send: async ({ to }) => (refused.has(to) ? notTaken(retryAfterMs) : { kind: 'accepted' }),
  });
}

async function linked(gateway: ScriptedGateway): Promise<{ readonly harness: Harness; readonly id: string }> {
  const harness = await startHarness({ gateway });
  await listen(harness);
  return { harness, id: await connectScripted(harness) };
}

describe('a message that the network does not take for now', () => {
  it('is sent again when it may be, under the same network id, and counts no try', async () => {
    const refused = new Set([ADA]);
    const gateway = takingNothingFor(refused);
    const { harness, id } = await linked(gateway);
    const { message } = await sendText(harness, id, ADA);
    await harness.clock.settle();
    expect(gateway.sent()).toHaveLength(1);
    await harness.clock.advance(10 * SECOND - 1);
    expect(gateway.sent()).toHaveLength(1);
    await harness.clock.advance(1);
    expect(gateway.sent()).toHaveLength(2);
    // If these attempts had no outcome, the message would have failed after five.
    await harness.clock.advance(20 * MINUTE);
    expect(gateway.sent().length).toBeGreaterThan(6);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'queued', error: null });

    refused.clear();
    await harness.clock.advance(30 * MINUTE);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'sent', error: null });
    expect(new Set(gateway.sent().map(({ networkId }) => networkId)).size).toBe(1);
    expect(receivedTypes(harness).filter((type) => type.startsWith('message.'))).toEqual(['message.sent']);
  });

  it('is overtaken by messages to others, while those to its recipient stay in order', async () => {
    const refused = new Set([ADA]);
    const gateway = takingNothingFor(refused);
    const { harness, id } = await linked(gateway);
    for (const [to, text] of [
      [ADA, 'a1'],
      [ADA, 'a2'],
      [BOB, 'b1'],
      [ADA, 'a3'],
      [BOB, 'b2'],
    ] as const) {
      await sendText(harness, id, to, text);
    }
    await harness.clock.settle();
    expect(texts(gateway.sent())).toEqual(['a1', 'b1', 'b2']);
    refused.clear();
    await harness.clock.advance(10 * SECOND);
    expect(texts(gateway.sent())).toEqual(['a1', 'b1', 'b2', 'a1', 'a2', 'a3']);
  });

  it('fails four hours after its acceptance, with the error that the gateway has for it', async () => {
    const gateway = takingNothingFor(new Set([ADA]), MINUTE);
    const { harness, id } = await linked(gateway);
    const { message } = await sendText(harness, id, ADA);
    await harness.clock.settle();
    await harness.clock.advance(4 * HOUR - SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'queued' });
    await harness.clock.advance(SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'failed', error: BUSY });
    const sends = gateway.sent().length;
    expect(sends).toBeLessThan(30);
    await harness.clock.advance(HOUR);
    expect(gateway.sent()).toHaveLength(sends);
    expect(receivedTypes(harness).filter((type) => type.startsWith('message.'))).toEqual(['message.failed']);
  });

  it('fails as unknown if an earlier attempt had no outcome, and is sent once a receipt proves that it arrived', async () => {
    const outcomes: SendOutcome[] = [{ kind: 'unknown', reason: 'no response' }];
    const gateway = scriptedGateway({ send: async () => outcomes.shift() ?? notTaken(MINUTE) });
    const { harness, id } = await linked(gateway);
    const { message } = await sendText(harness, id, ADA);
    await harness.clock.advance(4 * HOUR + SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'send_outcome_unknown' },
    });
    const { networkId = '' } = gateway.sent()[0] ?? {};
    await gateway.last().listener.receipt({ networkId, status: 'delivered' });
    expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'delivered', error: null });
  });

  it('fails as network_busy if the gateway names no error', async () => {
    const gateway = scriptedGateway({
      send: async () => ({ kind: 'not_sent', reason: 'busy', retryAfterMs: MINUTE }),
    });
    const { harness, id } = await linked(gateway);
    const { message } = await sendText(harness, id, ADA);
    await harness.clock.advance(4 * HOUR + SECOND);
    expect(await harness.api.messages.get(message.id)).toMatchObject({ error: { code: 'network_busy' } });
  });

  it('is held over a restart, and then sent again no sooner', async () => {
    const refused = new Set([ADA]);
    const first = takingNothingFor(refused);
    const harness = await startHarness({ roles: only('api') });
    const one = await harness.another({ roles: only('gateway'), gateway: first });
    const id = await connectScripted(harness);
    await sendText(harness, id, ADA, 'a1');
    await sendText(harness, id, ADA, 'a2');
    await harness.clock.settle();
    await one.trunkline.stop();
    refused.clear();

    const second = scriptedGateway();
    await harness.another({ roles: only('gateway'), gateway: second });
    await sendText(harness, id, BOB, 'b1');
    await harness.clock.advance(9 * SECOND);
    expect(texts(second.sent())).toEqual(['b1']);
    await harness.clock.advance(6 * SECOND);
    expect(texts(second.sent())).toEqual(['b1', 'a1', 'a2']);
  });

  it('fails when its number is logged out, as do those that wait for it', async () => {
    const { harness, id } = await linked(takingNothingFor(new Set([ADA])));
    const sent = [await sendText(harness, id, ADA), await sendText(harness, id, ADA)];
    await harness.clock.settle();
    await harness.api.instances.logout(id);
    for (const { message } of sent) {
      expect(await harness.api.messages.get(message.id)).toMatchObject({ status: 'failed' });
    }
  });

  it('takes turns with the others, so that neither kind waits for the other to finish', async () => {
    const people = Array.from({ length: 20 }, (_, i) => `346000001${10 + i}`);
    const gateway = takingNothingFor(new Set(people), SECOND);
    const { harness, id } = await linked(gateway);
    for (const to of people) await sendText(harness, id, to, 'held');
    await harness.clock.settle();
    const before = gateway.sent().length;
    for (let i = 0; i < 5; i += 1) await sendText(harness, id, BOB, 'new');
    await harness.clock.advance(SECOND);
    const sends = texts(gateway.sent().slice(before));
    expect(sends.filter((text) => text === 'new')).toHaveLength(5);
    expect(sends.lastIndexOf('new')).toBeLessThan(20);
    expect(sends.filter((text) => text === 'held').length).toBeGreaterThan(10);
  });

  it('is logged once, with what the operator needs to find out why', async () => {
    const { harness, id } = await linked(takingNothingFor(new Set([ADA])));
    const { message } = await sendText(harness, id, ADA);
    await harness.clock.advance(10 * MINUTE);
    const lines = harness.logs.filter(({ facts }) => facts['messageId'] === message.id);
    expect(lines).toMatchObject([
      { level: 'warn', facts: { instanceId: id, code: BUSY.code, reason: 'rate-overlimit' } },
    ]);
  });
});

it(
  'each recipient gets every message once and in order, whatever the network takes',
  { timeout: 120_000 },
  async () => {
    const outcomes: fc.Arbitrary<SendOutcome['kind'] | 'dropped'> = fc.constantFrom(
      'accepted',
      'accepted',
      'not_sent',
      'unknown',
      'dropped',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 25 }),
        fc.array(outcomes, { maxLength: 60 }),
        fc.nat({ max: 3 }),
        async (recipients, plan, restarts) => {
          const left = [...plan];
          const tries = new Map<string, number>();
          const taken: OutgoingMessage[] = [];
          const send = async (message: OutgoingMessage): Promise<SendOutcome> => {
            const next = left.shift() ?? 'accepted';
            const unknown = tries.get(message.networkId) ?? 0;
            if (next === 'not_sent') return notTaken(SECOND);
            if (next === 'dropped') return { kind: 'not_sent', reason: 'the connection closed' };
            if (next === 'unknown' && unknown < 4) {
              tries.set(message.networkId, unknown + 1);
              return { kind: 'unknown', reason: 'no response' };
            }
            taken.push(message);
            return { kind: 'accepted' };
          };
          const harness = await startHarness({ roles: only('api') });
          let process = await harness.another({ roles: only('gateway'), gateway: scriptedGateway({ send }) });
          const id = await connectScripted(harness);
          for (const [index, to] of recipients.entries()) {
            await sendText(harness, id, `3460000000${to}`, `${index}`);
            await harness.clock.advance(index % 3 === 0 ? SECOND : 0);
          }
          for (let count = 0; count < restarts; count += 1) {
            await process.trunkline.stop();
            process = await harness.another({ roles: only('gateway'), gateway: scriptedGateway({ send }) });
            await harness.clock.advance(5 * SECOND);
          }
          await harness.clock.advance(30 * MINUTE);
          for (const recipient of new Set(recipients)) {
            const to = `3460000000${recipient}`;
            const wanted = recipients.flatMap((one, index) => (one === recipient ? [`${index}`] : []));
            expect(texts(taken.filter((message) => message.to === to))).toEqual(wanted);
          }
        },
      ),
      { numRuns: 20 },
    );
  },
);
