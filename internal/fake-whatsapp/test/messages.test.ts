import { expect, it } from 'vitest';
import { eventually, HANG_MS } from '@trunkline/test-support';
import { isLongForm } from '@trunkline/test-support/long-form';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, newPerson, newNumber, linked } = useFakeWhatsApp();

it('delivers a text to the phone that it is for', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const acked = client.socket.waitForMessage<{ attrs: Record<string, string> }>('OUT-1', HANG_MS);
  await client.socket.sendMessage(bob.jid, { text: 'olá' }, { messageId: 'OUT-1' });

  expect(await wa().nextMessage({ id: 'OUT-1' })).toMatchObject({
    from: shop.phoneNumber,
    to: bob.jid,
    toPhoneNumber: bob.phoneNumber,
    content: { type: 'text', text: 'olá' },
    readableBy: [bob.phoneNumber],
    refused: null,
  });
  expect((await acked)?.attrs).toMatchObject({ class: 'message', id: 'OUT-1', from: bob.jid });
  expect(wa().inbox(bob)).toMatchObject([{ id: 'OUT-1', from: shop.phoneNumber, group: null }]);
});

it('the fake WhatsApp continues in the session that the first message started', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  for (const text of ['one', 'two', 'three']) await client.socket.sendMessage(bob.jid, { text });
  const id = await wa().inbound(bob, shop, 'four');
  await client.message(id);
  await client.socket.sendMessage(bob.jid, { text: 'five' });

  await eventually(() => expect(wa().sentMessages({ from: shop })).toHaveLength(4));
  const texts = async () => (await wa().nextMessage({ from: shop })).content;
  for (const text of ['one', 'two', 'three', 'five']) expect(await texts()).toEqual({ type: 'text', text });
});

it('the fake WhatsApp knows a person by the LID as well', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  await client.socket.sendMessage(bob.lidJid ?? '', { text: 'by LID' });
  expect(await wa().nextMessage({ from: shop })).toMatchObject({
    toPhoneNumber: bob.phoneNumber,
    readableBy: [bob.phoneNumber],
  });
});

it('the fake WhatsApp says which numbers have WhatsApp', async () => {
  const client = await linked(newAccount());
  const bob = newPerson();
  const without = newPerson({ onWhatsApp: false });
  const found = await client.socket.onWhatsApp(bob.phoneNumber, without.phoneNumber, newNumber());
  expect(found).toEqual([{ jid: bob.jid, exists: true }]);
});

it('cannot be used to write to someone whose LID it does not know', async () => {
  const client = await linked(newAccount());
  const bob = newPerson({ lid: null });
  await expect(client.socket.sendMessage(bob.jid, { text: 'x' })).rejects.toThrow('All encryptions failed');
});

it.each<'pn' | 'lid'>(isLongForm ? ['pn', 'lid'] : ['lid'])(
  'brings a message from a person named by %s',
  async (addressing) => {
    const shop = newAccount();
    const bob = newPerson({ name: 'Bob' });
    const client = await linked(shop);
    const id = await wa().inbound(bob, shop, 'oi', { addressing });

    const [named, other] = addressing === 'pn' ? [bob.jid, bob.lidJid] : [bob.lidJid, bob.jid];
    expect(await client.message(id)).toMatchObject({
      upsertType: 'notify',
      pushName: 'Bob',
      key: { remoteJid: named, remoteJidAlt: other, addressingMode: addressing, fromMe: false },
      message: { conversation: 'oi' },
    });
    expect(await wa().receiptFor(id)).toMatchObject({ from: shop.phoneNumber, to: named, type: 'inactive' });
  },
);

it.runIf(isLongForm)('brings a message from a person whose number is hidden', async () => {
  const shop = newAccount();
  const bob = newPerson({ hidesNumber: true });
  const client = await linked(shop);
  const { key } = await client.message(await wa().inbound(bob, shop, 'guess who'));
  expect(key).toMatchObject({ remoteJid: bob.lidJid });
  expect(key.remoteJidAlt).toBeUndefined();
});

it('the fake WhatsApp responds to a message that could not be read with one that can, under the same id', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const id = await wa().inbound(bob, shop, 'second try', { undecryptable: true });

  expect(await client.message(id)).toMatchObject({ message: { conversation: 'second try' } });
  expect(await wa().receiptFor(id, 'retry')).toMatchObject({ from: shop.phoneNumber });
  const stubs = client
    .all('messages.upsert')
    .flatMap(({ messages }) => messages.filter(({ messageStubType }) => messageStubType === 2));
  expect(stubs).toMatchObject([{ key: { id } }]);
});

it('the fake WhatsApp asks a client to send again what a phone could not read', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  await client.socket.sendMessage(bob.lidJid ?? '', { text: 'again' }, { messageId: 'RETRY-1' });
  await wa().nextMessage({ id: 'RETRY-1' });
  await wa().requestRetry(shop, bob, 'RETRY-1');

  expect(await wa().nextMessage({ id: 'RETRY-1' })).toMatchObject({ content: { text: 'again' } });
  expect(wa().sentMessages({ id: 'RETRY-1' })).toHaveLength(2);
  expect(wa().inbox(bob)).toHaveLength(1);
});

it('the fake WhatsApp delivers a message twice when a test asks for it', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const id = await wa().inbound(bob, shop, 'once');
  await client.message(id);
  wa().redeliver(shop, id);
  await wa().inbound(bob, shop, 'once', { id });
  const last = await wa().inbound(bob, shop, 'last');
  await client.message(last);

  const received = client.all('messages.upsert').flatMap(({ messages }) => messages);
  expect(received.filter(({ key, message }) => key.id === id && message)).toHaveLength(2);
});

it('mirrors messages that are typed on the phone', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const id = await wa().fromPhone(shop, bob, 'typed by hand');
  expect(await client.message(id)).toMatchObject({
    key: { remoteJid: bob.lidJid, fromMe: true },
    message: { conversation: 'typed by hand' },
  });
  const group = wa().group({ subject: 'Team', members: [shop, bob] });
  expect(await client.message(await wa().fromPhone(shop, group, 'to all'))).toMatchObject({
    key: { remoteJid: group.jid, participant: shop.lidJid, fromMe: true },
  });
});

it.runIf(isLongForm)('the fake WhatsApp names people by LID unless a test says otherwise', async () => {
  const shop = newAccount();
  const bob = newPerson({ username: 'bob.b', verifiedName: 'Bob & Sons' });
  const client = await linked(shop);
  expect(await client.message(await wa().inbound(bob, shop, 'oi'))).toMatchObject({
    key: { remoteJid: bob.lidJid, remoteJidAlt: bob.jid },
    verifiedBizName: 'Bob & Sons',
  });
  const stanza = wa()
    .transcript()
    .findLast(({ node }) => node.tag === 'message');
  expect(stanza?.node.attrs).toMatchObject({ username: 'bob.b' });
});

it('the fake WhatsApp rings, and hands over messages without their content', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const id = wa().call(bob, shop, { video: true });
  expect(await client.first('call')).toMatchObject([
    { id, from: bob.lidJid, status: 'offer', isVideo: true },
  ]);
  const seen = wa().unavailable(bob, shop);
  await client.first('messages.upsert', ({ messages }) =>
    messages.some(({ key }) => key.id === seen && key.isViewOnce === true),
  );
});

it('brings reactions, edits, deletions and whatever else there is', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const id = await wa().inbound(bob, shop, 'helo');
  await client.message(id);
  const to = { remoteJid: shop.jid, fromMe: false, id: 'OUT-9' };
  await wa().inbound(bob, shop, { type: 'reaction', text: '👍', to });
  expect((await client.first('messages.reaction'))[0]).toMatchObject({ reaction: { text: '👍' } });

  // This client cannot read encrypted edits, which phones send today.
  const protocolMessage = { key: { id, fromMe: true }, type: 14, editedMessage: { conversation: 'hello' } };
  await wa().inbound(bob, shop, { type: 'raw', message: { protocolMessage } });
  const edited = await client.first('messages.update', ([change]) => change?.update.message !== null);
  expect(edited[0]).toMatchObject({
    key: { id },
    update: { message: { editedMessage: { message: { conversation: 'hello' } } } },
  });
  await wa().inbound(bob, shop, { type: 'delete', id });
  await client.first(
    'messages.update',
    ([change]) => change?.update.message === null && change.key.id === id,
  );

  const raw = { ephemeralMessage: { message: { conversation: 'gone soon' } } };
  expect(await client.message(await wa().inbound(bob, shop, { type: 'raw', message: raw }))).toMatchObject({
    message: raw,
  });
});

it.runIf(isLongForm)('carries messages between two real clients', async () => {
  const shop = newAccount();
  const other = newAccount();
  const sender = await linked(shop);
  const reader = await linked(other);
  await sender.socket.sendMessage(other.jid, { text: 'hello, colleague' }, { messageId: 'PEER-1' });
  const got = await reader.message('PEER-1');
  expect(got).toMatchObject({ message: { extendedTextMessage: { text: 'hello, colleague' } } });

  await reader.socket.readMessages([got.key]);
  const read = await sender.first('messages.update', ([change]) => change?.update.status === 4);
  expect(read[0]).toMatchObject({ key: { id: 'PEER-1' } });
});
