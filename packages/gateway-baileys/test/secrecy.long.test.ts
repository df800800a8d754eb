import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { LARGEST_MEDIA_SIZE } from '@trunkline/core/spi/gateway';
import { FILES } from '@trunkline/gateway-contract';
import type { WebhookEvent } from '@trunkline/receiver';
import { BufferJSON } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { comeBack, startCrashHarness } from './support/crash-harness.ts';
import type { CrashHarness } from './support/crash-harness.ts';
import { must, untilMessage, untilStatus, untilNotified } from './support/flow.ts';
import { keysIn, leaksIn, secretText } from './support/leaks.ts';
import type { Secret } from './support/leaks.ts';
import { storedSessions } from './support/stored-sessions.ts';

it('the WhatsApp gateway logs and prints nothing of what people write, and no key, in the whole life of two instances', async () => {
  const harness = await startCrashHarness({ printsLog: true });
  const first = harness.service();
  const secrets: Secret[] = [
    secretText('the API key', first.apiKey),
    secretText('the secret of the webhook', harness.receiver.secret),
    ...(await linkByQr(harness)),
    ...(await linkByCode(harness)),
    ...(await exchangeMessages(harness)),
    ...(await disturb(harness)),
  ];
  await first.stop();
  const sessions = await storedSessions(harness.directory, 2);
  secrets.push(...sessions.flatMap(keysIn));
  await comeBack(harness);
  await unlink(harness);
  const second = harness.service();
  await second.stop();

  const printed = first.output() + second.output();
  for (const level of ['debug', 'warn']) expect(printed).toMatch(new RegExp(`^${level} `, 'm'));
  expect(secrets.map(({ what }) => what)).toEqual(expect.arrayContaining(KEYS));
  expect(leaksIn(printed, secrets)).toEqual([]);
  const events = JSON.stringify(harness.receiver.events);
  const written = leaksIn(events, secrets).filter((what) => !what.startsWith(WRITTEN));
  expect(written).toEqual([]);
});

const KEY = randomBytes(32);

it.each([
  ['a Buffer', inspect(KEY)],
  ['bytes', inspect({ key: new Uint8Array(KEY) })],
  ['bytes in an object', inspect(Object.fromEntries(KEY.entries()))],
  ['JSON', JSON.stringify({ key: KEY })],
  ['JSON of bytes', JSON.stringify(new Uint8Array(KEY))],
  ['JSON as Baileys makes it', JSON.stringify({ key: KEY }, BufferJSON.replacer)],
  ['hexadecimal', KEY.toString('hex').toUpperCase()],
  ['part of a URL', KEY.toString('base64url')],
])('would notice a key that is printed as %s', (_, printed) => {
  expect(leaksIn(`the key is ${printed}.`, [{ what: 'a key', bytes: KEY }])).toEqual(['a key']);
});

/** Secrets that the search must cover, or it proves nothing. */
const KEYS = [
  'creds.noiseKey.private',
  'creds.signedIdentityKey.private',
  'creds.signedPreKey.keyPair.private',
  'creds.advSecretKey',
];
const WRITTEN = 'what was written';

async function linkByQr(harness: CrashHarness): Promise<readonly Secret[]> {
  const { client } = harness.service();
  must(await client.instances.connect(harness.instance));
  await untilStatus(harness, 'qr_required');
  const { code } = must(await client.instances.qr(harness.instance));
  harness.wa.scanQr(harness.account, code);
  await untilStatus(harness, 'connected');
  // A QR has a reference, three keys, and the kind of client.
  const parts = code.split(',').slice(0, 4);
  return parts.map((part) => secretText('a part of the QR', part));
}

async function linkByCode(harness: CrashHarness): Promise<readonly Secret[]> {
  const { wa, service } = harness;
  const { client } = service();
  const account = wa.account('5511900000002', { name: 'Branch' });
  const { id: instance } = must(await client.instances.create({ name: 'Branch' }));
  const branch = { ...harness, instance, account };
  must(await client.instances.connect(instance, { pairing_phone_number: account.phoneNumber }));
  await untilStatus(branch, 'qr_required');
  const { code, pairing_code: pairingCode } = must(await client.instances.qr(instance));
  await wa.enterCode(account, pairingCode ?? '');
  await untilStatus(branch, 'connected');
  return [secretText('the QR', code), secretText('the pairing code', pairingCode ?? '')];
}

async function exchangeMessages(harness: CrashHarness): Promise<readonly Secret[]> {
  const { wa, account, bob, instance, service } = harness;
  const { messages, instances } = service().client;
  const group = wa.group({ subject: 'Neighbours', members: [bob] });
  wa.addToGroup(group, account);
  const { id: groupId } = await eventually(async () => {
    const [found] = must(await instances.groups(instance));
    if (!found) throw new Error('The group is not known yet.');
    return found;
  });
  const said = newWords();
  for (const to of [bob.phoneNumber, groupId]) {
    const { id } = must(await messages.send({ instance, to, type: 'text', text: said.next() }));
    await untilMessage(harness, id, 'sent');
  }
  for (const place of [{}, { group }, { undecryptable: true }])
    await wa.inbound(bob, account, said.next(), place);
  for (const { type, mimeType, filename, content } of FILES) {
    const caption = type === 'audio' ? {} : { caption: said.next() };
    const file = new Blob([content]);
    const sent = must(
      await messages.send({ instance, to: bob.phoneNumber, type, file, filename, ...caption }),
    );
    await untilMessage(harness, sent.id, 'sent');
    await wa.inbound(bob, account, { type, mimeType, bytes: content, filename, ...caption });
  }
  return said.all;
}

async function disturb(harness: CrashHarness): Promise<readonly Secret[]> {
  const { wa, account, bob, instance, service } = harness;
  const { messages } = service().client;
  const said = newWords();
  const send = async (status: 'sent' | 'failed', to = bob.phoneNumber): Promise<string> => {
    const { id } = must(await messages.send({ instance, to, type: 'text', text: said.next() }));
    await untilMessage(harness, id, status);
    return id;
  };
  wa.refuseNextMessage(account, 479);
  await send('failed');
  await send('failed', wa.person('5511900009999', { onWhatsApp: false }).phoneNumber);
  await send('sent');
  const again = wa.sentMessages({ from: account }).at(-1)?.id ?? '';
  await wa.requestRetry(account, bob, again);
  const mediaKey = randomBytes(32);
  const documentMessage = { mimetype: 'application/pdf', mediaKey, directPath: '/v/1', caption: said.next() };
  const fileLength = LARGEST_MEDIA_SIZE + 1;
  await wa.inbound(bob, account, {
    type: 'raw',
    message: { documentMessage: { ...documentMessage, fileLength } },
  });
  const isGone = ({ data }: WebhookEvent): boolean =>
    'message' in data && data.message.media?.available === false;
  await untilNotified(harness, 'message.received', isGone);
  await wa.inbound(bob, account, said.next(), { undecryptable: true, respondsToRetry: false });
  for (const end of [() => wa.drop(account), () => wa.streamError(account, { code: 500 })]) {
    const online = wa.next('online', account);
    end();
    await online;
    await wa.inbound(bob, account, said.next());
  }
  await untilStatus(harness, 'connected');
  return [...said.all, { what: 'the key of a file', bytes: mediaKey }];
}

async function unlink(harness: CrashHarness): Promise<void> {
  const { wa, account, instance, service } = harness;
  const { client } = service();
  const other = must(await client.instances.list()).find(({ id }) => id !== instance);
  wa.unlink(account);
  await untilStatus(harness, 'logged_out');
  must(await client.instances.logout(other?.id ?? ''));
}

/** Makes words that occur nowhere else. */
function newWords(): { next(): string; readonly all: readonly Secret[] } {
  const all: Secret[] = [];
  return {
    all,
    next() {
      const word = `words-${randomBytes(12).toString('hex')}`;
      all.push(secretText(WRITTEN, word));
      return word;
    },
  };
}
