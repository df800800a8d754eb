import { describe, expect, it } from 'vitest';
import type { IncomingFile, IncomingMessage } from '@trunkline/core/spi/gateway';
import { MAX_REFERENCE_BYTES } from '@trunkline/core/spi/gateway';
import { eventually } from '@trunkline/test-support';
import { hurriedClock, linked } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

const bytes: Uint8Array<ArrayBuffer> = new Uint8Array(300_000).map((_, i) => i % 251);
const FILE = { type: 'document', mimeType: 'application/pdf', filename: 'a.pdf', bytes } as const;

function fileIn({ content }: IncomingMessage): IncomingFile {
  if (content.type === 'text') throw new Error('The message has no file.');
  return content.file;
}

async function read(stream: Promise<ReadableStream<Uint8Array>> | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await stream) ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function referenceOf(file: IncomingFile): Uint8Array {
  if (!file.reference) throw new Error('The file has no reference.');
  return file.reference;
}

async function received(): Promise<Linked & { readonly file: IncomingFile; readonly networkId: string }> {
  const harness = await linked({ clock: hurriedClock() });
  const { wa, account, reader } = harness.network;
  const networkId = await wa.inbound(reader, account, FILE);
  const { message } = await harness.link.first('message');
  return { ...harness, networkId, file: fileIn(message) };
}

describe('a file of WhatsApp', () => {
  it('comes from the next media host while the first is down', async () => {
    const { network, file } = await received();
    await network.wa.setMediaHosts('down', 'up');
    expect((await read(file.open())).equals(bytes)).toBe(true);
  });

  it('comes from the next media host while the first is silent', async () => {
    const { network, file } = await received();
    await network.wa.setMediaHosts('silent', 'up');
    expect((await read(file.open())).equals(bytes)).toBe(true);
  });

  it('goes on at the next media host where the first stalls half-way', async () => {
    const { network, file } = await received();
    const { wa } = network;
    await wa.setMediaHosts('up', 'up');
    wa.failMedia('stall');
    expect((await read(file.open())).equals(bytes)).toBe(true);
    const [first, second, ...more] = wa.mediaRequests();
    expect([first, second, more.length]).toMatchObject([
      { host: 0, range: null },
      { host: 1, range: expect.stringMatching(/^bytes=[1-9]\d+-$/) },
      0,
    ]);
  });

  it('comes first from a host that works, after another one has failed', async () => {
    const { network, link, file } = await received();
    const { wa } = network;
    await wa.setMediaHosts('up', 'up');
    wa.failMedia(500);
    expect((await read(file.open())).equals(bytes)).toBe(true);
    expect((await read(link.connection().openFile?.(referenceOf(file)))).equals(bytes)).toBe(true);
    expect(wa.mediaRequests().map(({ host }) => host)).toEqual([0, 1, 1]);
  });

  it('is uploaded again by the phone when its address has expired', async () => {
    const { network, file, networkId } = await received();
    const { wa, account } = network;
    wa.expireMedia();
    wa.respondToMediaRetries(account, 'upload');
    expect((await read(file.open())).equals(bytes)).toBe(true);
    expect((await wa.receiptFor(networkId, 'server-error')).to).toBe(account.jid);
  });

  it('is uploaded again by the phone when no media host has it any more', async () => {
    const { network, file } = await received();
    const { wa, account } = network;
    await wa.setMediaHosts('up', 'up');
    wa.forgetMedia();
    wa.respondToMediaRetries(account, 'upload');
    expect((await read(file.open())).equals(bytes)).toBe(true);
    // The phone is asked once, after all hosts have refused.
    expect(wa.mediaRequests().map(({ host }) => host)).toEqual([0, 1, 0]);
    expect(wa.receipts(account).filter(({ type }) => type === 'server-error')).toHaveLength(1);
  });

  it.each([
    ['not_found', 'Neither WhatsApp’s media hosts nor the phone have the file'],
    ['error', 'Failed to re-upload media (2)'],
    ['silent', 'The upload of a file by the phone took longer than'],
  ] as const)('is unavailable if the phone responds with %s', async (response, said) => {
    const { network, file } = await received();
    const { wa, account } = network;
    wa.forgetMedia();
    wa.respondToMediaRetries(account, response);
    await expect(read(file.open())).rejects.toThrow(said);
  });

  it('that the phone uploads late is there at the next try, without asking again', async () => {
    const { network, link, file } = await received();
    const { wa, account } = network;
    wa.forgetMedia();
    wa.respondToMediaRetries(account, 'upload');
    wa.holdMediaRetries(account);
    await expect(read(file.open())).rejects.toThrow('took longer');
    wa.releaseMediaRetries(account);
    await eventually(() => {
      const acks = wa
        .transcript()
        .filter(({ direction, node }) => direction === 'received' && node.tag === 'ack');
      expect(acks.map(({ node }) => node.attrs['type'])).toContain('mediaretry');
    });
    const again = link.connection().openFile?.(referenceOf(file));
    expect((await read(again)).equals(bytes)).toBe(true);
    expect(wa.receipts(account).filter(({ type }) => type === 'server-error')).toHaveLength(1);
  });

  it('is uploaded again for a later connection, which knows it by its reference alone', async () => {
    const { network, link, open, file } = await received();
    const { wa, account } = network;
    await link.connection().close();
    wa.forgetMedia();
    wa.respondToMediaRetries(account, 'upload');
    const later = await open();
    await later.first('connected');
    const again = later.connection().openFile?.(referenceOf(file));
    expect((await read(again)).equals(bytes)).toBe(true);
  });

  it('is found by the phone even if it is from a group', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    const group = wa.group({ subject: 'Friends', members: [reader] });
    wa.addToGroup(group, account);
    await wa.inbound(reader, account, FILE, { group });
    const { message } = await link.first('message');
    wa.forgetMedia();
    wa.respondToMediaRetries(account, 'upload');
    const again = link.connection().openFile?.(referenceOf(fileIn(message)));
    expect((await read(again)).equals(bytes)).toBe(true);
  });

  it('is not opened on a closed connection', async () => {
    const { link, file } = await received();
    const connection = link.connection();
    await connection.close();
    await expect(connection.openFile?.(referenceOf(file))).rejects.toThrow('not open');
  });
});

describe('the reference to a file of WhatsApp', () => {
  it('is small, and contains nothing else of the message', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, { ...FILE, caption: 'between us' });
    const { message } = await link.first('message');
    const reference = Buffer.from(referenceOf(fileIn(message)));
    expect(reference.length).toBeLessThan(500);
    expect(reference.includes('between us')).toBe(false);
  });

  it('is omitted if a sender makes it oversized', async () => {
    const { network, link } = await linked({ clock: hurriedClock() });
    const { wa, account, reader } = network;
    const documentMessage = {
      mimetype: 'application/pdf',
      mediaKey: new Uint8Array(32),
      directPath: `/v/${'a'.repeat(MAX_REFERENCE_BYTES)}`,
    };
    await wa.inbound(reader, account, { type: 'raw', message: { documentMessage } });
    const { message } = await link.first('message');
    expect(fileIn(message).reference).toBeUndefined();
  });
});
