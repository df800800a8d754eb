import { randomBytes } from 'node:crypto';
import tls from 'node:tls';
import { downloadMediaMessage } from '@whiskeysockets/baileys';
import type { AnyMessageContent } from '@whiskeysockets/baileys';
import { expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { MEDIA_KINDS, startFakeWhatsApp, trustFakeWhatsApp } from '../src/index.ts';
import type { MediaKind } from '../src/index.ts';
import { Client } from './support/client.ts';
import { useFakeWhatsApp } from './support/harness.ts';

const { wa, newAccount, newPerson, linked } = useFakeWhatsApp();

const MIME_TYPES = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/ogg',
  document: 'application/pdf',
};

function contentOf(kind: MediaKind, bytes: Buffer): AnyMessageContent {
  const mimetype = MIME_TYPES[kind];
  switch (kind) {
    case 'image':
      return { image: bytes, mimetype, caption: 'about it', jpegThumbnail: '' };
    case 'video':
      return { video: bytes, mimetype, caption: 'about it', jpegThumbnail: '' };
    case 'audio':
      return { audio: bytes, mimetype };
    case 'document':
      return { document: bytes, mimetype, caption: 'about it', fileName: 'bill.pdf' };
  }
}

it.each(isLongForm ? MEDIA_KINDS : MEDIA_KINDS.slice(0, 1))(
  'the fake WhatsApp takes a client’s %s byte for byte',
  async (kind) => {
    const shop = newAccount();
    const bob = newPerson();
    const client = await linked(shop);
    const bytes = randomBytes(70_001);
    await client.socket.sendMessage(bob.jid, contentOf(kind, bytes));

    const { content } = await wa().nextMessage({ from: shop });
    expect(content).toMatchObject({
      type: kind,
      mimeType: MIME_TYPES[kind],
      caption: kind === 'audio' ? null : 'about it',
      filename: kind === 'document' ? 'bill.pdf' : null,
    });
    expect('bytes' in content && bytes.equals(content.bytes)).toBe(true);
  },
);

it.each(isLongForm ? MEDIA_KINDS : MEDIA_KINDS.slice(0, 1))(
  'brings a person’s %s byte for byte',
  async (type) => {
    const shop = newAccount();
    const bob = newPerson();
    const client = await linked(shop);
    const bytes = randomBytes(70_001);
    const file = { type, bytes, mimeType: MIME_TYPES[type], filename: 'bill.pdf', caption: 'see' };
    const message = await client.message(await wa().inbound(bob, shop, file));
    expect(message.message?.[`${type}Message`]).toMatchObject({ mimetype: MIME_TYPES[type] });
    expect(bytes.equals(await downloadMediaMessage(message, 'buffer', {}))).toBe(true);
  },
);

it('the fake WhatsApp is a host that is not trusted by default', async () => {
  const other = await startFakeWhatsApp();
  const distrust = trustFakeWhatsApp({ ...other.client, mediaAuthority: wa().client.mediaAuthority });
  const client = await Client.linked(other, other.account('5511977770001'));
  const bob = other.person('5511977770002');
  const sent = client.socket.sendMessage(bob.jid, contentOf('document', randomBytes(100)));
  await expect(sent).rejects.toThrow('Media upload failed on all hosts');
  await client.end();
  distrust();
  await other.stop();
});

it('a process trusts several servers, and forgets them in any order', async () => {
  const before = tls.getCACertificates('default').toSorted();
  const [one, other] = [await startFakeWhatsApp(), await startFakeWhatsApp()];
  const distrusts = [one, other].map((server) => trustFakeWhatsApp(server.client));
  const client = await Client.linked(other, other.account('5511977770001'));
  const bob = other.person('5511977770002');
  await client.socket.sendMessage(bob.jid, contentOf('document', randomBytes(100)));
  await client.end();
  for (const distrust of distrusts) distrust();
  expect(tls.getCACertificates('default').toSorted()).toEqual(before);
  await one.stop();
  await other.stop();
});

it('the fake WhatsApp fails a download as a test asks: with a status, with changed bytes, or because the file is missing', async () => {
  const shop = newAccount();
  const bob = newPerson();
  const client = await linked(shop);
  const bytes = randomBytes(1000);
  const file = { type: 'document', bytes, mimeType: 'application/pdf' } as const;
  const message = await client.message(await wa().inbound(bob, shop, file));
  const download = () => downloadMediaMessage(message, 'buffer', {});

  wa().failMedia(503);
  await expect(download()).rejects.toMatchObject({ output: { statusCode: 503 } });
  wa().failMedia('corrupt');
  expect(bytes.equals(await download())).toBe(false);
  expect(bytes.equals(await download())).toBe(true);
  wa().forgetMedia();
  await expect(download()).rejects.toMatchObject({ output: { statusCode: 404 } });
});

it('the fake WhatsApp fails an upload when a test asks for it', async () => {
  const client = await linked(newAccount());
  wa().failMedia(500);
  const sent = client.socket.sendMessage(newPerson().jid, contentOf('document', randomBytes(100)));
  await expect(sent).rejects.toThrow('Media upload failed on all hosts');
});
