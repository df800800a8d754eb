import { describe, expect, it } from 'vitest';
import type { GroupReport } from '../src/spi/gateway.ts';
import { acting, ADA, ADAS, inTurn, NOT_NOW, sentToAda } from './support/acting.ts';
import type { Acting } from './support/acting.ts';
import { connectInstance, MINUTE, SECOND, startHarness } from './support/harness.ts';

const READ = expect.any(String);

describe('a read mark', () => {
  it('marks the message and the unread ones before it in its chat, once', async () => {
    const act = await acting();
    const { harness, gateway, messages, events } = act;
    const ids = await receivedFromAda(act, 4);
    const elsewhere = await act.received({ networkId: 'BOB', from: '34600000008', senderId: 'bob@net' });
    await sentToAda(act);
    const { action, replayed } = await messages.markRead(ids[1] ?? '');
    expect(action).toMatchObject({
      message_id: ids[1],
      kind: 'read_mark',
      emoji: null,
      text: null,
      status: 'queued',
    });
    expect(replayed).toBe(false);
    expect(await messages.get(ids[1] ?? '')).toMatchObject({ read_at: null });
    await harness.clock.advance(SECOND);
    await messages.markRead(ids[3] ?? '');
    await harness.clock.advance(SECOND);
    await messages.markRead(ids[0] ?? '');
    await harness.clock.advance(SECOND);
    expect(gateway.acted()).toMatchObject([
      { to: ADA, isGroup: false, about: onNetwork('IN1'), deed: mark(onNetwork('IN0')) },
      { to: ADA, isGroup: false, about: onNetwork('IN3'), deed: mark(onNetwork('IN2')) },
    ]);
    for (const id of ids) expect(await messages.get(id)).toMatchObject({ status: 'received', read_at: READ });
    expect(await messages.get(elsewhere)).toMatchObject({ read_at: null });
    expect((await messages.actions(ids[0] ?? '')).data).toMatchObject([{ status: 'sent', error: null }]);
    expect((await messages.standing(ids[3] ?? '')).sentence).toContain(', and marked as read at ');
    expect(events()).toEqual([]);
  });

  it('names the author of each message of a group', async () => {
    const act = await acting();
    const { harness, gateway, messages } = act;
    const group: GroupReport = { networkId: 'G', name: 'Neighbours', participantsCount: 3 };
    await gateway.last().listener.groups([group]);
    const from = async (networkId: string, senderId: string, contact = {}) =>
      act.received({ networkId, senderId, from: null, groupNetworkId: 'G', ...contact });
    await from('ONE', 'ada@net', { contact: ADAS });
    await from('TWO', 'unnamed@net');
    await act.received({ networkId: 'DIRECT' });
    const last = await from('THREE', 'ada@net', { contact: ADAS });
    await messages.markRead(last);
    await harness.clock.advance(SECOND);
    expect(gateway.acted()).toMatchObject([
      {
        to: 'G',
        isGroup: true,
        about: onNetwork('THREE'),
        deed: mark({ networkId: 'TWO', senderId: 'unnamed@net' }, onNetwork('ONE')),
      },
    ]);
  });

  it('goes out in its chat, and a later mark waits for it', async () => {
    const act = await acting({ act: inTurn(NOT_NOW, { kind: 'accepted' }) });
    const { harness, gateway, messages, id } = act;
    const [first = '', second = ''] = await receivedFromAda(act, 2);
    await messages.markRead(first);
    await messages.markRead(second);
    await harness.api.messages.send({ instance: id, to: ADA, type: 'text', text: 'On my way' });
    await harness.clock.advance(SECOND);
    expect(gateway.acted()).toHaveLength(1);
    expect(gateway.sent()).toEqual([]);
    expect(await messages.get(first)).toMatchObject({ read_at: null });
    await harness.clock.advance(2 * MINUTE);
    expect(gateway.acted()).toMatchObject([
      { about: onNetwork('IN0') },
      { about: onNetwork('IN0') },
      { about: onNetwork('IN1'), deed: mark() },
    ]);
    expect(gateway.sent()).toHaveLength(1);
  });

  it('covers at most two hundred messages before its own', async () => {
    const act = await acting();
    const ids = await receivedFromAda(act, 203);
    await act.messages.markRead(ids.at(-1) ?? '');
    await act.harness.clock.advance(SECOND);
    const [{ deed } = { deed: null }] = act.gateway.acted();
    const earlier = deed?.kind === 'read_mark' ? deed.earlier.map(({ networkId }) => networkId) : [];
    expect(earlier).toHaveLength(200);
    expect([earlier[0], earlier.at(-1)]).toEqual(['IN201', 'IN2']);
    const [first, second, third] = await Promise.all(ids.slice(0, 3).map((id) => act.messages.get(id)));
    expect([first?.read_at, second?.read_at, third?.read_at]).toEqual([null, null, READ]);
  });

  it('covers messages behind many that the instance sent', async () => {
    const act = await acting();
    const [old = ''] = await receivedFromAda(act, 1);
    for (let count = 0; count < 30; count += 1) await sentToAda(act);
    const last = await act.received({ networkId: 'LAST' });
    await act.messages.markRead(last);
    await act.harness.clock.advance(SECOND);
    expect(act.gateway.acted()).toMatchObject([{ deed: mark(onNetwork('IN0')) }]);
    expect(await act.messages.get(old)).toMatchObject({ read_at: READ });
  });

  it('is possible for a deleted message, and refused for one that the instance sent', async () => {
    const act = await acting();
    const { gateway, harness, messages } = act;
    const [, id = ''] = await receivedFromAda(act, 2);
    await gateway.last().listener.activity?.({
      kind: 'deletion',
      about: 'IN1',
      author: 'ada@net',
      own: false,
      contact: ADAS,
      groupNetworkId: null,
      at: harness.clock.now(),
    });
    expect(await messages.get(id)).toMatchObject({ deleted_at: READ });
    await messages.markRead(id);
    await harness.clock.advance(SECOND);
    expect(gateway.acted()).toMatchObject([{ about: onNetwork('IN1'), deed: mark(onNetwork('IN0')) }]);
    expect(await messages.get(id)).toMatchObject({ read_at: READ, deleted_at: READ });
    await expect(messages.markRead(await sentToAda(act))).rejects.toMatchObject({
      code: 'INVALID_MESSAGE_STATE',
      message: 'Only a message that the instance received can be marked as read.',
    });
  });

  it('leaves the messages unread if the network refuses it, which is reported', async () => {
    const error = { code: 'not_allowed', message: 'The network does not allow it.' };
    const act = await acting({ act: async () => ({ kind: 'refused', error }) });
    const [id = ''] = await receivedFromAda(act, 1);
    await act.messages.markRead(id);
    await act.harness.clock.advance(SECOND);
    expect(await act.messages.get(id)).toMatchObject({ read_at: null });
    const failed = { kind: 'read_mark', status: 'failed', error };
    expect(act.events()).toMatchObject([{ type: 'message.action_failed', message: { id }, action: failed }]);
  });

  it('is accepted once under a key', async () => {
    const act = await acting();
    const [first = '', second = ''] = await receivedFromAda(act, 2);
    const idempotencyKey = 'mark-1';
    const { action } = await act.messages.markRead(first, { idempotencyKey });
    expect(await act.messages.markRead(first, { idempotencyKey })).toEqual({ action, replayed: true });
    await expect(act.messages.markRead(second, { idempotencyKey })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('shows on the phone of the sandbox, which refuses it for some people', async () => {
    const harness = await startHarness();
    const phone = harness.sandbox.phone(await connectInstance(harness));
    const first = await phone.receive({ from: ADA, text: 'Hi' });
    const second = await phone.receive({ from: ADA, text: 'Are you there?' });
    await phone.receive({ from: '34600000003', text: 'Hi' });
    await harness.clock.advance(SECOND);
    const { messages } = harness.api;
    const { data } = await messages.list();
    const [refused, latest] = data;
    for (const message of [refused, latest]) await messages.markRead(message?.id ?? '');
    await harness.clock.advance(SECOND);
    expect(phone.read()).toEqual([first, second]);
    expect((await messages.actions(refused?.id ?? '')).data).toMatchObject([
      { status: 'failed', error: { code: 'recipient_refused' } },
    ]);
  });
});

/** Receives messages from Ada whose network ids are numbered, and returns their ids. */
async function receivedFromAda({ received }: Acting, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await received({ networkId: `IN${index}` }));
  return ids;
}

function onNetwork(networkId: string) {
  return { networkId, senderId: 'ada@net' };
}

function mark(...earlier: readonly object[]) {
  return { kind: 'read_mark', earlier };
}
