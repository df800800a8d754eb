import { expect, it } from 'vitest';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, newPerson, linked } = useFakeWhatsApp();

it('the fake WhatsApp hands a message to each device of a person, and takes messages from each', async () => {
  const shop = newAccount();
  const bob = newPerson({ linkedDevices: 1 });
  const client = await linked(shop);
  await client.socket.sendMessage(bob.jid, { text: 'to both' });
  expect(await wa().nextMessage({ from: shop })).toMatchObject({
    readableBy: [bob.phoneNumber],
    readableOn: [`${bob.phoneNumber}:0`, `${bob.phoneNumber}:1`],
  });
  for (const device of [0, 1]) {
    const id = await wa().inbound(bob, shop, `from device ${String(device)}`, { device });
    expect(await client.message(id)).toMatchObject({ key: { remoteJid: bob.lidJid } });
  }
});

it('the fake WhatsApp has every device of a group’s members read', async () => {
  const shop = newAccount();
  const bob = newPerson({ linkedDevices: 1 });
  const client = await linked(shop);
  const group = wa().group({ subject: 'Team', members: [shop, bob] });
  await client.socket.sendMessage(group.jid, { text: 'to all' });
  expect((await wa().nextMessage({ from: shop })).readableOn).toEqual([
    `${bob.phoneNumber}:0`,
    `${bob.phoneNumber}:1`,
  ]);
});
