import { describe, expect, it } from 'vitest';
import { MAX_REFERENCE_BYTES } from '@trunkline/core/spi/gateway';
import type { GatewaySubject } from './contract-subject.ts';
import { FILES } from './files.ts';
import { linkedFixture } from './fixture.ts';
import { itWith } from './optional.ts';
import { openLink } from './test-link.ts';
import type { Report } from './test-link.ts';

export function receivingContract(subject: GatewaySubject): void {
  describe('receiving', () => {
    it('reports a text with its sender', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const from = network.people.reader;
      const networkId = await phone.receive({ from, text: 'Grüße 👋' });
      const {
        message: { contact = null, sentAt = null, replyTo = null, detail, ...message },
      } = await link.first('message');
      expect(message).toEqual({
        networkId,
        from,
        senderId: expect.any(String),
        groupNetworkId: null,
        content: { type: 'text', text: 'Grüße 👋' },
      });
      expect({ replyTo, detail }).toEqual({ replyTo: null, detail: undefined });
      if (sentAt !== null) expect(new Date(sentAt).getUTCFullYear()).toBeGreaterThan(2000);
      if (contact !== null)
        expect(contact).toMatchObject({ networkId: expect.any(String), phoneNumber: from });
    });

    for (const { type, mimeType, content } of FILES) {
      itWith(subject, type)(`reports a file of type ${type}, to be downloaded`, async () => {
        const { network, link, phone } = await linkedFixture(subject);
        const text = type === 'audio' ? '' : 'look';
        await phone.receive({ from: network.people.reader, text, file: { type, mimeType, content } });
        const { message } = await link.first('message');
        expect(message.content).toMatchObject({ type, caption: text || null, file: { mimeType } });
        if (message.content.type === 'text') throw new Error('The message is a file.');
        const stream = await message.content.file.open();
        expect(Buffer.from(await bytesOf(stream)).equals(content)).toBe(true);
      });
    }

    itWith(
      subject,
      'document',
      'file_references',
    )('names a file by a reference, by which a later connection opens it', async () => {
      const { network, link, phone, open } = await linkedFixture(subject);
      const content = new TextEncoder().encode('a file');
      const file = { type: 'document', mimeType: 'text/plain', content } as const;
      await phone.receive({ from: network.people.reader, text: '', file });
      const { message } = await link.first('message');
      if (message.content.type === 'text') throw new Error('The message is a file.');
      const { reference } = message.content.file;
      if (!reference) throw new Error('The file has no reference.');
      expect(reference.length).toBeLessThanOrEqual(MAX_REFERENCE_BYTES);
      await link.connection().close();
      const again = await open();
      await again.first('connected');
      // As if the reference came from another process.
      const opened = await again.connection().openFile?.(reference.slice());
      expect(opened && Buffer.from(await bytesOf(opened)).equals(content)).toBe(true);
    });

    itWith(
      subject,
      'document',
      'file_references',
    )('does not open a file by an invalid reference, and can still be used', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const connection = link.connection();
      for (const reference of [new Uint8Array(0), new Uint8Array(100).fill(255)])
        await expect(connection.openFile?.(reference).then(bytesOf)).rejects.toThrow();
      await phone.receive({ from: network.people.reader, text: 'still there' });
      await link.first('message', ({ message }) => text(message) === 'still there');
    });

    itWith(subject, 'groups')('reports a message in a group with its writer', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      const groupNetworkId = await phone.addGroup('Neighbours');
      await phone.receive({ from: network.people.reader, text: 'Anyone home?', groupNetworkId });
      expect((await link.first('message')).message).toMatchObject({
        groupNetworkId,
        from: network.people.reader,
        content: { text: 'Anyone home?' },
      });
    });

    it('gives the same sender the same name each time, and another one a different name', async () => {
      const { network, link, phone } = await linkedFixture(subject);
      await phone.receive({ from: network.people.reader, text: 'one' });
      await phone.receive({ from: network.people.reader, text: 'two' });
      const { message: two } = await link.first('message', ({ message }) => text(message) === 'two');
      const { message: one } = await link.first('message', ({ message }) => text(message) === 'one');
      expect(two.senderId).toBe(one.senderId);
      expect(two.networkId).not.toBe(one.networkId);
    });

    itWith(subject, 'document')(
      'reports a file again that was not taken, and meanwhile what comes after it',
      async () => {
        const { network, link, phone, session } = await linkedFixture(subject);
        await link.connection().close();
        const taken = Promise.withResolvers<void>();
        let refusals = 0;
        const taking = async (report: Report): Promise<void> => {
          if (report.kind !== 'message' || report.message.content.type === 'text') return;
          refusals += 1;
          if (refusals === 1) throw new Error('The disk is full.');
          await taken.promise;
        };
        const open = await openLink(network.gateway, session, { taking });
        await open.first('connected');
        const from = network.people.reader;
        const file = {
          type: 'document',
          mimeType: 'text/plain',
          content: new TextEncoder().encode('a file'),
        } as const;
        const networkId = await phone.receive({ from, text: '', file });
        await phone.receive({ from, text: 'after it' });
        await open.first('message', ({ message }) => text(message) === 'after it');
        taken.resolve();
        await open.first('message', ({ message }) => message.networkId === networkId);
        expect(refusals).toBe(2);
        expect(open.all('closed')).toEqual([]);
        await open.connection().close();
      },
    );

    it('reports a message again on the next connection until it was taken', async () => {
      const { network, link, phone, session, open } = await linkedFixture(subject);
      await link.connection().close();
      const offered = Promise.withResolvers<void>();
      const taking = async ({ kind }: Report): Promise<void> => {
        if (kind !== 'message') return;
        offered.resolve();
        throw new Error('The storage is out of reach.');
      };
      const refusing = await openLink(network.gateway, session, { taking });
      await refusing.first('connected');
      const networkId = await phone.receive({ from: network.people.reader, text: 'important' });
      await offered.promise;
      await refusing.connection().close();

      const again = await open();
      const { message } = await again.first('message');
      expect(message).toMatchObject({ networkId, content: { text: 'important' } });
    });
  });
}

function text({ content }: { content: { type: string; text?: string } }): string | undefined {
  return content.text;
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<ArrayBuffer> {
  // Gateways read bytes from the network, not from shared memory.
  return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer();
}
