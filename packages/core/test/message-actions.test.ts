import { describe, expect, it } from 'vitest';
import type { SendOutcome } from '../src/spi/gateway.ts';
import { acting, ADA, inTurn, NOT_NOW } from './support/acting.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';
import {
  after,
  connectInstance,
  HOUR,
  MINUTE,
  SECOND,
  connected,
  sendText,
  startHarness,
} from './support/harness.ts';

const NOT_FOUND = { code: 'MESSAGE_NOT_FOUND' };

describe('a reaction to a message', () => {
  it('is queued, goes out in the chat of the message, and has its outcome', async () => {
    const { harness, gateway, messages, received, events } = await acting();
    const id = await received();
    const { action, replayed } = await messages.react(id, { emoji: '👍' });
    expect(action).toMatchObject({ message_id: id, kind: 'reaction', emoji: '👍', status: 'queued' });
    expect(replayed).toBe(false);
    await harness.clock.advance(SECOND);
    await messages.removeReaction(id);
    await harness.clock.advance(SECOND);
    expect(gateway.acted()).toMatchObject([
      { to: ADA, isGroup: false, about: { networkId: 'IN1', senderId: 'ada@net' }, deed: { emoji: '👍' } },
      { to: ADA, about: { networkId: 'IN1' }, deed: { kind: 'reaction', emoji: null } },
    ]);
    expect((await messages.actions(id)).data).toMatchObject([
      { emoji: null, status: 'sent', error: null },
      { id: action.id, emoji: '👍', status: 'sent', sent_at: expect.any(String), failed_at: null },
    ]);
    expect(events()).toMatchObject([
      { type: 'message.reaction', message: { id }, reaction: { emoji: '👍', own: true, contact: null } },
      { type: 'message.reaction', reaction: { emoji: null, own: true } },
    ]);
  });

  it('waits for its message, and later messages of the chat wait for it', async () => {
    const order: string[] = [];
    const note = (what: string, outcome: () => Promise<SendOutcome>) => {
      order.push(what);
      return outcome();
    };
    const first = inTurn(NOT_NOW, { kind: 'accepted' });
    const acts = inTurn(NOT_NOW, { kind: 'accepted' });
    const { harness, id, messages } = await acting({
      send: ({ content }) => {
        const text = content.type === 'text' ? content.text : '';
        return note(text, text === 'one' ? first : inTurn({ kind: 'accepted' }));
      },
      act: ({ deed }) => note(deed.kind === 'reaction' ? (deed.emoji ?? '') : '', acts),
    });
    const { message } = await sendText(harness, id, ADA, 'one');
    await messages.react(message.id, { emoji: '🎉' });
    await sendText(harness, id, ADA, 'two');
    await sendText(harness, id, '34600000001', 'other');
    await harness.clock.advance(5 * MINUTE);
    expect(order.filter((what) => what !== 'other')).toEqual(['one', 'one', '🎉', '🎉', 'two']);
    expect(order.indexOf('other')).toBeLessThan(order.lastIndexOf('one'));
  });

  it('is repeated under one network id until its outcome is known, and fails if that stays unknown', async () => {
    const { harness, gateway, messages, received, events } = await acting({
      act: () => Promise.reject(new Error('socket hang up')),
    });
    const id = await received();
    await messages.react(id, { emoji: '👍' });
    await harness.clock.advance(MINUTE);
    const ids = gateway.acted().map(({ networkId }) => networkId);
    expect([ids.length, new Set(ids).size]).toEqual([5, 1]);
    const failed = { status: 'failed', error: { code: 'send_outcome_unknown' } };
    expect((await messages.actions(id)).data).toMatchObject([failed]);
    expect(events()).toMatchObject([{ type: 'message.action_failed', message: { id }, action: failed }]);
  });

  it('fails with the reason of the network, or after four hours of not now', async () => {
    const error = { code: 'not_allowed', message: 'The network does not allow it.' };
    const { harness, gateway, messages, received } = await acting({
      act: inTurn({ kind: 'refused', error }, { kind: 'not_sent', reason: 'busy', retryAfterMs: MINUTE }),
    });
    const id = await received();
    await messages.react(id, { emoji: '👍' });
    await harness.clock.advance(SECOND);
    await messages.react(id, { emoji: '👎' });
    await harness.clock.advance(5 * HOUR);
    expect((await messages.actions(id)).data).toMatchObject([
      { emoji: '👎', status: 'failed', error: { code: 'network_busy' } },
      { emoji: '👍', status: 'failed', error },
    ]);
    expect(gateway.acted().length).toBeLessThan(20);
  });

  it('goes out after a restart, and on the next connection', async () => {
    const storage = memoryStorage();
    const { harness, gateway, messages, received } = await acting(
      { act: inTurn({ kind: 'not_sent', reason: 'closed' }, { kind: 'accepted' }) },
      storage,
    );
    const id = await received();
    await gateway.last().listener.closed({ kind: 'dropped', detail: 'lost' });
    await messages.react(id, { emoji: '👍' });
    await harness.trunkline.stop();
    const next = await harness.another({ gateway });
    await harness.clock.advance(MINUTE);
    expect((await next.api.messages.actions(id)).data).toMatchObject([{ emoji: '👍', status: 'sent' }]);
    expect(new Set(gateway.acted().map(({ networkId }) => networkId)).size).toBe(1);
  });

  it('fails if its message does, or was deleted before its turn', async () => {
    const error = { code: 'not_allowed', message: 'The network does not allow it.' };
    const { harness, gateway, id, messages, received } = await acting({
      send: async () => ({ kind: 'refused', error }),
    });
    const { message } = await sendText(harness, id);
    await messages.react(message.id, { emoji: '👍' });
    await harness.clock.advance(SECOND);
    expect((await messages.actions(message.id)).data).toMatchObject([
      { status: 'failed', error: { code: 'message_not_sent' } },
    ]);
    await expect(messages.react(message.id, { emoji: '👍' })).rejects.toMatchObject({
      code: 'INVALID_MESSAGE_STATE',
    });
    const other = await received();
    gateway.script.act = async () => ({ kind: 'not_sent', reason: 'busy', retryAfterMs: MINUTE });
    await messages.react(other, { emoji: '👍' });
    await harness.clock.advance(SECOND);
    const contact = { networkId: 'ada@net', aliases: [], phoneNumber: ADA, name: null, username: null };
    const deletion = { about: 'IN1', author: 'ada@net', groupNetworkId: null, own: false, at: null };
    await gateway.last().listener.activity?.({ ...deletion, kind: 'deletion', contact });
    await harness.clock.advance(2 * MINUTE);
    expect((await messages.actions(other)).data).toMatchObject([
      { status: 'failed', error: { code: 'message_deleted' } },
    ]);
    expect(gateway.acted()).toHaveLength(1);
  });

  it('fails with the messages in the queue when its instance is logged out, and is then refused', async () => {
    const { harness, id, messages, received, events } = await acting({ act: () => new Promise(() => {}) });
    const about = await received();
    await messages.react(about, { emoji: '👍' });
    await after(harness, SECOND, harness.api.instances.logout(id));
    await harness.clock.advance(SECOND);
    const failed = { status: 'failed', error: { code: 'instance_logged_out' } };
    expect((await messages.actions(about)).data).toMatchObject([failed]);
    expect(events()).toMatchObject([
      { type: 'message.action_failed', message: { id: about }, action: failed },
    ]);
    await expect(messages.react(about, { emoji: '👍' })).rejects.toMatchObject({
      code: 'INSTANCE_NOT_CONNECTED',
    });
  });

  it('is accepted once under a key, which another reaction cannot use', async () => {
    const { harness, gateway, messages, received } = await acting();
    const id = await received();
    const key = { idempotencyKey: 'k1' };
    const first = await messages.react(id, { emoji: '👍' }, key);
    await harness.clock.advance(SECOND);
    expect(await messages.react(id, { emoji: '👍' }, key)).toMatchObject({
      action: { id: first.action.id, status: 'sent' },
      replayed: true,
    });
    await expect(messages.react(id, { emoji: '👎' }, key)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    await expect(messages.removeReaction(id, key)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    await expect(messages.removeReaction(id, { idempotencyKey: 'two words' })).rejects.toMatchObject({
      code: 'INVALID_IDEMPOTENCY_KEY',
    });
    await harness.clock.advance(SECOND);
    expect(gateway.acted()).toHaveLength(1);
  });

  it('is refused while its message is scheduled, and carried out once that was sent', async () => {
    const { harness, gateway, id, messages } = await acting();
    const send_at = new Date(harness.clock.now() + HOUR).toISOString();
    const later = { instance: id, to: ADA, type: 'text', text: 'Later', send_at } as const;
    const { message } = await messages.send(later);
    for (const act of [
      () => messages.react(message.id, { emoji: '👍' }),
      () => messages.removeReaction(message.id),
    ])
      await expect(act()).rejects.toMatchObject({ code: 'INVALID_MESSAGE_STATE', status: 409 });
    expect((await messages.actions(message.id)).data).toEqual([]);
    await harness.clock.advance(HOUR + MINUTE);
    await messages.react(message.id, { emoji: '👍' });
    await harness.clock.advance(SECOND);
    expect((await messages.actions(message.id)).data).toMatchObject([{ status: 'sent' }]);
    expect(gateway.acted()).toMatchObject([{ about: { networkId: gateway.sent()[0]?.networkId } }]);
  });

  it('is one emoji, in any form', async () => {
    const { messages, received } = await acting();
    const id = await received();
    for (const emoji of ['👍', '❤', '❤️', '👩🏽‍🚀', '👨‍👩‍👧‍👦', '🇪🇸', '1️⃣', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'])
      expect((await messages.react(id, { emoji })).action).toMatchObject({ emoji });
    for (const emoji of ['', 'a', '1', '👍👍', '👍 ', 'ok', ':)', '©a', '\u{1f44d}\0', '\ud83d', '\u{200d}'])
      await expect(messages.react(id, { emoji }), emoji).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: { fields: { emoji: expect.any(Array) } },
      });
  });

  it('is refused without its message, and on a network without reactions', async () => {
    const { messages } = await acting();
    for (const id of ['msg_nothing', 'msg_01k9z000000000000000000000', ''])
      await expect(messages.react(id, { emoji: '👍' })).rejects.toMatchObject(NOT_FOUND);
    await expect(messages.actions('msg_nothing')).rejects.toMatchObject(NOT_FOUND);
    const { harness, id } = await connected({ gateway: scriptedGateway() });
    const { message } = await sendText(harness, id);
    await expect(harness.api.messages.react(message.id, { emoji: '👍' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_MESSAGE_TYPE',
    });
    expect((await harness.api.instances.get(id)).capabilities).not.toContain('reactions');
  });

  it('shows on the phone of the sandbox, which refuses it for some people', async () => {
    const harness = await startHarness();
    const id = await connectInstance(harness);
    const phone = harness.sandbox.phone(id);
    const [about, refused] = [
      await phone.receive({ from: ADA, text: 'Hi' }),
      await phone.receive({ from: '34600000003', text: 'Hi' }),
    ];
    await harness.clock.advance(SECOND);
    const { data } = await harness.api.messages.list();
    for (const message of data) await harness.api.messages.react(message.id, { emoji: '👍' });
    await harness.clock.advance(SECOND);
    expect(phone.acted()).toMatchObject([
      { to: ADA, about, author: ADA, deed: { kind: 'reaction', emoji: '👍' }, repeats: 0 },
    ]);
    const of = data.find(({ from }) => from === '34600000003');
    expect((await harness.api.messages.actions(of?.id ?? '')).data).toMatchObject([
      { status: 'failed', error: { code: 'recipient_refused' } },
    ]);
    expect(refused).not.toBe(about);
  });
});
