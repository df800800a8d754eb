import type { GroupRequest } from '@trunkline/core/spi/gateway';
import type { TranscriptEntry } from '@trunkline/fake-whatsapp';
import { elapsing, eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { expect, it } from 'vitest';
import type { BaileysNetwork } from './support/baileys-network.ts';
import { linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

/** The queries about people that the client has made. */
function queriesOf({ wa }: BaileysNetwork): readonly TranscriptEntry['node'][] {
  return wa
    .transcript()
    .filter(({ direction, node }) => direction === 'received' && node.attrs['xmlns'] === 'usync')
    .map(({ node }) => node);
}

it('a person whom the client would have to look up is shown no typing, and then by their hidden id', async () => {
  const { network, link } = await linked();
  const { wa, reader } = network;
  const connection = link.connection();
  const chat = { to: reader.phoneNumber, isGroup: false };
  const shown = (): readonly string[] =>
    wa.transcript().flatMap(({ node }) => (node.tag === 'chatstate' ? [node.attrs['to'] ?? ''] : []));
  const before = queriesOf(network).length;
  await connection.showTyping?.(chat, 'typing');
  expect(queriesOf(network)).toHaveLength(before);
  const message = {
    ...chat,
    networkId: '3EB0000000000000000001',
    content: { type: 'text', text: 'Hello' },
  } as const;
  expect(await connection.send(message)).toEqual({ kind: 'accepted' });
  expect(shown()).toEqual([]);
  const asked = queriesOf(network).length;
  await connection.showTyping?.(chat, 'typing');
  await eventually(() => expect(shown()).toEqual([reader.lidJid]));
  expect(queriesOf(network)).toHaveLength(asked);
});

it('numbers are looked up in one query, as they are registered, and not again for a message to one of them', async () => {
  const { network, link } = await linked();
  const { wa, reader } = network;
  const brazilian = wa.person('551177770001');
  wa.dialAs('5511977770001', brazilian);
  const connection = link.connection();
  const before = queriesOf(network).length;
  const results = await connection.lookUp?.([
    '5511977770001',
    reader.phoneNumber,
    '5511900009999',
    '15550000',
  ]);
  expect(results).toEqual([
    { number: '5511977770001', isOnNetwork: true, registeredNumber: brazilian.phoneNumber },
    { number: reader.phoneNumber, isOnNetwork: true, registeredNumber: reader.phoneNumber },
    { number: '5511900009999', isOnNetwork: false, registeredNumber: null },
    { number: '15550000', isOnNetwork: false, registeredNumber: null },
  ]);
  expect(queriesOf(network)).toHaveLength(before + 1);
  const message = {
    to: '5511900009999',
    isGroup: false,
    networkId: '3EB0000000000000000001',
    content: { type: 'text', text: 'Hello' },
  } as const;
  expect(await connection.send(message)).toMatchObject({ kind: 'refused' });
  expect(queriesOf(network)).toHaveLength(before + 1);
});

it.runIf(isLongForm)('a person is blocked by their hidden id, with the number if it is known', async () => {
  const { network, link } = await linked();
  const { wa, account, reader } = network;
  const hidden = wa.person('5511955554444', { hidesNumber: true });
  await wa.inbound(hidden, account, 'Buy this!');
  const { message } = await link.first('message');
  const connection = link.connection();
  const known = { to: reader.phoneNumber, isGroup: false };
  const unknown = { to: '', isGroup: false, contactNetworkId: message.senderId };
  for (const person of [known, unknown]) await connection.setBlocked?.(person, true);
  expect(wa.blocked(account)).toEqual([reader.phoneNumber, hidden.phoneNumber]);
  await connection.setBlocked?.(known, false);
  expect(wa.blocked(account)).toEqual([hidden.phoneNumber]);
  const items = wa.transcript().flatMap(({ direction, node }) => {
    const [item] = Array.isArray(node.content) ? node.content : [];
    const isSet =
      direction === 'received' && node.attrs['xmlns'] === 'blocklist' && node.attrs['type'] === 'set';
    return isSet ? [item?.attrs] : [];
  });
  expect(items).toEqual([
    { action: 'block', jid: reader.lidJid, pn_jid: reader.jid },
    { action: 'block', jid: hidden.lidJid },
    { action: 'unblock', jid: reader.lidJid },
  ]);
  const nobody = { to: '5511900009999', isGroup: false };
  await expect(connection.setBlocked?.(nobody, true)).rejects.toThrow('no hidden id');
  wa.refuseQueries('blocklist/set/item', 429);
  await expect(connection.setBlocked?.(known, true)).rejects.toThrow();
});

const ask = ({ link }: Linked, request: GroupRequest) => link.connection().manageGroup?.(request);
const person = (to: string) => ({ to, isGroup: false });

it('a new group has an outcome for each participant, by the codes of WhatsApp', async () => {
  const one = await linked();
  const { wa } = one.network;
  const [shy, left, enemy] = ([403, 408, 401] as const).map((refusesGroups, index) =>
    wa.person(`551199990000${index}`, { refusesGroups }),
  );
  const numbers = [one.network.reader, shy, left, enemy].map((known) => known?.phoneNumber ?? '');
  const participants = [...numbers, '15550000'].map(person);
  expect(await ask(one, { kind: 'create', name: 'Club', participants })).toEqual({
    kind: 'done',
    group: { networkId: expect.stringMatching(/@g\.us$/), name: 'Club', participantsCount: 2 },
    participants: [
      { outcome: 'done' },
      { outcome: 'invitation_needed' },
      { outcome: 'refused', reason: 'The person has lately left the group.' },
      { outcome: 'refused', reason: 'The person has blocked the number.' },
      { outcome: 'not_found' },
    ],
  });
});

it('refusals of WhatsApp change nothing, and what gets no response may have been done', async () => {
  const one = await linked({ gateway: { socket: { defaultQueryTimeoutMs: elapsing(1_000) } } });
  const { wa, account, reader } = one.network;
  const group = wa.group({ subject: 'Team', members: [reader, account] });
  const rename = { kind: 'rename', group: group.jid, name: 'Crew' } as const;
  expect(await ask(one, rename)).toEqual({ kind: 'refused', reason: 'not_admin' });
  const participants = [person(reader.phoneNumber)];
  wa.refuseQueries('w:g2/set/create', 406);
  expect(await ask(one, { kind: 'create', name: 'Club', participants })).toEqual({
    kind: 'refused',
    reason: 'not_acceptable',
  });
  wa.refuseQueries('w:g2/set/create', 429);
  expect(await ask(one, { kind: 'create', name: 'Club', participants })).toEqual({
    kind: 'limited',
    retryAfterMs: 60_000,
  });
  wa.muteQueries('w:g2/set/create');
  await expect(ask(one, { kind: 'create', name: 'Club', participants })).rejects.toThrow();
  wa.muteQueries('usync/get/usync');
  expect(await ask(one, { kind: 'create', name: 'Club', participants: [person('15550001')] })).toMatchObject({
    kind: 'not_done',
  });
  await one.link.connection().close();
  expect(await ask(one, rename)).toMatchObject({ kind: 'not_done' });
});
