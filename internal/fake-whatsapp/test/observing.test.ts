import { Curve } from '@whiskeysockets/baileys';
import { expect, it, onTestFinished } from 'vitest';
import { startFakeWhatsApp } from '../src/index.ts';
import { Client } from './support/client.ts';

it('the fake WhatsApp fails a test in which a client asks what the server does not know', async () => {
  const wa = await startFakeWhatsApp();
  onTestFinished(wa.trust());
  const client = await Client.linked(wa, wa.account('5511900000001'));
  await expect(
    client.socket.query({
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:mystery' },
      content: [{ tag: 'riddle', attrs: {} }],
    }),
  ).rejects.toThrow('feature-not-implemented');
  await client.end();
  expect(() => wa.assertClean()).toThrow('unknown query w:mystery/get/riddle');
  await expect(wa.stop()).rejects.toThrow('unknown query w:mystery/get/riddle');
});

it('the fake WhatsApp fails a test in which a signature is wrong', async () => {
  const wa = await startFakeWhatsApp();
  onTestFinished(wa.trust());
  const client = await Client.linked(wa, wa.account('5511900000001'));
  await client.end();
  const [identity] = client.auth.creds.account?.accountSignature ?? [];
  if (client.auth.creds.account) client.auth.creds.account.deviceSignature = Buffer.alloc(64, identity);
  const again = new Client(wa, client.auth);
  await again.opened();
  await again.socket.sendMessage(wa.person('5511900000002').jid, { text: 'x' }, { messageId: 'FORGED' });
  await wa.nextMessage();
  await again.end();
  expect(wa.takeProblems()).toEqual(['message FORGED without a valid identity']);
  await wa.stop();
});

it('the fake WhatsApp does not link a client that signs its pairing wrongly', async () => {
  const wa = await startFakeWhatsApp();
  onTestFinished(wa.trust());
  const shop = wa.account('5511900000001');
  const client = Client.unpaired(wa);
  const qr = await client.qr();
  wa.scanQr(shop, qr);
  const { sign } = Curve;
  Curve.sign = () => Buffer.alloc(64, 1);
  try {
    expect(await client.closed()).toMatchObject({ code: 428 });
  } finally {
    Curve.sign = sign;
  }
  expect(wa.linkedDevices(shop)).toEqual([]);
  expect(wa.takeProblems()).toEqual(['connection 1: Error: the client signed its pairing wrongly']);
  await wa.stop();
});

it('the fake WhatsApp rejects what still waits when it is stopped', async () => {
  const wa = await startFakeWhatsApp();
  const waiting = [wa.nextMessage({ id: 'X' }), wa.receiptFor('Y'), wa.next('paired')];
  const ends = Promise.allSettled(waiting);
  await wa.stop();
  expect((await ends).map((end) => (end.status === 'rejected' ? String(end.reason) : 'fulfilled'))).toEqual([
    'Error: the fake WhatsApp was stopped while a test waited for a message {"id":"X"}',
    'Error: the fake WhatsApp was stopped while a test waited for a receipt for Y',
    'Error: the fake WhatsApp was stopped while a test waited for paired',
  ]);
});

it('the fake WhatsApp writes down what went over the wire, bytes by their length', async () => {
  const wa = await startFakeWhatsApp();
  onTestFinished(wa.trust());
  const client = await Client.linked(wa, wa.account('5511900000001'));
  await client.end();
  await wa.stop();
  const text = wa.transcriptText();
  expect(text).toMatch(/^1 ← <iq .*<pair-device.*<ref > 34 bytes <\/ref>/m);
  expect(text).toMatch(/^2 → <iq .*xmlns='passive'/m);
  expect(text).toMatch(/^2 → <iq .*<and-802-more/m);
});
