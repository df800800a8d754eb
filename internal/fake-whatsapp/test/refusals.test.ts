import { expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, newPerson, linked } = useFakeWhatsApp();

it('the fake WhatsApp delivers to someone who has moved to the LID only by the LID', async () => {
  const shop = newAccount();
  const moved = newPerson({ writtenToBy: 'lid' });
  const { socket } = await linked(shop);
  await socket.sendMessage(moved.jid, { text: 'by number' });
  expect(await wa().nextMessage({ from: shop })).toMatchObject({ refused: 463 });
  expect(wa().inbox(moved)).toEqual([]);
  await socket.sendMessage(moved.lidJid ?? '', { text: 'by LID' });
  expect(await wa().nextMessage({ from: shop })).toMatchObject({ refused: null });
  await eventually(() => expect(wa().inbox(moved)).toHaveLength(1));
});

it('the fake WhatsApp refuses a message to a group that names its members in the previous way', async () => {
  const shop = newAccount();
  const group = wa().group({ subject: 'Ours', members: [shop, newPerson()], addressing: 'pn' });
  const { socket } = await linked(shop);
  await socket.sendMessage(group.jid, { text: 'before' });
  expect(await wa().nextMessage({ from: shop })).toMatchObject({ refused: null });
  wa().readdressGroup(group, 'lid');
  const attrs = { id: 'OUTDATED', to: group.jid, type: 'text', addressing_mode: 'pn' };
  await socket.sendNode({ tag: 'message', attrs, content: [] });
  expect(await wa().nextMessage({ from: shop })).toMatchObject({ id: 'OUTDATED', refused: 421 });
});

it('the fake WhatsApp names no devices of someone while they are hidden', async () => {
  const person = newPerson();
  const { socket } = await linked(newAccount());
  wa().hideDevices(person);
  expect(await socket.getUSyncDevices([person.jid], false, false)).toEqual([]);
  wa().showDevices(person);
  expect(await socket.getUSyncDevices([person.jid], false, false)).toHaveLength(1);
});

it('the fake WhatsApp limits how often a number may ask, and lets it ask again later', async () => {
  const person = newPerson();
  const [busy, calm] = [await linked(newAccount()), await linked(newAccount())];
  const ask = ({ socket }: typeof busy) => socket.getUSyncDevices([person.jid], false, false);
  wa().limitQueries({ count: 2, everyMs: 1_000 }, 'usync/get/usync');
  await ask(busy);
  await ask(busy);
  await expect(ask(busy)).rejects.toMatchObject({ data: 429 });
  expect(await ask(calm)).toHaveLength(1);
  await eventually(async () => expect(await ask(busy)).toHaveLength(1));
  wa().unlimitQueries();
});
