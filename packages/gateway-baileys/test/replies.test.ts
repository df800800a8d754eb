import type { OutgoingMessage } from '@trunkline/core/spi/gateway';
import { describe, expect, it } from 'vitest';
import { linked } from './support/linked.ts';

let ids = 0;

/** A text message. `changes` must name the recipient. */
function aText(changes: Partial<OutgoingMessage>): OutgoingMessage {
  const networkId = `3EB0B${String((ids += 1)).padStart(17, '0')}`;
  return { networkId, to: '', isGroup: false, content: { type: 'text', text: 'Hello' }, ...changes };
}

describe('a message to a person whose number nobody knows', () => {
  it('is sent to the id under which that person wrote', async () => {
    const { network, link } = await linked();
    const { wa, account } = network;
    const hidden = wa.person('5511955550007', { hidesNumber: true });
    await wa.inbound(hidden, account, 'who am I?');
    const { contact } = (await link.first('message')).message;
    const message = aText({ contactNetworkId: contact?.networkId ?? null });
    expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
    expect(wa.sentMessages()).toMatchObject([
      { to: hidden.lidJid, content: { text: 'Hello' }, readableBy: [hidden.phoneNumber] },
    ]);
  });
});

describe('a reply', () => {
  it('shows the message that it replies to, and who wrote it', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const theirs = await wa.inbound(reader, account, 'Which one?');
    const { message } = await link.first('message');
    const to = { contactNetworkId: reader.lidJid };
    const replyTo = { networkId: theirs, senderId: message.senderId, text: 'Which one?' };
    await link.connection().send(aText({ ...to, replyTo }));
    const ours = { networkId: '3EB0AAAAAAAAAAAA14', senderId: null, text: '' };
    await link.connection().send(aText({ ...to, replyTo: ours }));
    await link.connection().send(aText(to));
    expect(wa.sentMessages().map(({ quotes }) => quotes)).toEqual([
      { id: theirs, author: reader.lidJid, text: 'Which one?' },
      { id: '3EB0AAAAAAAAAAAA14', author: account.lidJid, text: '' },
      null,
    ]);
  });

  it('is possible in groups, and with a file', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const group = wa.group({ subject: 'Team', members: [reader, account] });
    const theirs = await wa.inbound(reader, account, 'Which one?', { group });
    const { message } = await link.first('message');
    const bytes = new TextEncoder().encode('this one');
    const file = { mimeType: 'text/plain', filename: 'a.txt', size: bytes.length };
    const outcome = await link.connection().send(
      aText({
        to: group.jid,
        isGroup: true,
        replyTo: { networkId: theirs, senderId: message.senderId, text: 'Which one?' },
        content: {
          type: 'document',
          caption: null,
          file: { ...file, open: async () => new Blob([bytes]).stream() },
        },
      }),
    );
    expect(outcome).toEqual({ kind: 'accepted' });
    expect(wa.sentMessages()).toMatchObject([
      { content: { type: 'document' }, quotes: { id: theirs, author: reader.lidJid } },
    ]);
  });
});

describe('an audio', () => {
  /** Not real sound: only the container is checked. */
  const bytes = new Uint8Array(2_000).fill(7);
  bytes.set(new TextEncoder().encode('OggS'));
  const audio = (mimeType: string, voice?: boolean) =>
    ({
      type: 'audio',
      caption: null,
      ...(voice !== undefined && { voice }),
      file: { mimeType, filename: 'a.ogg', size: bytes.length, open: async () => new Blob([bytes]).stream() },
    }) as const;

  it('is sent as a voice message if it is one, with the type that phones play', async () => {
    const { network, link } = await linked();
    const { wa, reader } = network;
    const to = { to: reader.phoneNumber };
    const audios = [audio('audio/ogg', true), audio('audio/mp4', true), audio('audio/ogg')];
    for (const content of audios)
      expect(await link.connection().send(aText({ ...to, content }))).toEqual({ kind: 'accepted' });
    const [voice, other, plain] = wa.sentMessages().map(({ content }) => content);
    expect(voice).toMatchObject({
      type: 'audio',
      mimeType: 'audio/ogg; codecs=opus',
      voice: { waveform: { length: 64 } },
    });
    expect(other).toMatchObject({ mimeType: 'audio/mp4', voice: {} });
    expect(plain).toMatchObject({ mimeType: 'audio/ogg' });
    expect(plain).not.toHaveProperty('voice');
  });
});
