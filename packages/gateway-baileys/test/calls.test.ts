import type { TranscriptEntry } from '@trunkline/fake-whatsapp';
import { eventually } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { expect, it } from 'vitest';
import type { BaileysNetwork } from './support/baileys-network.ts';
import { linked } from './support/linked.ts';

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
