import { describe, expect, it } from 'vitest';
import type { Storage } from '../src/index.ts';
import type { Pace, SendOutcome } from '../src/spi/gateway.ts';
import { scriptedGateway, texts } from './support/scripted-gateway.ts';
import type { Script, ScriptedGateway } from './support/scripted-gateway.ts';
import {
  connected,
  connectScripted,
  DAY,
  HOUR,
  jumpAhead,
  MINUTE,
  only,
  SECOND,
  sendText,
  startHarness,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { measuredHarness } from './support/measured-harness.ts';
import { memoryStorage } from './support/memory-storage.ts';

const UNHURRIED: Pace = { messagesPerMinute: null, newPeoplePerDay: null, typing: false };
const ADA = '34600000001';
const BOB = '34600000002';
const EVE = '34600000003';
const KIM = '34600000004';

interface Paced {
  readonly harness: Harness;
  readonly id: string;
  readonly gateway: ScriptedGateway;
}

async function paced(pace: Partial<Pace>, script: Partial<Script> = {}): Promise<Paced> {
  const gateway = scriptedGateway({ pace: { ...UNHURRIED, ...pace }, ...script });
  const { harness, id } = await connected({ gateway });
  return { harness, id, gateway };
}

async function sendEach({ harness, id }: Paced, recipients: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const to of recipients) ids.push((await sendText(harness, id, to, to)).message.id);
  await harness.clock.settle();
  return ids;
}

function receiveFrom({ gateway }: Paced, from: string, text = 'Hello'): Promise<void> {
  return gateway.last().listener.message({
    networkId: `from ${from} ${text}`,
    senderId: from,
    from,
    groupNetworkId: null,
    content: { type: 'text', text },
  });
}

describe('the interval between the messages of an instance', () => {
  it('is about as long as its pace says, and varies', async () => {
    const sentAt: number[] = [];
    const { harness, id } = await paced(
      { messagesPerMinute: 30 },
      {
        async send() {
          sentAt.push(harness.clock.now());
          return { kind: 'accepted' };
        },
      },
    );
    for (let count = 0; count < 20; count += 1) await sendText(harness, id, `3460000010${count}`);
    await harness.clock.advance(MINUTE);
    expect(sentAt).toHaveLength(20);
    const intervals = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    expect(Math.min(...intervals)).toBeGreaterThanOrEqual(SECOND);
    expect(Math.max(...intervals)).toBeLessThanOrEqual(3 * SECOND);
    expect(new Set(intervals).size).toBeGreaterThan(10);
  });

  it('does not count towards the time limit of a send, however long it is', async () => {
    const all = await paced({ messagesPerMinute: 1 });
    const ids = await sendEach(all, [ADA, BOB, EVE]);
    expect(texts(all.gateway.sent())).toEqual([ADA]);
    await all.harness.clock.advance(4 * MINUTE);
    expect(texts(all.gateway.sent())).toEqual([ADA, BOB, EVE]);
    for (const id of ids) expect(await all.harness.api.messages.get(id)).toMatchObject({ status: 'sent' });
  });

  it('delays no message of an instance that was silent, or of another instance', async () => {
    const all = await paced({ messagesPerMinute: 1 });
    const other = await connectScripted(all.harness);
    await sendEach(all, [ADA]);
    await sendEach({ ...all, id: other }, [BOB]);
    expect(texts(all.gateway.sent())).toEqual([ADA, BOB]);
    await all.harness.clock.advance(2 * MINUTE);
    await sendEach(all, [EVE]);
    expect(texts(all.gateway.sent())).toEqual([ADA, BOB, EVE]);
  });

  it('does not delay the stop of the process', async () => {
    const all = await paced({ messagesPerMinute: 1 });
    await sendEach(all, [ADA, BOB]);
    await all.harness.trunkline.stop();
    expect(texts(all.gateway.sent())).toEqual([ADA]);
  });

  it('is none without a pace', async () => {
    const gateway = scriptedGateway();
    const all = { gateway, ...(await connected({ gateway })) };
    const people = Array.from({ length: 40 }, (_, index) => `3460000020${10 + index}`);
    await sendEach(all, people);
    expect(all.gateway.sent()).toHaveLength(40);
  });
});

describe('a number in its first ten days', () => {
  it('knows a person who is named as a contact', async () => {
    const all = await paced({ newPeoplePerDay: 0 });
    const { harness, gateway } = all;
    await gateway.last().listener.message({
      networkId: 'IN1',
      senderId: 'kim',
      from: KIM,
      contact: { networkId: 'kim', aliases: [], phoneNumber: KIM, name: null, username: null },
      groupNetworkId: null,
      content: { type: 'text', text: 'Hello' },
    });
    const [received] = (await harness.api.messages.list()).data;
    await sendEach(all, [received?.contact?.id ?? '', ADA]);
    expect(gateway.sent()).toHaveLength(1);
  });

  it('writes to so many new people a day, and to everybody whom it knows', async () => {
    const all = await paced({ newPeoplePerDay: 2 });
    const { harness, gateway } = all;
    await receiveFrom(all, KIM);
    const [, , third = ''] = await sendEach(all, [ADA, BOB, EVE, ADA, KIM]);
    expect(texts(gateway.sent())).toEqual([ADA, BOB, ADA, KIM]);
    const linkedAt = Date.UTC(2026, 0, 1);
    expect(await harness.api.messages.get(third)).toMatchObject({ status: 'queued' });
    expect(await harness.api.messages.standing(third)).toMatchObject({
      code: 'waiting_for_pace',
      until: '2026-01-02T00:00:00.000+00:00',
      sentence: expect.stringMatching(/^It waits at least until 2026-01-02 00:00 UTC: the number was linked/),
    });
    expect(harness.logs.filter(({ message }) => message.includes('new people'))).toMatchObject([
      { level: 'info', facts: { instanceId: all.id, until: linkedAt + DAY } },
    ]);

    await jumpAhead(harness, DAY - MINUTE - (harness.clock.now() - linkedAt));
    expect(gateway.sent()).toHaveLength(4);
    await harness.clock.advance(2 * MINUTE);
    expect(texts(gateway.sent()).slice(4)).toEqual([EVE]);
    expect(await harness.api.messages.get(third)).toMatchObject({ status: 'sent', error: null });
  });

  it('does not let messages that are held delay others', async () => {
    const all = await paced({ newPeoplePerDay: 1, messagesPerMinute: 1 });
    await sendEach(all, [ADA, BOB, EVE, KIM, '34600000005', '34600000006', ADA]);
    await all.harness.clock.advance(1.5 * MINUTE);
    expect(texts(all.gateway.sent())).toEqual([ADA, ADA]);
  });

  it('keeps messages to one new person in order', async () => {
    const all = await paced({ newPeoplePerDay: 1 });
    const { harness, id } = all;
    await sendEach(all, [ADA]);
    for (const text of ['one', 'two', 'three']) await sendText(harness, id, BOB, text);
    await sendEach(all, [ADA]);
    expect(texts(all.gateway.sent())).toEqual([ADA, ADA]);
    await jumpAhead(harness, DAY);
    expect(texts(all.gateway.sent()).slice(2)).toEqual(['one', 'two', 'three']);
  });

  it('sends what waits to a person once they write', async () => {
    const all = await paced({ newPeoplePerDay: 0 });
    await sendEach(all, [ADA, BOB, ADA]);
    await receiveFrom(all, ADA);
    await all.harness.clock.settle();
    expect(texts(all.gateway.sent())).toEqual([ADA, ADA]);
  });

  it('sends what waits to a person who writes from a number that is dialled differently', async () => {
    const all = await paced({ newPeoplePerDay: 0 });
    await sendEach(all, [ADA]);
    await all.gateway.last().listener.message({
      networkId: 'hidden',
      senderId: 'lid-1',
      from: null,
      groupNetworkId: null,
      contact: {
        networkId: 'lid-1',
        aliases: [],
        phoneNumber: '34700000001',
        dialledNumbers: [ADA],
        name: 'Ada',
        username: null,
      },
      content: { type: 'text', text: 'Hello' },
    });
    await all.harness.clock.settle();
    expect(texts(all.gateway.sent())).toEqual([ADA]);
  });

  it('counts a person once, however often the message has to be sent', async () => {
    const outcomes: SendOutcome[] = [
      { kind: 'not_sent', reason: 'the connection closed' },
      { kind: 'not_sent', reason: 'busy', retryAfterMs: SECOND },
      { kind: 'unknown', reason: 'no response' },
    ];
    const all = await paced(
      { newPeoplePerDay: 2 },
      { send: async () => outcomes.shift() ?? { kind: 'accepted' } },
    );
    await sendEach(all, [ADA]);
    await all.harness.clock.advance(MINUTE);
    expect(texts(all.gateway.sent())).toEqual([ADA, ADA, ADA, ADA]);
    await sendEach(all, [BOB, EVE]);
    expect(texts(all.gateway.sent()).slice(4)).toEqual([BOB]);
  });

  it('counts on after a restart, and holds what it held', async () => {
    const pace = { ...UNHURRIED, newPeoplePerDay: 2 };
    const harness = await startHarness({ roles: only('api') });
    const one = await harness.another({ roles: only('gateway'), gateway: scriptedGateway({ pace }) });
    const id = await connectScripted(harness);
    await sendText(harness, id, ADA, 'a');
    await harness.clock.settle();
    await one.trunkline.stop();
    const second = scriptedGateway({ pace });
    const two = await harness.another({ roles: only('gateway'), gateway: second });
    await harness.clock.settle();
    for (const to of [BOB, EVE, ADA]) await sendText(harness, id, to, to);
    await harness.clock.settle();
    expect(texts(second.sent())).toEqual([BOB, ADA]);
    await two.trunkline.stop();
    const third = scriptedGateway({ pace });
    await harness.another({ roles: only('gateway'), gateway: third });
    await harness.clock.advance(HOUR);
    expect(texts(third.sent())).toEqual([]);
    await jumpAhead(harness, DAY);
    expect(texts(third.sent())).toEqual([EVE]);
  });

  it('does not hold a reaction to a message to a new person', async () => {
    const reacting = (): ScriptedGateway => ({
      ...scriptedGateway({ pace: { ...UNHURRIED, newPeoplePerDay: 1 } }),
      capabilities: ['text', 'reactions'],
    });
    const harness = await startHarness({ roles: only('api'), gateway: reacting() });
    const one = await harness.another({ roles: only('gateway'), gateway: reacting() });
    const id = await connectScripted(harness);
    const { message } = await sendText(harness, id, ADA, 'a');
    await harness.clock.settle();
    await one.trunkline.stop();
    const second = reacting();
    await harness.another({ roles: only('gateway'), gateway: second });
    await harness.api.messages.react(message.id, { emoji: '👍' });
    await harness.clock.settle();
    expect(second.acted()).toHaveLength(1);
  });

  it('sends a message to the last new person again after a restart if it may have arrived', async () => {
    const pace = { ...UNHURRIED, newPeoplePerDay: 1 };
    const harness = await startHarness({ roles: only('api') });
    const silent = scriptedGateway({ pace, send: async () => ({ kind: 'unknown', reason: 'no response' }) });
    const one = await harness.another({ roles: only('gateway'), gateway: silent });
    const id = await connectScripted(harness);
    await sendText(harness, id, ADA, 'a');
    await harness.clock.settle();
    await one.trunkline.stop();
    const second = scriptedGateway({ pace });
    await harness.another({ roles: only('gateway'), gateway: second });
    await harness.clock.advance(MINUTE);
    expect(texts(second.sent())).toEqual(['a']);
  });

  it('gives the network its usual time to take a message that waited for a day', async () => {
    let isBusy = true;
    const all = await paced(
      { newPeoplePerDay: 1 },
      {
        send: async ({ to }) =>
          isBusy && to === BOB
            ? { kind: 'not_sent', reason: 'busy', retryAfterMs: MINUTE }
            : { kind: 'accepted' },
      },
    );
    const [, bob = ''] = await sendEach(all, [ADA, BOB]);
    await jumpAhead(all.harness, DAY);
    expect(texts(all.gateway.sent())).toContain(BOB);
    isBusy = false;
    await all.harness.clock.advance(5 * MINUTE);
    expect(await all.harness.api.messages.get(bob)).toMatchObject({ status: 'sent' });
  });

  it('writes to any number of new people afterwards, and starts over if another number is linked', async () => {
    const all = await paced({ newPeoplePerDay: 0 });
    await sendEach(all, [ADA]);
    await jumpAhead(all.harness, 10 * DAY);
    await sendEach(all, [BOB, EVE]);
    expect(texts(all.gateway.sent())).toEqual([ADA, BOB, EVE]);

    await all.harness.api.instances.logout(all.id);
    await all.harness.api.instances.connect(all.id);
    await all.harness.clock.settle();
    await sendEach(all, [KIM]);
    expect(texts(all.gateway.sent())).toEqual([ADA, BOB, EVE]);
  });

  it('writes to groups whatever its pace', async () => {
    const all = await paced({ newPeoplePerDay: 0 });
    const { harness, id } = all;
    await all.gateway.last().listener.groups([{ networkId: 'g1', name: 'Family', participantsCount: 3 }]);
    const { data: groups } = await harness.api.instances.groups(id);
    await sendText(harness, id, groups[0]?.id ?? '', 'in the group');
    await harness.clock.settle();
    expect(texts(all.gateway.sent())).toEqual(['in the group']);
  });

  it('fails what waits when it is logged out', async () => {
    const all = await paced({ newPeoplePerDay: 0 });
    const [held = ''] = await sendEach(all, [ADA]);
    await all.harness.api.instances.logout(all.id);
    expect(await all.harness.api.messages.get(held)).toMatchObject({ status: 'failed' });
  });
});

describe('the pace that was chosen for an instance', () => {
  it('replaces that of its gateway, for messages that wait already too', async () => {
    const all = await paced({ newPeoplePerDay: 0 });
    const { harness, id } = all;
    const { instances } = harness.api;
    expect(await instances.get(id)).toMatchObject({ pace: null });
    await sendEach(all, [ADA, BOB]);
    expect(await instances.update(id, { pace: 'off' })).toMatchObject({ pace: 'off' });
    await harness.clock.settle();
    expect(texts(all.gateway.sent())).toEqual([ADA, BOB]);
    expect(await instances.update(id, { name: 'Desk' })).toMatchObject({ pace: 'off' });
    await sendEach(all, [EVE]);
    expect(texts(all.gateway.sent())).toEqual([ADA, BOB, EVE]);
    expect(await instances.update(id, { pace: null })).toMatchObject({ pace: null });
    await sendEach(all, [KIM]);
    expect(all.gateway.sent()).toHaveLength(3);
  });

  it('applies to what waits before the process that holds the instance has heard of it', async () => {
    let isDeaf = false;
    const storage = memoryStorage();
    const deaf: Storage = {
      ...storage,
      subscribe: (listener) =>
        storage.subscribe((signal) => {
          if (!isDeaf || signal.topic !== 'instance') listener(signal);
        }),
    };
    const gateway = scriptedGateway({ pace: { ...UNHURRIED, newPeoplePerDay: 0 } });
    const { harness, id } = await connected({ gateway, storage: deaf });
    await sendEach({ harness, id, gateway }, [ADA, BOB]);
    isDeaf = true;
    await harness.api.instances.update(id, { pace: 'off' });
    await harness.clock.settle();
    expect(texts(gateway.sent())).toEqual([ADA, BOB]);
  });

  it('applies on a network whose gateway has none', async () => {
    const gateway = scriptedGateway();
    const harness = await startHarness({ gateway });
    const { id } = await harness.api.instances.create({ pace: 'gentle' });
    await harness.api.instances.connect(id);
    await harness.clock.settle();
    const people = Array.from({ length: 40 }, (_, index) => `3460000020${10 + index}`);
    await sendEach({ harness, id, gateway }, people);
    expect(gateway.sent()).toHaveLength(1);
    await harness.clock.advance(5 * MINUTE);
    expect(texts(gateway.sent())).toEqual(people.slice(0, 30));
  });

  it('is one that exists', async () => {
    const { api } = await startHarness();
    await expect(api.instances.create({ pace: 'slow' as 'off' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { pace: ['Must be one of gentle, off.'] } },
    });
  });
});

it('a text is typed for some seconds before it is sent, if the pace says so', async () => {
  const [silent, all] = [await paced({}), await paced({ typing: true })];
  await sendEach(silent, [ADA]);
  expect(silent.gateway.sent()[0]).not.toHaveProperty('typingMs');
  await sendText(all.harness, all.id, ADA, 'x'.repeat(4_096));
  await all.harness.clock.settle();
  const { typingMs = 0 } = all.gateway.sent()[0] ?? {};
  expect(typingMs).toBeGreaterThanOrEqual(2_500);
  expect(typingMs).toBeLessThanOrEqual(5_000);
});

it('a message that a pace delays is counted once for each reason', async () => {
  const pace = { ...UNHURRIED, messagesPerMinute: 1, newPeoplePerDay: 2 };
  const { harness, reader } = await measuredHarness({ gateway: scriptedGateway({ pace }) });
  const id = await connectScripted(harness);
  for (const to of [ADA, BOB, EVE]) await sendText(harness, id, to);
  await harness.clock.advance(5 * MINUTE);
  await jumpAhead(harness, HOUR);
  expect(await reader.values()).toMatchObject({
    'trunkline.messages.paced interval': 2,
    'trunkline.messages.paced new_person': 1,
  });
});
