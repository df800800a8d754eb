import type { OutgoingDetail, OutgoingMention, OutgoingMessage } from '@trunkline/core/spi/gateway';
import { proto } from '@whiskeysockets/baileys';
import { eventually } from '@trunkline/test-support';
import { expect, it } from 'vitest';
import { linked } from './support/linked.ts';
import { picture } from './support/files.ts';

let ids = 0;
const nextId = (): string => `3EB0D${String((ids += 1)).padStart(17, '0')}`;

it('a poll keeps its secret when it is sent again, to everyone or to a phone that could not read it', async () => {
  const { network, link } = await linked({ readsByItself: false });
  const { wa, account, reader } = network;
  const detail = {
    kind: 'poll',
    payload: { question: 'Lunch?', options: ['yes', 'no'], multiple: false },
  } as const;
  const message = {
    networkId: nextId(),
    to: reader.phoneNumber,
    isGroup: false,
    content: { type: 'text', text: 'Poll: Lunch? (yes, no)' },
    detail,
  } as const;
  const { networkId: id } = message;
  expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
  expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
  await wa.requestRetry(account, reader, id);
  await eventually(() => expect(wa.sentMessages({ id })).toHaveLength(3));
  const contents = wa.sentMessages({ id }).map(({ content }) => content);
  expect(contents[0]).toMatchObject({ type: 'poll', options: ['yes', 'no'], secret: { length: 32 } });
  expect(contents).toEqual([contents[0], contents[0], contents[0]]);
  expect(wa.takeProblems()).toEqual([]);
});

it('cards and stickers have what phones show of them, and stanzas name them also when they are sent again', async () => {
  const { network, link } = await linked({ readsByItself: false });
  const { wa, account, reader } = network;
  const send = async (detail: OutgoingDetail, content: OutgoingMessage['content']): Promise<string> => {
    const message = { networkId: nextId(), to: reader.phoneNumber, isGroup: false, content, detail };
    expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
    await wa.requestRetry(account, reader, message.networkId);
    await eventually(() => expect(wa.sentMessages({ id: message.networkId })).toHaveLength(2));
    return message.networkId;
  };
  const text = { type: 'text', text: 'In words' } as const;
  const bytes = picture('webpLossy');
  const open = async (): Promise<ReadableStream<Uint8Array>> => new Blob([bytes]).stream();
  const file = { mimeType: 'image/webp', filename: 'wave.webp', size: bytes.length, open };
  const ann = { name: 'Ann', phone_numbers: [], vcard: 'BEGIN:VCARD\nFN:Ann\nEND:VCARD' };
  const bob = { name: 'Bob', phone_numbers: [], vcard: 'BEGIN:VCARD\nFN:Bob\nEND:VCARD' };
  const sent = {
    sticker: await send(
      { kind: 'sticker', payload: { animated: true } },
      { type: 'image', caption: null, file },
    ),
    vcard: await send({ kind: 'contact', payload: { contacts: [ann] } }, text),
    contact_array: await send({ kind: 'contact', payload: { contacts: [ann, bob] } }, text),
  };
  expect(wa.sentMessages({ id: sent.sticker })[1]?.content).toMatchObject({
    type: 'sticker',
    animated: true,
    mimeType: 'image/webp',
    bytes: { length: bytes.length },
    shown: { width: 40, height: 24 },
  });
  for (const [mediatype, id] of Object.entries(sent)) {
    const stanzas = wa
      .transcript()
      .flatMap(({ direction, node }) =>
        direction === 'received' && node.attrs['id'] === id ? [JSON.stringify(node)] : [],
      )
      .filter((node) => node.includes('"enc"'));
    expect(stanzas).toHaveLength(2);
    for (const stanza of stanzas) {
      expect(stanza).toContain(`"mediatype":"${mediatype}"`);
      expect(stanza).toContain('"type":"media"');
    }
  }
});

it('a text mentions people by the addresses that its chat uses, and so does its edit', async () => {
  const { network, link } = await linked({ readsByItself: false });
  const { wa, account, reader } = network;
  const members = [account, reader];
  const byNumber = wa.group({ subject: 'By number', members, addressing: 'pn' });
  const byHiddenId = wa.group({ subject: 'By hidden id', members, addressing: 'lid' });
  await wa.inbound(reader, account, 'Hello', { group: byHiddenId });
  const { message: received } = await link.first('message');
  const number = reader.phoneNumber;
  const mentions: readonly OutgoingMention[] = [
    { written: 'con_1', number: null, networkId: received.senderId },
    { written: number, number, networkId: null },
    { written: '5511977776666', number: '5511977776666', networkId: null },
  ];
  const text = `@con_1 @con_12 @${number}, ask @5511977776666`;
  const [hiddenUser = ''] = (reader.lidJid ?? '').split('@');
  const stranger = '5511977776666@s.whatsapp.net';
  for (const [{ jid: to }, user, jid] of [
    [byNumber, number, reader.jid],
    [byHiddenId, hiddenUser, reader.lidJid],
  ] as const) {
    const message = {
      networkId: nextId(),
      to,
      isGroup: true,
      content: { type: 'text', text },
      mentions,
    } as const;
    expect(await link.connection().send(message)).toEqual({ kind: 'accepted' });
    const written = `@${user} @con_12 @${user}, ask @5511977776666`;
    expect(wa.sentMessages().at(-1)?.content).toEqual({
      type: 'text',
      text: written,
      mentions: [jid, stranger],
    });
    const about = { networkId: message.networkId, senderId: null };
    const deed = { kind: 'edit', type: 'text', text: `Only @con_1`, mentions: mentions.slice(0, 1) } as const;
    const edit = { networkId: nextId(), to, isGroup: true, about, deed };
    expect(await link.connection().act?.(edit)).toEqual({ kind: 'accepted' });
    const content = wa.sentMessages().at(-1)?.content;
    const edited = content?.type === 'other' ? proto.Message.fromObject(content.message) : null;
    expect(edited?.editedMessage?.message?.protocolMessage?.editedMessage).toMatchObject({
      extendedTextMessage: { text: `Only @${user}`, contextInfo: { mentionedJid: [jid] } },
    });
  }
});
