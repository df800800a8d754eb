import { expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import type { Account, Person } from '../src/index.ts';
import type { Client } from './support/client.ts';
import { useFakeWhatsApp } from './support/harness.ts';

const WEEK_MS = 7 * 86_400_000;

const { wa, newAccount, newPerson, linked } = useFakeWhatsApp();

async function sendWith(client: Client, { from, to }: { from: Account; to: Person }, token?: Uint8Array) {
  const additionalNodes = token ? [{ tag: 'tctoken', attrs: {}, content: token }] : [];
  await client.socket.relayMessage(to.jid, { conversation: 'Hello' }, { additionalNodes });
  return wa().nextMessage({ from });
}

/** The tokens in the notifications with this stanza id. */
function tokensOf(id: string): readonly Uint8Array[] {
  return wa()
    .transcript()
    .flatMap(({ direction, node }) => (direction === 'sent' && node.attrs['id'] === id ? [node] : []))
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .flatMap(({ content }) => (content instanceof Uint8Array ? [content] : []));
}

it('the fake WhatsApp delivers to someone who wants a token only with one that this person gave', async () => {
  const shop = newAccount();
  const [stranger, other] = [newPerson({ needsToken: true }), newPerson({ needsToken: true })];
  const client = await linked(shop);
  const chat = { from: shop, to: stranger };
  expect(await sendWith(client, chat)).toMatchObject({ refused: 463 });
  expect(await sendWith(client, chat, Buffer.from('made up'))).toMatchObject({ refused: 463 });
  const given = wa().giveToken(other, shop);
  const [token] = await eventually(() => {
    expect(tokensOf(given)).toHaveLength(1);
    return tokensOf(given);
  });
  expect(await sendWith(client, chat, token)).toMatchObject({ refused: 463 });
  expect(await sendWith(client, { from: shop, to: other }, token)).toMatchObject({ refused: null });
});

it.each([
  { weeks: 3, refused: null },
  { weeks: 4, refused: 463 },
])('the fake WhatsApp takes a token of $weeks weeks ago or not: $refused', async ({ weeks, refused }) => {
  const shop = newAccount();
  const friend = newPerson({ needsToken: true });
  const client = await linked(shop);
  const given = wa().giveToken(friend, shop, { givenAt: Date.now() - weeks * WEEK_MS });
  const [token] = await eventually(() => {
    expect(tokensOf(given)).toHaveLength(1);
    return tokensOf(given);
  });
  // Send only this token, without any that Baileys adds, because this tests the server.
  expect(await sendWith(client, { from: shop, to: friend }, token)).toMatchObject({ refused });
});

it('the fake WhatsApp hands out the token of a person who writes, once a week', async () => {
  const shop = newAccount();
  const friend = newPerson({ needsToken: true });
  await linked(shop);
  await wa().inbound(friend, shop, 'Hi');
  await wa().inbound(friend, shop, 'Hi again');
  const notifications = () =>
    wa()
      .transcript()
      .filter(({ direction, node }) => direction === 'sent' && node.attrs['type'] === 'privacy_token')
      .filter(({ node }) => node.attrs['from'] === friend.lidJid);
  await eventually(() => expect(notifications()).toHaveLength(1));
});

it('the fake WhatsApp notes to whom a client gives a token', async () => {
  const shop = newAccount();
  const friend = newPerson();
  const { socket } = await linked(shop);
  await socket.sendMessage(friend.jid, { text: 'Hello' });
  await eventually(() => expect(wa().tokensGiven(shop)).toEqual([friend.phoneNumber]));
});
