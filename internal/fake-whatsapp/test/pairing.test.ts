import {
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  WA_CERT_DETAILS,
  initAuthCreds,
  makeWASocket,
} from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { elapsing, eventually } from '@trunkline/test-support';
import { redirectToFakeWhatsApp } from '../src/index.ts';
import { memoryKeys } from '../src/signal/memory-keys.ts';
import { silent } from '../src/signal/silent.ts';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, unpaired, linked, reconnect } = useFakeWhatsApp();

it('pairs by QR, asks for a restart with 515 and lets the client in', async () => {
  const shop = newAccount();
  const client = unpaired();
  wa().scanQr(shop, await client.qr());
  expect(await client.closed()).toMatchObject({ code: 515 });

  const restarted = reconnect(client);
  await restarted.opened();
  expect(restarted.socket.user).toMatchObject({
    id: shop.jid.replace('@', ':1@'),
    lid: shop.lidJid?.replace('@', ':1@'),
  });
  expect(wa().linkedDevices(shop)).toEqual([{ device: 1, connected: true }]);
});

it('the fake WhatsApp sends the history of a newly linked phone once', async () => {
  const client = await linked(newAccount());
  await client.end();
  const again = reconnect(client);
  await again.first(
    'connection.update',
    ({ receivedPendingNotifications }) => receivedPendingNotifications === true,
  );
  expect(again.all('messaging-history.set')).toEqual([]);
});

it('pairs by a code that the client shows', async () => {
  const shop = newAccount();
  const client = unpaired();
  await client.qr();
  const code = await client.socket.requestPairingCode(shop.phoneNumber);
  await wa().enterCode(shop, code);
  expect(await client.closed()).toMatchObject({ code: 515 });

  const restarted = reconnect(client);
  await restarted.opened();
  expect(wa().linkedDevices(shop)).toEqual([{ device: 1, connected: true }]);
});

it.each([
  ['Trunkline', 'Chrome'],
  ['Windows', 'Netscape'],
])(
  'the fake WhatsApp gives no pairing code to a client that calls itself %s (%s)',
  async (system, browser) => {
    const shop = newAccount();
    const client = unpaired({ browser: [system, browser, '1.0'] });
    await client.qr();
    await client.socket.requestPairingCode(shop.phoneNumber);
    await eventually(() => {
      const { node } = wa().transcript().at(-1) ?? {};
      expect(node).toMatchObject({ tag: 'iq', attrs: { type: 'error' } });
      expect(node?.content).toEqual([{ tag: 'error', attrs: { code: '400', text: 'bad-request' } }]);
    });
  },
);

it('the fake WhatsApp notifies a client that the secret of its QR is retired, and links no client by it', async () => {
  const client = unpaired();
  const qr = await client.qr();
  wa().retireQrSecret(qr);
  const { node } = wa().transcript().at(-1) ?? {};
  expect(node).toMatchObject({ tag: 'notification', attrs: { type: 'companion_reg_refresh' } });
  expect(() => wa().scanQr(newAccount(), qr)).toThrow('the secret of this QR is retired');
});

it('the fake WhatsApp lets QR codes run out', async () => {
  const client = unpaired({ qrTimeout: elapsing(20) });
  expect(await client.closed()).toEqual({ code: 408, message: 'QR refs attempts ended' });
  const codes = client.all('connection.update').flatMap(({ qr }) => qr ?? []);
  expect(new Set(codes).size).toBe(6);
});

it('the fake WhatsApp takes no QR of a connection that is gone', async () => {
  const client = unpaired();
  const qr = await client.qr();
  await client.end();
  // The server notices the end only when the socket is closed.
  await eventually(() =>
    expect(() => wa().scanQr(newAccount(), qr)).toThrow('this QR is of no open connection'),
  );
});

it('the fake WhatsApp accepts a client that was given no URL', async () => {
  const restore = redirectToFakeWhatsApp(wa().client);
  const offered = wa().next('qr_offered');
  const socket = makeWASocket({ auth: { creds: initAuthCreds(), keys: memoryKeys() }, logger: silent });
  await offered;
  await socket.end(undefined);
  restore();
  expect(DEFAULT_CONNECTION_CONFIG.waWebSocketUrl).toBe('wss://web.whatsapp.com/ws/chat');
});

it('the fake WhatsApp gives each client that is linked a device of its own', async () => {
  const shop = newAccount();
  await linked(shop);
  const second = await linked(shop);
  expect(second.socket.user?.id).toBe(shop.jid.replace('@', ':2@'));
  expect(wa().linkedDevices(shop)).toHaveLength(2);
});

it('the fake WhatsApp is refused by a client that trusts another authority', async () => {
  const trusted = WA_CERT_DETAILS.PUBLIC_KEY;
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(Curve.generateKeyPair().public);
  try {
    expect(await unpaired().closed()).toMatchObject({ code: 400 });
  } finally {
    WA_CERT_DETAILS.PUBLIC_KEY = trusted;
  }
});
