import { expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, newPerson, linked, reconnect } = useFakeWhatsApp();

it('the fake WhatsApp keeps stanzas that come while the client is away, and hands them over in order', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  await client.socket.sendMessage(bob.jid, { text: 'x' }, { messageId: 'AWAY-1' });
  await wa().nextMessage({ from: shop });
  const offline = wa().next('offline', shop);
  await client.end();
  await offline;

  const ids: string[] = [];
  for (const text of ['one', 'two', 'three']) ids.push(await wa().inbound(bob, shop, text));
  wa().receipt(shop, { by: bob, type: 'read', ids: ['AWAY-1'] });
  const group = wa().group({ subject: 'Team', members: [shop, bob] });
  ids.push(await wa().inbound(bob, shop, 'in the group', { group }));

  const back = reconnect(client);
  const last = await back.message(ids.at(-1) ?? '');
  expect(last).toMatchObject({ upsertType: 'append', message: { conversation: 'in the group' } });
  const received = back.all('messages.upsert').flatMap(({ messages }) => messages.map(({ key }) => key.id));
  expect(received).toEqual(ids);
  expect(await back.first('messages.update')).toMatchObject([
    { key: { id: 'AWAY-1' }, update: { status: 4 } },
  ]);
});

it('the fake WhatsApp hands a message over again that the client never acknowledged, and no other', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const read = await wa().inbound(bob, shop, 'acknowledged');
  await client.message(read);
  await wa().receiptFor(read);
  wa().freeze(shop);
  const lost = await wa().inbound(bob, shop, 'lost on the way');
  wa().drop(shop);

  const back = reconnect(client);
  expect(await back.message(lost)).toMatchObject({ upsertType: 'append' });
  expect(back.all('messages.upsert').flatMap(({ messages }) => messages)).toHaveLength(1);
});

it('the fake WhatsApp hands over what waited in the batches that the client asks for', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const offline = wa().next('offline', shop);
  await client.end();
  await offline;
  const ids: string[] = [];
  for (let i = 0; i < 103; i++) ids.push(await wa().inbound(bob, shop, `text ${String(i)}`));

  // The client itself asks for a hundred stanzas.
  const back = reconnect(client);
  await wa().receiptFor(ids[99] ?? '');
  expect(
    wa()
      .receipts()
      .some((receipt) => receipt.ids.includes(ids[100] ?? '')),
  ).toBe(false);
  const isOver = () =>
    back
      .all('connection.update')
      .some(({ receivedPendingNotifications }) => receivedPendingNotifications === true);
  expect(isOver()).toBe(false);
  const batch = { tag: 'offline_batch', attrs: { count: '2' } };
  await back.socket.sendNode({ tag: 'ib', attrs: {}, content: [batch] });
  await wa().receiptFor(ids[101] ?? '');
  expect(isOver()).toBe(false);
  await back.socket.sendNode({ tag: 'ib', attrs: {}, content: [batch] });
  expect(await back.message(ids[102] ?? '')).toMatchObject({ upsertType: 'append' });
  await eventually(() => expect(isOver()).toBe(true));
});

it('the fake WhatsApp can keep a stanza that a client refuses, and holds back later ones', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const ignoring = { shouldIgnoreJid: (jid: string) => jid === 'status@broadcast' };
  const client = await linked(shop, ignoring);
  wa().keepRefused();
  const status = await wa().status(bob, shop, 'my day');
  const isRefused = () =>
    wa()
      .transcript()
      .some(({ node }) => node.tag === 'ack' && node.attrs['id'] === status && node.attrs['error'] === '500');
  await eventually(() => expect(isRefused()).toBe(true));
  const held = await wa().inbound(bob, shop, 'held back');
  const offline = wa().next('offline', shop);
  await client.end();
  await offline;

  // A client that accepts statuses gets the message.
  const back = reconnect(client);
  expect(await back.message(held)).toMatchObject({ upsertType: 'append' });
  const ids = client.all('messages.upsert').flatMap(({ messages }) => messages.map(({ key }) => key.id));
  expect(ids).not.toContain(held);
});

it('the fake WhatsApp needs a linked client to send to', async () => {
  await expect(wa().inbound(newPerson(), newAccount(), 'x')).rejects.toThrow('can be written to');
});
