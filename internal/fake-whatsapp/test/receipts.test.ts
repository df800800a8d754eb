import { expect, it } from 'vitest';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, newPerson, linked } = useFakeWhatsApp();

it.each([
  ['delivered', 3],
  ['read', 4],
  ['played', 5],
] as const)('the fake WhatsApp reports to a client that its message was %s', async (type, status) => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  await client.socket.sendMessage(bob.jid, { text: 'x' }, { messageId: 'R-1' });
  await wa().nextMessage({ from: shop });
  wa().receipt(shop, { by: bob, type, ids: ['R-1'] });

  const update = await client.first('messages.update');
  expect(update).toMatchObject([{ key: { id: 'R-1', remoteJid: bob.lidJid }, update: { status } }]);
});

it('covers several messages with one receipt, and comes from a LID, a number or another device', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  wa().receipt(shop, { by: bob, type: 'read', ids: ['A', 'B', 'C'] });
  const read = await client.first('messages.update', (updates) => updates.length === 3);
  expect(read.map(({ key }) => key.id)).toEqual(['A', 'B', 'C']);
  expect(read[0]?.key.remoteJid).toBe(bob.lidJid);

  wa().receipt(shop, { by: bob, type: 'delivered', ids: ['D'], addressing: 'pn', device: 3 });
  const delivered = await client.first('messages.update', ([update]) => update?.key.id === 'D');
  expect(delivered[0]?.key.remoteJid).toBe(bob.jid.replace('@', ':3@'));
});

it('the fake WhatsApp reports the receipt of each participant of a group', async () => {
  const shop = newAccount();
  const [bob, ana] = [newPerson(), newPerson()];
  const client = await linked(shop);
  const group = wa().group({ subject: 'Team', members: [shop, bob, ana] });
  wa().receipt(shop, { by: bob, type: 'delivered', ids: ['G-1'], group });
  wa().receipt(shop, { by: ana, type: 'read', ids: ['G-1'], group });

  const ofReader = async (jid: string | null) => {
    const isTheirs = ({ receipt }: { receipt: { userJid?: string | null } }) => receipt.userJid === jid;
    const updates = await client.first('message-receipt.update', (all) => all.some(isTheirs));
    return updates.find(isTheirs);
  };
  expect(await ofReader(bob.lidJid)).toMatchObject({
    key: { id: 'G-1', remoteJid: group.jid },
    receipt: { receiptTimestamp: expect.any(Number) },
  });
  expect(await ofReader(ana.lidJid)).toMatchObject({ receipt: { readTimestamp: expect.any(Number) } });
});

it('notes the receipts that a client sends', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const { key } = await client.message(await wa().inbound(bob, shop, 'seen?'));
  await client.socket.readMessages([key]);
  expect(await wa().receiptFor(key.id ?? '', 'read')).toMatchObject({
    from: shop.phoneNumber,
    to: bob.lidJid,
  });
  expect(
    wa()
      .receipts(shop)
      .map(({ type }) => type),
  ).toEqual(expect.arrayContaining(['inactive', 'read']));
});
