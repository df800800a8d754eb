import { setImmediate } from 'node:timers/promises';
import { binaryNodeToString, BufferJSON, INITIAL_PREKEY_COUNT, initAuthCreds } from '@whiskeysockets/baileys';
import { expect, it, vi } from 'vitest';
import { eventually } from '@trunkline/test-support';
import { linked, unlinked } from './support/linked.ts';

const anyEnd = ({ reason }: { reason: { kind: string } }): boolean => reason.kind !== 'restart';

it('the WhatsApp gateway stores nothing before a phone has accepted', async () => {
  const { session, open } = await unlinked();
  const link = await open({ pairingNumber: '5511900000001' });
  await link.first('qr');
  await link.connection().close();
  expect(session.values.size).toBe(0);
});

it('the WhatsApp gateway starts a pairing again that was left half done', async () => {
  const { network, session, open } = await unlinked();
  const me = { id: '5511900000001@s.whatsapp.net', name: '~' };
  const creds = JSON.stringify({ ...initAuthCreds(), me, pairingCode: 'ABCD1234' }, BufferJSON.replacer);
  await session.save(
    new Map([
      ['creds', new TextEncoder().encode(creds)],
      ['key.pre-key.1', new TextEncoder().encode('{}')],
    ]),
  );
  const link = await open();
  const { code } = await link.first('qr');
  expect(session.values.size).toBe(0);
  network.wa.scanQr(network.account, code);
  await link.first('connected');
});

it('the WhatsApp gateway uploads the keys that it has made for a linked device, and makes no others', async () => {
  const { network, session, link } = await linked();
  await eventually(() => {
    const [uploaded] = network.wa
      .transcript()
      .filter(({ node }) => node.attrs['xmlns'] === 'encrypt' && node.attrs['type'] === 'set');
    expect(String(uploaded && binaryNodeToString(uploaded.node)).match(/<key/g)).toHaveLength(
      INITIAL_PREKEY_COUNT,
    );
  });
  await link.connection().close();
  // A key made after the first upload would have this id.
  expect([...session.values.keys()]).not.toContain(`key.pre-key.${INITIAL_PREKEY_COUNT + 1}`);
});

it('the WhatsApp gateway ends a connection whose keys another process has now, before it can do harm', async () => {
  const { network, session, link } = await linked();
  const { wa, account, reader } = network;
  await wa.inbound(reader, account, 'for this process');
  await link.first('message');
  session.fence();
  await wa.inbound(reader, account, 'for the other process');
  await link.first('closed', anyEnd);
  expect(link.all('message')).toHaveLength(1);
  await eventually(() => expect(wa.linkedDevices(account)).toMatchObject([{ connected: false }]));
});

it('the WhatsApp gateway ends a connection whose keys could not be written, and continues from what is stored', async () => {
  const { network, session, link, open } = await linked();
  const { wa, account, reader } = network;
  session.failNextSave();
  await wa.inbound(reader, account, 'while the disk was full');
  expect((await link.first('closed', anyEnd)).reason).toMatchObject({ kind: 'dropped' });
  const again = await open();
  expect((await again.first('message')).message.content).toEqual({
    type: 'text',
    text: 'while the disk was full',
  });
});

it('the WhatsApp gateway ends a connection whose keys could not be read, and acknowledges no message that needs them', async () => {
  const { network, session, link, open } = await linked();
  const { wa, account, reader } = network;
  await link.connection().close();
  const { read = async () => new Map<string, Uint8Array>() } = session;
  let isAway = false;
  const readUnlessAway: typeof read = async (names) => {
    if (isAway) throw new Error('The database is away.');
    return read(names);
  };
  Object.assign(session, { read: readUnlessAway });
  const next = await open();
  await next.first('connected');

  isAway = true;
  const id = await wa.inbound(reader, account, 'while the database was away');
  expect((await next.first('closed', anyEnd)).reason).toMatchObject({ kind: 'dropped' });
  expect(wa.receipts(account).filter(({ ids }) => ids.includes(id))).toEqual([]);
  isAway = false;
  const again = await open();
  expect((await again.first('message')).message.content).toEqual({
    type: 'text',
    text: 'while the database was away',
  });
});

it('the WhatsApp gateway is closed when everything is stored', async () => {
  const { network, session, link } = await linked();
  const { wa, account, reader } = network;
  const { save } = session;
  const disk = Promise.withResolvers<void>();
  const saving = vi.spyOn(session, 'save').mockImplementation(async (changes) => {
    await disk.promise;
    await save(changes);
  });
  await wa.inbound(reader, account, 'on its way to the disk');
  await eventually(() => expect(saving).toHaveBeenCalled());
  let isClosed = false;
  const closing = link
    .connection()
    .close()
    .then(() => (isClosed = true));
  await setImmediate();
  expect(isClosed).toBe(false);
  disk.resolve();
  await closing;
  expect(await saving.mock.results[0]?.value).toBeUndefined();
});

it('the WhatsApp gateway reports a message on the next connection that the previous one was still decrypting', async () => {
  const { network, session, link, open } = await linked();
  const { wa, account, reader } = network;
  await link.connection().close();
  const { read = async () => new Map<string, Uint8Array>() } = session;
  const [asked, storage] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isSlow = false;
  const readSlowly: typeof read = async (names) => {
    const found = await read(names);
    if (!isSlow || !names.some((name) => name.startsWith('key.session.'))) return found;
    asked.resolve();
    await storage.promise;
    return found;
  };
  Object.assign(session, { read: readSlowly });
  const slow = await open();
  await slow.first('groups');

  isSlow = true;
  await wa.inbound(reader, account, 'between two connections');
  await asked.promise;
  isSlow = false;
  await slow.connection().close();
  const next = await open();
  storage.resolve();
  expect((await next.first('message')).message.content).toEqual({
    type: 'text',
    text: 'between two connections',
  });
});

it('the WhatsApp gateway deletes keys that are used up', async () => {
  const { network, session, link } = await linked();
  const preKeys = (): number =>
    [...session.values.keys()].filter((name) => name.startsWith('key.pre-key.')).length;
  const before = preKeys();
  await network.wa.inbound(
    network.wa.person('5511933332222'),
    network.account,
    'a first message uses one up',
  );
  await link.first('message');
  expect(preKeys()).toBe(before - 1);
});
