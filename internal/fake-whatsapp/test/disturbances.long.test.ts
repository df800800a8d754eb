import { initAuthCreds } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { elapsing, HANG_MS } from '@trunkline/test-support';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, newPerson, newNumber, linked, unpaired, reconnect } = useFakeWhatsApp();

it.each([
  ['restart', { code: 515 }, 515],
  ['unavailable', { code: 503 }, 503],
  ['bad session', { code: 500 }, 500],
  ['unknown', { child: { tag: 'mystery' } }, 500],
  ['unlinked', { code: 401, child: { tag: 'conflict', attrs: { type: 'device_removed' } } }, 401],
] as const)('the fake WhatsApp ends a connection with the stream error: %s', async (_, error, code) => {
  const shop = newAccount();
  const client = await linked(shop);
  wa().streamError(shop, error);
  expect(await client.closed()).toMatchObject({ code });
});

it('the fake WhatsApp replaces a connection when another one logs in, or when a test asks for it', async () => {
  const shop = newAccount();
  const first = await linked(shop);
  const second = reconnect(first);
  expect(await first.closed()).toMatchObject({ code: 440 });
  await second.opened();
  wa().replace(shop);
  expect(await second.closed()).toMatchObject({ code: 440 });
});

it('unlinks a client on the phone, which does not get in again', async () => {
  const shop = newAccount();
  const client = await linked(shop);
  wa().unlink(shop);
  expect(await client.closed()).toMatchObject({ code: 401 });
  expect(await reconnect(client).closed()).toMatchObject({ code: 401, message: 'Connection Failure' });
  expect(wa().linkedDevices(shop)).toEqual([]);
});

it('the fake WhatsApp lets a client unlink itself', async () => {
  const shop = newAccount();
  const client = await linked(shop);
  const removed = wa().next('companion_removed', shop);
  await client.socket.logout();
  await removed;
  expect(wa().linkedDevices(shop)).toEqual([]);
});

it.each([401, 402, 403, 405, 406, 411, 503])(
  'the fake WhatsApp refuses a login with %i until it is allowed',
  async (reason) => {
    const shop = newAccount();
    const client = await linked(shop);
    await client.end();
    wa().refuseLogin(shop, reason);
    expect(await reconnect(client).closed()).toMatchObject({ code: reason });
    wa().allowLogin(shop);
    await reconnect(client).opened();
  },
);

it('the fake WhatsApp refuses a client with another key than the linked one', async () => {
  const client = await linked(newAccount());
  await client.end();
  const creds = { ...client.auth.creds, noiseKey: initAuthCreds().noiseKey };
  const impostor = reconnect({ auth: { ...client.auth, creds } });
  expect(await impostor.closed()).toMatchObject({ code: 401 });
});

it('the fake WhatsApp drops a connection without a word', async () => {
  const shop = newAccount();
  const client = await linked(shop);
  wa().drop(shop);
  expect(await client.closed()).toMatchObject({ code: 428 });
});

it('the fake WhatsApp notes which clients the disturbances of a test have hit', async () => {
  const [shop, other] = [newAccount(), newAccount()];
  const client = await linked(shop);
  await linked(other);
  const before = wa().disturbed().length;
  wa().refuseQueries('w:g2/get/participating', 429);
  await expect(client.socket.groupFetchAllParticipating()).rejects.toThrow('rate-overlimit');
  wa().refuseNextMessage(shop, 429);
  await client.socket.sendMessage(newPerson().jid, { text: 'x' }, { messageId: 'DISTURBED' });
  await wa().nextMessage({ id: 'DISTURBED' });
  wa().drop(other);
  const hit = wa().disturbed().slice(before);
  expect(hit.map(({ account, what }) => [account, what])).toEqual([
    [shop.phoneNumber, 'query'],
    [shop.phoneNumber, 'message'],
    [other.phoneNumber, 'connection'],
  ]);
});

it('the fake WhatsApp leaves a connection half open', async () => {
  const shop = newAccount();
  const client = await linked(shop);
  const ping = (limitMs: number) =>
    client.socket.query(
      {
        tag: 'iq',
        attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' },
        content: [{ tag: 'ping', attrs: {} }],
      },
      limitMs,
    );
  expect(await ping(HANG_MS)).toMatchObject({ attrs: { type: 'result' } });
  wa().freeze(shop);
  await expect(ping(elapsing(200))).rejects.toThrow('Timed Out');
  const pings = wa()
    .transcript()
    .filter(({ node, direction }) => direction === 'received' && node.attrs['xmlns'] === 'w:p');
  expect(pings).toHaveLength(1);
  expect(client.all('connection.update').some(({ connection }) => connection === 'close')).toBe(false);
  wa().drop(shop);
  expect(await client.closed()).toMatchObject({ code: 428 });
});

it('mutes the queries it is asked to', async () => {
  const shop = newAccount();
  const client = await linked(shop);
  const group = wa().group({ subject: 'Team', members: [shop] });
  // Only this query has a short limit, because the client's own queries at its login may be slow on a busy machine.
  const metadata = (limitMs: number) =>
    client.socket.query(
      {
        tag: 'iq',
        attrs: { to: group.jid, type: 'get', xmlns: 'w:g2' },
        content: [{ tag: 'query', attrs: { request: 'interactive' } }],
      },
      limitMs,
    );
  wa().muteQueries('w:g2/get/query');
  await expect(metadata(elapsing(100))).rejects.toThrow('Timed Out');
  expect(await client.socket.groupFetchAllParticipating()).toHaveProperty([group.jid]);
  wa().unmuteQueries();
  expect(await metadata(HANG_MS)).toMatchObject({ attrs: { type: 'result' } });
});

it('the fake WhatsApp responds to an upgrade with 503, or not at all', async () => {
  wa().refuseUpgrades(503);
  const refused = unpaired({ connectTimeoutMs: elapsing(200) });
  // The client does not report the refusal, so the test checks the server's own response.
  await expect(fetchUpgrade(wa().client.waWebSocketUrl)).resolves.toContain('503');
  expect(refused.all('connection.update').some(({ connection }) => connection === 'open')).toBe(false);

  wa().refuseUpgrades('silence');
  expect(await unpaired({ connectTimeoutMs: elapsing(200) }).closed()).toMatchObject({ code: 408 });
  wa().allowUpgrades();
  await unpaired().qr();
});

it('the fake WhatsApp holds acks back until they are released', async () => {
  const shop = newAccount();
  const client = await linked(shop);
  wa().holdAcks();
  const acked = client.socket.waitForMessage<{ attrs: Record<string, string> }>('HELD', HANG_MS);
  await client.socket.sendMessage(newPerson().jid, { text: 'x' }, { messageId: 'HELD' });
  await wa().nextMessage({ id: 'HELD' });
  const sentAcks = () =>
    wa()
      .transcript()
      .filter(({ node }) => node.tag === 'ack' && node.attrs['id'] === 'HELD');
  expect(sentAcks()).toHaveLength(0);
  wa().releaseAcks();
  expect((await acked)?.attrs['error']).toBeUndefined();
  expect(sentAcks()).toHaveLength(1);
});

it.each([479, 463])('the fake WhatsApp refuses a message with %i', async (code) => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  wa().refuseNextMessage(shop, code);
  const acked = client.socket.waitForMessage<{ attrs: Record<string, string> }>('REFUSED', HANG_MS);
  await client.socket.sendMessage(bob.jid, { text: 'x' }, { messageId: 'REFUSED' });
  expect((await acked)?.attrs).toMatchObject({ error: String(code) });
  expect(await wa().nextMessage({ from: shop })).toMatchObject({ id: 'REFUSED', refused: code });
  expect(wa().inbox(bob)).toEqual([]);

  await client.socket.sendMessage(bob.jid, { text: 'y' }, { messageId: 'TAKEN' });
  expect(await wa().nextMessage({ from: shop })).toMatchObject({ id: 'TAKEN', refused: null });
});

it('the fake WhatsApp loses a message', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  wa().loseNextMessage(shop);
  await client.socket.sendMessage(bob.jid, { text: 'lost' }, { messageId: 'LOST' });
  await client.socket.sendMessage(bob.jid, { text: 'found' }, { messageId: 'FOUND' });
  expect(await wa().nextMessage({ from: shop })).toMatchObject({
    id: 'FOUND',
    readableBy: [bob.phoneNumber],
  });
  expect(wa().inbox(bob)).toHaveLength(1);
});

it('the fake WhatsApp reports who was refused, and whose picture there is', async () => {
  const shop = newAccount();
  const bob = wa().person(newNumber(), { pictureUrl: 'https://pictures.example/bob' });
  const client = await linked(shop);
  expect(await client.socket.profilePictureUrl(bob.jid)).toBe('https://pictures.example/bob');
  await expect(client.socket.profilePictureUrl(newPerson().jid)).rejects.toThrow('item-not-found');
});

async function fetchUpgrade(url: string): Promise<string> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const asked = request(url.replace('ws:', 'http:'), { headers }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    asked.on('error', reject).end();
  });
}
