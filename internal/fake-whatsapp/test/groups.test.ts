import { describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, newPerson, linked } = useFakeWhatsApp();

describe.each<'lid' | 'pn'>(isLongForm ? ['lid', 'pn'] : ['lid'])(
  'a group whose members name each other by %s',
  (addressing) => {
    it('takes a message that every member can read', async () => {
      const shop = newAccount();
      const [bob, ana] = [newPerson(), newPerson()];
      const client = await linked(shop);
      const group = wa().group({ subject: 'Team', members: [shop, bob, ana], addressing });
      for (const text of ['first', 'second']) {
        await client.socket.sendMessage(group.jid, { text });
        expect(await wa().nextMessage({ from: shop })).toMatchObject({
          to: group.jid,
          toPhoneNumber: null,
          content: { type: 'text', text },
          readableBy: [bob.phoneNumber, ana.phoneNumber],
        });
      }
      expect(wa().inbox(ana)).toMatchObject([{ group: group.jid }, { group: group.jid }]);
    });

    it('brings what a member writes', async () => {
      const shop = newAccount();
      const bob = newPerson({ name: 'Bob' });
      const client = await linked(shop);
      const group = wa().group({ subject: 'Team', members: [shop, bob], addressing });
      for (const text of ['bom dia', 'boa noite']) {
        const [named, other] = addressing === 'pn' ? [bob.jid, bob.lidJid] : [bob.lidJid, bob.jid];
        expect(await client.message(await wa().inbound(bob, shop, text, { group }))).toMatchObject({
          key: { remoteJid: group.jid, participant: named, participantAlt: other, fromMe: false },
          message: { conversation: text },
        });
      }
    });

    it('sends a member’s message again that could not be read', async () => {
      const shop = newAccount();
      const bob = newPerson();
      const client = await linked(shop);
      const group = wa().group({ subject: 'Team', members: [shop, bob], addressing });
      const id = await wa().inbound(bob, shop, 'noise', { group, undecryptable: true });
      expect(await client.message(id)).toMatchObject({ message: { conversation: 'noise' } });
    });
  },
);

it('the fake WhatsApp lists the groups of an account with their participants', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const group = wa().group({ subject: 'Team', members: [shop, bob], admins: [bob], announcement: true });
  wa().group({ subject: 'Others', members: [bob] });

  const groups = await client.socket.groupFetchAllParticipating();
  expect(Object.values(groups)).toMatchObject([
    {
      id: group.jid,
      subject: 'Team',
      announce: true,
      addressingMode: 'lid',
      participants: [
        { id: shop.lidJid, phoneNumber: shop.jid, admin: null },
        { id: bob.lidJid, phoneNumber: bob.jid, admin: 'superadmin' },
      ],
    },
  ]);
});

it('hides numbers in the list of participants and in messages', async () => {
  const shop = newAccount();
  const bob = newPerson({ hidesNumber: true });
  const client = await linked(shop);
  const group = wa().group({ subject: 'Strangers', members: [shop, bob] });
  const { participants } = await client.socket.groupMetadata(group.jid);
  expect(participants[1]?.phoneNumber).toBeUndefined();
  const { key } = await client.message(await wa().inbound(bob, shop, 'boo', { group }));
  expect(key.participant).toBe(bob.lidJid);
  expect(key.participantAlt).toBeUndefined();
});

it('the fake WhatsApp returns nothing about a group that the account is not in', async () => {
  const client = await linked(newAccount());
  const group = wa().group({ subject: 'Others', members: [newPerson()] });
  await expect(client.socket.groupMetadata(group.jid)).rejects.toThrow('forbidden');
  await expect(client.socket.groupMetadata('120363999@g.us')).rejects.toThrow('item-not-found');
});

it('the fake WhatsApp notifies the members of a group of its changes', async () => {
  const shop = newAccount();
  const [bob, ana] = [newPerson(), newPerson()];
  const client = await linked(shop);
  const group = wa().group({ subject: 'Team', members: [shop, bob] });
  wa().renameGroup(group, 'Crew');
  expect(await client.first('groups.update')).toMatchObject([{ id: group.jid, subject: 'Crew' }]);
  wa().addToGroup(group, ana);
  expect(await client.first('group-participants.update')).toMatchObject({ id: group.jid, action: 'add' });
  wa().removeFromGroup(group, ana);
  await client.first('group-participants.update', ({ action }) => action === 'remove');
  expect((await client.socket.groupMetadata(group.jid)).participants).toHaveLength(2);
});

it.runIf(isLongForm)('carries messages between two real clients in a group', async () => {
  const [shop, other] = [newAccount(), newAccount()];
  const sender = await linked(shop);
  const reader = await linked(other);
  const group = wa().group({ subject: 'Team', members: [shop, other, newPerson()] });
  for (const messageId of ['GROUP-1', 'GROUP-2']) {
    await sender.socket.sendMessage(group.jid, { text: messageId }, { messageId });
    expect(await reader.message(messageId)).toMatchObject({
      message: { extendedTextMessage: { text: messageId } },
    });
  }
});
