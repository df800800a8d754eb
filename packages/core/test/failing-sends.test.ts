import { describe, expect, it } from 'vitest';
import { PNG, startMediaHarness } from './support/media.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';
import { MINUTE, SECOND, connected, sendText } from './support/harness.ts';
import type { Harness } from './support/harness.ts';

const AWAY = new Error('the disk is away');
const linesOf = ({ logs }: Harness, text: string): Harness['logs'] =>
  logs.filter(({ level, message }) => level === 'warn' && message.includes(text));
const statusOf = async ({ api }: Harness, id: string): Promise<string> => (await api.messages.get(id)).status;

describe('a message whose quoted message cannot be read', () => {
  it('waits with its reason in the log, and messages to others are sent', async () => {
    const storage = memoryStorage();
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ storage, gateway });
    const { message: first } = await sendText(harness, id, '34600000001');
    await harness.clock.advance(SECOND);
    const works = storage.messages.findQuotable;
    storage.messages.findQuotable = () => Promise.reject(AWAY);
    const { message: reply } = await harness.api.messages.send({
      instance: id,
      to: '34600000001',
      type: 'text',
      text: 'Yes',
      reply_to: first.id,
    });
    const { message: other } = await sendText(harness, id, '34600000002');
    await harness.clock.advance(10 * MINUTE);
    expect([await statusOf(harness, reply.id), await statusOf(harness, other.id)]).toEqual([
      'queued',
      'sent',
    ]);
    const lines = linesOf(harness, 'a message could not be read to be sent');
    expect(lines[0]?.facts).toMatchObject({ instanceId: id, messageId: reply.id, err: AWAY });
    expect(lines.length).toBeLessThan(13);
    storage.messages.findQuotable = works;
    await harness.clock.advance(MINUTE);
    expect(await statusOf(harness, reply.id)).toBe('sent');
  });
});

describe('a message whose file cannot be read', () => {
  it('never fails: it waits until the media store is back', async () => {
    let isAway = true;
    const { harness, gateway, instance } = await startMediaHarness(
      {
        async send({ content }) {
          if ('file' in content) for await (const _chunk of await content.file.open());
          return { kind: 'accepted' };
        },
      },
      (media) => ({ ...media, get: (...of) => (isAway ? Promise.reject(AWAY) : media.get(...of)) }),
    );
    const file = new Blob([PNG]).stream();
    const { message } = await harness.api.messages.send({ instance, to: '34600000009', type: 'image', file });
    await harness.clock.advance(5 * MINUTE);
    expect(await statusOf(harness, message.id)).toBe('queued');
    expect(linesOf(harness, 'a message could not be read to be sent').length).toBeGreaterThan(0);
    isAway = false;
    await harness.clock.advance(MINUTE);
    expect(await statusOf(harness, message.id)).toBe('sent');
    expect(gateway.sent().length).toBeLessThan(20);
  });
});

describe('the only message whose outcome cannot be recorded', () => {
  it('does not hold up others, and is sent once', async () => {
    const storage = memoryStorage();
    const gateway = scriptedGateway();
    const { harness, id } = await connected({ storage, gateway });
    const { message: stuck } = await sendText(harness, id, '34600000001');
    const change = storage.messages.change.bind(storage.messages);
    storage.messages.change = (lease, next) =>
      next.message.id === stuck.id ? Promise.reject(AWAY) : change(lease, next);
    const others = await Promise.all(
      [2, 3, 4, 5].map(async (one) => (await sendText(harness, id, `3460000000${one}`)).message.id),
    );
    await harness.clock.advance(10 * SECOND);
    expect(await Promise.all(others.map((one) => statusOf(harness, one)))).toEqual(Array(4).fill('sent'));
    await harness.clock.advance(10 * MINUTE);
    expect(gateway.sent()).toHaveLength(5);
    storage.messages.change = change;
    await harness.clock.advance(2 * SECOND);
    expect(await statusOf(harness, stuck.id)).toBe('sent');
  });
});

describe('a message that the gateway does not send', () => {
  it('is logged with the reason of the outcome that stays unknown', async () => {
    const gateway = scriptedGateway({ send: () => Promise.reject(new Error('socket hang up')) });
    const { harness, id } = await connected({ gateway });
    await sendText(harness, id);
    await harness.clock.settle();
    expect(linesOf(harness, 'did not say whether it took a message')).toMatchObject([
      { facts: { instanceId: id, reason: 'socket hang up', tries: 1 } },
    ]);
  });

  it('is logged once a minute, however many of its instance have no outcome', async () => {
    const gateway = {
      ...scriptedGateway({ send: () => Promise.reject(new Error('socket hang up')) }),
      sendsAtOnce: 4,
    };
    const { harness, id } = await connected({ gateway });
    for (const to of ['34600000001', '34600000002', '34600000003', '34600000004'])
      await sendText(harness, id, to);
    await harness.clock.advance(20 * SECOND);
    expect(gateway.sent()).toHaveLength(20);
    const lines = linesOf(harness, 'did not say whether it took a message');
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('is tried less and less often on a connection that stays open, and logged with its reason', async () => {
    const gateway = scriptedGateway({ send: async () => ({ kind: 'not_sent', reason: 'no key' }) });
    const { harness, id } = await connected({ gateway });
    await sendText(harness, id);
    await harness.clock.settle();
    expect(gateway.sent()).toHaveLength(1);
    // The first time, its connection may have ended without having said so yet.
    expect(linesOf(harness, 'sent nothing of a message')).toEqual([]);
    await harness.clock.advance(75 * SECOND);
    expect(gateway.sent().length).toBeGreaterThan(4);
    expect(gateway.sent().length).toBeLessThan(10);
    expect(linesOf(harness, 'sent nothing of a message')[0]?.facts).toMatchObject({ reason: 'no key' });
  });

  it('ends the sending of its instance if its lease is lost', async () => {
    const storage = memoryStorage();
    const gateway = scriptedGateway({ send: async () => ({ kind: 'not_sent', reason: 'no key' }) });
    const { harness, id } = await connected({ storage, gateway });
    storage.messages.postpone = async () => 'fenced';
    await sendText(harness, id);
    await harness.clock.advance(10 * SECOND);
    expect(gateway.sent().length).toBeLessThan(8);
    expect(linesOf(harness, 'sending stopped on an instance, because its lease was lost')).toHaveLength(1);
  });
});
