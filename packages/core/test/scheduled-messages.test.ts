import { describe, expect, it } from 'vitest';
import type { MessageResource } from '../src/index.ts';
import {
  after,
  connected,
  connectInstance,
  connectScripted,
  DAY,
  HOUR,
  jumpAhead,
  listen,
  MINUTE,
  only,
  receivedEvents,
  SECOND,
  sendText,
  startHarness,
  STEP,
} from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { scriptedGateway, texts } from './support/scripted-gateway.ts';
import type { ScriptedGateway } from './support/scripted-gateway.ts';
import { memoryStorage } from './support/memory-storage.ts';

const ADA = '34600000009';
const BOB = '34600000010';
/** How soon a process notices that the wall clock was set forward. */
const NOTICED_MS = 5 * SECOND;

const at = (ms: number): string => new Date(ms).toISOString();

function later(
  { api, clock }: Pick<Harness, 'api' | 'clock'>,
  instance: string,
  inMs: number,
  { to = ADA, text = `in ${inMs}`, key }: { to?: string; text?: string; key?: string } = {},
): ReturnType<typeof sendText> {
  const message = { instance, to, type: 'text', text, send_at: at(clock.now() + inMs) } as const;
  return api.messages.send(message, { idempotencyKey: key });
}

async function scripted(): Promise<{
  readonly harness: Harness;
  readonly id: string;
  readonly gateway: ScriptedGateway;
  readonly sent: () => readonly (string | null)[];
}> {
  const gateway = scriptedGateway();
  const { harness, id } = await connected({ gateway });
  return { harness, id, gateway, sent: () => texts(gateway.sent()) };
}

const read = ({ api }: Harness, { id }: Pick<MessageResource, 'id'>): Promise<MessageResource> =>
  api.messages.get(id);

describe('a message with send_at', () => {
  it('is queued until then, and then sent, with its time in every shape', async () => {
    const { harness, id, sent } = await scripted();
    const { message } = await later(harness, id, HOUR, { text: 'later' });
    expect(message).toMatchObject({ status: 'queued', sent_at: null });
    expect(Date.parse(message.send_at ?? '')).toBe(harness.clock.now() + HOUR);
    await harness.clock.advance(HOUR - 1);
    expect(sent()).toEqual([]);
    await harness.clock.advance(1);
    expect(sent()).toEqual(['later']);
    expect(await read(harness, message)).toMatchObject({ status: 'sent', send_at: message.send_at });
    const event = receivedEvents(harness).at(-1);
    expect(event).toMatchObject({ type: 'message.sent', data: { message: { send_at: message.send_at } } });
    const plain = await sendText(harness, id);
    expect(plain.message).not.toHaveProperty('send_at');
  });

  it('comes by its time, then by acceptance, in the order of its chat, and keeps nothing else waiting', async () => {
    const { harness, id, sent } = await scripted();
    const from = harness.clock.now();
    for (const [inMs, text] of [
      [3 * MINUTE, 'c1'],
      [MINUTE, 'a1'],
      [3 * MINUTE, 'c2'],
      [2 * MINUTE, 'b1'],
      [MINUTE, 'a2'],
    ] as const) {
      await harness.clock.advance(7);
      await later(harness, id, from + inMs - harness.clock.now(), { text });
    }
    await sendText(harness, id, ADA, 'now');
    await harness.clock.settle();
    expect(sent()).toEqual(['now']);
    await harness.clock.advance(MINUTE);
    expect(sent()).toEqual(['now', 'a1', 'a2']);
    await sendText(harness, id, ADA, 'between');
    await harness.clock.advance(2 * MINUTE);
    expect(sent()).toEqual(['now', 'a1', 'a2', 'between', 'b1', 'c1', 'c2']);
  });

  it('takes its place in its chat when it is due, even while its instance is disconnected', async () => {
    const { harness, id, sent } = await scripted();
    await later(harness, id, MINUTE, { text: 'due' });
    await after(harness, SECOND, harness.api.instances.disconnect(id));
    await harness.clock.advance(MINUTE);
    await harness.api.instances.connect(id);
    await sendText(harness, id, ADA, 'after');
    await harness.clock.advance(SECOND);
    expect(sent()).toEqual(['due', 'after']);
  });

  it('is sent in order if hundreds are due in one second', async () => {
    const { harness, id, sent } = await scripted();
    const wanted: string[] = [];
    for (let index = 0; index < 400; index += 1) {
      const inMs = MINUTE + (index % 10);
      await later(harness, id, inMs, { to: ADA, text: `${inMs} ${String(index).padStart(4, '0')}` });
      wanted.push(`${inMs} ${String(index).padStart(4, '0')}`);
    }
    await harness.clock.advance(MINUTE + SECOND);
    expect(sent()).toEqual(wanted.toSorted());
  });

  it.each([
    [-61 * SECOND, 'Must not be more than a minute in the past.'],
    [30 * DAY + 1, 'Must be at most 30 days ahead.'],
  ])('is refused %d ms from now', async (inMs, complaint) => {
    const { harness, id } = await connected();
    await expect(later(harness, id, inMs)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { send_at: [complaint] } },
    });
  });

  it.each(['tomorrow', '2026-01-01', '2026-01-01T10:00:00', 5])('is refused at %j', async (sendAt) => {
    const { harness, id } = await connected();
    const message = { instance: id, to: ADA, type: 'text', text: 'hi', send_at: sendAt as string } as const;
    await expect(harness.api.messages.send(message)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { send_at: [expect.any(String)] } },
    });
  });

  it.each([-MINUTE, 0])('is sent immediately at %d ms from now', async (inMs) => {
    const { harness, id, sent } = await scripted();
    const { message } = await later(harness, id, inMs, { text: 'now' });
    await harness.clock.settle();
    expect(sent()).toEqual(['now']);
    expect(message).toHaveProperty('send_at');
  });

  it('is accepted up to 30 days ahead, and null counts as left out', async () => {
    const { harness, id } = await connected();
    expect((await later(harness, id, 30 * DAY)).message.status).toBe('queued');
    const input = { instance: id, to: ADA, type: 'text', text: 'hi', send_at: null } as const;
    expect((await harness.api.messages.send(input)).message).not.toHaveProperty('send_at');
  });

  it('is the same request under its idempotency key, after its time too, and another one at another time', async () => {
    const { harness, id, sent } = await scripted();
    const sendAt = harness.clock.now() + MINUTE;
    const request = { instance: id, to: ADA, type: 'text', text: 'hi' } as const;
    const send = (time: string | undefined) =>
      harness.api.messages.send({ ...request, send_at: time }, { idempotencyKey: 'k' });
    const { message } = await send(at(sendAt));
    const withOffset = at(sendAt + 2 * HOUR).replace('Z', '+02:00');
    expect(await send(withOffset)).toMatchObject({ replayed: true, message: { id: message.id } });
    await harness.clock.advance(HOUR);
    expect(await send(at(sendAt))).toMatchObject({ replayed: true, message: { id: message.id } });
    for (const other of [at(harness.clock.now() + 1), undefined])
      await expect(send(other)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(sent()).toEqual(['hi']);
  });

  it('is given up four hours after its time, not after its acceptance', async () => {
    const gateway = scriptedGateway({
      send: async () => ({ kind: 'not_sent', reason: 'busy', retryAfterMs: MINUTE }),
    });
    const { harness, id } = await connected({ gateway });
    const { message } = await later(harness, id, DAY);
    await jumpAhead(harness, DAY + HOUR);
    expect(await read(harness, message)).toMatchObject({ status: 'queued' });
    await jumpAhead(harness, 4 * HOUR);
    expect(await read(harness, message)).toMatchObject({ status: 'failed', error: { code: 'network_busy' } });
  });

  it('stands as scheduled until its time', async () => {
    const { harness, id } = await connected();
    const { message } = await later(harness, id, 2 * DAY);
    expect(await harness.api.messages.standing(message.id)).toEqual({
      code: 'scheduled',
      since: message.created_at,
      until: message.send_at,
      sentence: expect.stringMatching(/^It is scheduled, and is sent at 2026-01-03 \d\d:\d\d UTC\.$/),
    });
  });

  it('is sent after a restart, and by a process that did not accept it', async () => {
    const { harness, id, gateway, sent } = await scripted();
    await later(harness, id, HOUR, { text: 'later' });
    await after(harness, SECOND, harness.trunkline.stop());
    await harness.clock.advance(2 * HOUR);
    await harness.another({ gateway });
    await harness.clock.advance(MINUTE);
    expect(sent()).toEqual(['later']);
  });
});

describe('the process that sends scheduled messages', () => {
  it('wakes in time for a message that another process accepts, and looks no more than every five seconds', async () => {
    const storage = memoryStorage();
    let looks = 0;
    const counted = {
      ...storage,
      schedule: {
        ...storage.schedule,
        release: (...args: Parameters<typeof storage.schedule.release>) => {
          looks += 1;
          return storage.schedule.release(...args);
        },
      },
    };
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway, storage: counted });
    const other = await harness.another({ gateway, roles: only('api') });
    await harness.clock.advance(7 * SECOND);
    await later({ api: other.api, clock: harness.clock }, id, 1_234, { text: 'soon' });
    await harness.clock.advance(1_233);
    expect(gateway.sent()).toEqual([]);
    await harness.clock.advance(1);
    expect(texts(gateway.sent())).toEqual(['soon']);
    looks = 0;
    await later(harness, id, DAY);
    await harness.clock.advance(10 * MINUTE);
    expect(looks).toBeLessThanOrEqual((10 * MINUTE) / NOTICED_MS + 1);
  });

  it('sends what is due soon after the clock is set forward by an hour', async () => {
    const { harness, id, sent } = await scripted();
    await later(harness, id, HOUR + MINUTE);
    harness.clock.jump(HOUR);
    await harness.clock.advance(MINUTE - SECOND);
    expect(sent()).toEqual([]);
    await harness.clock.advance(SECOND);
    expect(sent()).toHaveLength(1);
    await later(harness, id, HOUR);
    harness.clock.jump(HOUR);
    await harness.clock.advance(NOTICED_MS);
    expect(sent()).toHaveLength(2);
  });

  it('waits for the wall clock if that is set back by an hour, and takes new messages by it', async () => {
    const { harness, id, sent } = await scripted();
    await harness.clock.advance(2 * HOUR);
    await later(harness, id, 10 * MINUTE, { text: 'before' });
    harness.clock.jump(-HOUR);
    await later(harness, id, 5 * MINUTE, { text: 'after' });
    await harness.clock.advance(5 * MINUTE);
    expect(sent()).toEqual(['after']);
    await harness.clock.advance(HOUR + 5 * MINUTE - 1);
    expect(sent()).toEqual(['after']);
    await harness.clock.advance(1);
    expect(sent()).toEqual(['after', 'before']);
  });
});

describe('a scheduled message that is cancelled', () => {
  it('is never sent, and fails with its event', async () => {
    const { harness, id, sent } = await scripted();
    const { message } = await later(harness, id, MINUTE);
    const cancelled = await harness.api.messages.cancel(message.id);
    expect(cancelled).toMatchObject({
      status: 'failed',
      error: { code: 'cancelled' },
      send_at: message.send_at,
    });
    expect(cancelled.failed_at).not.toBeNull();
    await harness.clock.advance(HOUR);
    expect(sent()).toEqual([]);
    expect(await read(harness, message)).toEqual(cancelled);
    expect(receivedEvents(harness).at(-1)).toMatchObject({
      type: 'message.failed',
      data: { message: { id: message.id, error: { code: 'cancelled' } } },
    });
    expect(await harness.api.messages.cancel(message.id)).toEqual(cancelled);
    expect((await harness.api.messages.scheduled()).data).toEqual([]);
  });

  it('is refused once it is due, if it was never scheduled, or if there is none', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'not_sent', reason: 'closed' }) });
    const { harness, id } = await connected({ gateway });
    const { message } = await later(harness, id, MINUTE);
    await harness.clock.advance(MINUTE);
    const plain = await sendText(harness, id);
    for (const refused of [message, plain.message])
      await expect(harness.api.messages.cancel(refused.id)).rejects.toMatchObject({
        code: 'INVALID_MESSAGE_STATE',
        status: 409,
      });
    await expect(harness.api.messages.cancel('msg_none')).rejects.toMatchObject({
      code: 'MESSAGE_NOT_FOUND',
    });
  });

  it('is either cancelled or sent if it becomes due at the same time', async () => {
    const { harness, id, sent } = await scripted();
    const outcomes: [string, boolean][] = [];
    for (let index = 0; index < 40; index += 1) {
      const { message } = await later(harness, id, 10, { to: `346000001${10 + index}`, text: `${index}` });
      const [cancelled] = await Promise.all([
        (async () => {
          for (let turn = 0; turn < index % 8; turn += 1) await Promise.resolve();
          return harness.api.messages.cancel(message.id).then(
            () => true,
            () => false,
          );
        })(),
        harness.clock.advance(10),
      ]);
      outcomes.push([`${index}`, cancelled]);
    }
    await harness.clock.advance(MINUTE);
    for (const [text, isCancelled] of outcomes)
      expect([text, sent().includes(text)]).toEqual([text, !isCancelled]);
  });
});

describe('the scheduled messages of a number', () => {
  it('wait for a number that is logged out and linked again', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness, { phoneNumber: '34600000001' });
    const { message } = await later(harness, id, HOUR);
    await relink(harness, id, '34600000001');
    await harness.clock.advance(HOUR + MINUTE);
    expect(await read(harness, message)).toMatchObject({ status: 'read' });
  });

  it.each([null, '34600000002'])('fail when they are due if %s is linked then', async (phoneNumber) => {
    const harness = await startHarness();
    await listen(harness);
    const id = await connectInstance(harness, { phoneNumber: '34600000001' });
    const { message } = await later(harness, id, HOUR);
    await relink(harness, id, phoneNumber);
    expect(await read(harness, message)).toMatchObject({ status: 'queued' });
    await harness.clock.advance(HOUR + MINUTE);
    const error = { code: 'instance_logged_out' };
    expect(await read(harness, message)).toMatchObject({ status: 'failed', error });
    const failed = receivedEvents(harness).filter(({ type }) => type === 'message.failed');
    expect(failed).toMatchObject([{ data: { message: { id: message.id, error } } }]);
  });

  it('fail when their instance is deleted, however many there are', async () => {
    const { harness, id } = await connected();
    const messages: MessageResource[] = [];
    for (let index = 0; index < 70; index += 1)
      messages.push((await later(harness, id, DAY + index)).message);
    await after(harness, 5 * SECOND, harness.api.instances.delete(id));
    for (const message of messages)
      expect(await read(harness, message)).toMatchObject({
        status: 'failed',
        error: { code: 'instance_deleted' },
      });
    expect((await harness.api.messages.scheduled()).data).toEqual([]);
  });

  async function relink(
    { api, clock, sandbox }: Harness,
    id: string,
    phoneNumber: string | null,
  ): Promise<void> {
    await after({ clock } as Harness, SECOND, api.instances.logout(id));
    if (phoneNumber === null) return;
    await api.instances.connect(id);
    await clock.advance(STEP);
    await sandbox.phone(id).scan({ phoneNumber });
    await clock.settle();
  }
});

describe('the list of scheduled messages', () => {
  it('has pages by send_at in both directions, for all instances or one', async () => {
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ gateway });
    const other = await connectScripted(harness);
    const { api } = harness;
    for (const hours of [5, 1, 4, 2, 3]) await later(harness, id, hours * HOUR, { text: `${hours}` });
    await later(harness, other, 150 * MINUTE, { text: '2.5' });
    const shown = (page: { readonly data: readonly MessageResource[] }) => page.data.map(({ text }) => text);
    const first = await api.messages.scheduled({ limit: 2 });
    expect([shown(first), first.prevCursor]).toEqual([['1', '2'], null]);
    const second = await api.messages.scheduled({ limit: 2, cursor: first.nextCursor ?? '' });
    expect(shown(second)).toEqual(['2.5', '3']);
    const third = await api.messages.scheduled({ limit: 2, cursor: second.nextCursor ?? '' });
    expect([shown(third), third.nextCursor]).toEqual([['4', '5'], null]);
    const back = await api.messages.scheduled({ limit: 2, cursor: third.prevCursor ?? '' });
    expect(shown(back)).toEqual(['2.5', '3']);
    expect(shown(await api.messages.scheduled({ instance: other }))).toEqual(['2.5']);
    await expect(
      api.messages.scheduled({ instance: other, cursor: first.nextCursor ?? '' }),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(api.messages.scheduled({ instance: 'ins_none' })).rejects.toMatchObject({
      code: 'INSTANCE_NOT_FOUND',
    });
    await harness.clock.advance(2 * HOUR);
    expect(shown(await api.messages.scheduled({ limit: 1 }))).toEqual(['2.5']);
  });
});

describe('a person with scheduled messages', () => {
  it('has them in the export, and is sent none after the erasure', async () => {
    const { harness, id, sent } = await scripted();
    const { message } = await later(harness, id, HOUR, { to: ADA, text: 'to ada' });
    await later(harness, id, HOUR, { to: BOB, text: 'to bob' });
    const person = { workspaceId: harness.workspaceId, number: ADA };
    const exported: unknown[] = [];
    for await (const item of await harness.trunkline.admin.exportPerson(person))
      if (item.kind === 'message') exported.push(item.message);
    expect(exported).toEqual([message]);
    await harness.trunkline.admin.erasePerson(person);
    await harness.clock.advance(2 * HOUR);
    expect(sent()).toEqual(['to bob']);
  });
});
