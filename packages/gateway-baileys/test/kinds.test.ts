import type { IncomingMessage } from '@trunkline/core/spi/gateway';
import type { proto } from '@whiskeysockets/baileys';
import { describe, expect, it } from 'vitest';
import { isLongForm } from '@trunkline/test-support/long-form';
import { linked, textOf } from './support/linked.ts';
import type { Linked } from './support/linked.ts';

async function reported({ network, link }: Linked, message: proto.IMessage): Promise<IncomingMessage> {
  const { wa, account, reader } = network;
  const id = await wa.inbound(reader, account, { type: 'raw', message });
  return (await link.first('message', (report) => report.message.networkId === id)).message;
}

const media = { directPath: '/v/x', mediaKey: new Uint8Array(32), mimetype: 'image/webp' };
const vcard = 'BEGIN:VCARD\nFN:Ann\nitem1.TEL;type=CELL;waid=34600000000:+34 600 000 000\nEND:VCARD';
const place = { degreesLatitude: 40.41, degreesLongitude: -3.7, name: 'Plaza Mayor', address: 'Madrid' };
const quickReply = JSON.stringify({ display_text: 'Track', id: 'track-1' });

/** By name: the message as sent, and the text and kind that an app gets for it. */
const TEXTS: Readonly<Record<string, readonly [proto.IMessage, string, IncomingMessage['detail']]>> = {
  'a location': [
    { locationMessage: place },
    'Location: Plaza Mayor, 40.41,-3.70',
    {
      kind: 'location',
      payload: { latitude: 40.41, longitude: -3.7, name: 'Plaza Mayor', address: 'Madrid' },
    },
  ],
  'a live location': [
    { liveLocationMessage: { degreesLatitude: -23.55052, degreesLongitude: -46.633308 } },
    'Live location: -23.55052,-46.633308',
    {
      kind: 'live_location',
      payload: { latitude: -23.55052, longitude: -46.633308, name: null, address: null },
    },
  ],
  'a contact': [
    { contactMessage: { displayName: 'Ann', vcard } },
    'Contact: Ann, +34 600 000 000',
    {
      kind: 'contact',
      payload: { contacts: [{ name: 'Ann', phone_numbers: ['+34 600 000 000'], vcard }] },
    },
  ],
  'several contacts': [
    { contactsArrayMessage: { contacts: [{ displayName: 'Ann' }, { displayName: 'Bob' }] } },
    'Contacts: Ann, Bob',
    {
      kind: 'contact',
      payload: { contacts: ['Ann', 'Bob'].map((name) => ({ name, phone_numbers: [], vcard: '' })) },
    },
  ],
  'the answer to a button': [
    { buttonsResponseMessage: { selectedButtonId: 'yes', selectedDisplayText: 'Yes please' } },
    'Yes please',
    { kind: 'button_reply', payload: { id: 'yes', title: 'Yes please' } },
  ],
  'the answer to a button of a template': [
    { templateButtonReplyMessage: { selectedId: 'track', selectedDisplayText: 'Track order' } },
    'Track order',
    { kind: 'button_reply', payload: { id: 'track', title: 'Track order' } },
  ],
  'the answer to a list': [
    { listResponseMessage: { title: 'Tea', singleSelectReply: { selectedRowId: 'row-2' } } },
    'Tea',
    { kind: 'list_reply', payload: { id: 'row-2', title: 'Tea', description: null } },
  ],
  'the answer to a form': [
    {
      interactiveResponseMessage: {
        body: { text: 'Sent' },
        nativeFlowResponseMessage: { name: 'flow', paramsJson: '{"size":["\\u0000M"]}' },
      },
    },
    'Sent',
    { kind: 'form_reply', payload: { name: 'flow', values: { size: ['M'] } } },
  ],
  'a message with a form': [
    {
      interactiveMessage: {
        body: { text: 'Your parcel' },
        nativeFlowMessage: { buttons: [{ name: 'quick_reply', buttonParamsJson: quickReply }] },
      },
    },
    'Your parcel',
    { kind: 'interactive', payload: { buttons: [{ id: 'track-1', title: 'Track' }] } },
  ],
  'a message with buttons': [
    {
      buttonsMessage: {
        contentText: 'Agreed?',
        buttons: [{ buttonId: 'y', buttonText: { displayText: 'Yes' } }],
      },
    },
    'Agreed?',
    { kind: 'interactive', payload: { buttons: [{ id: 'y', title: 'Yes' }] } },
  ],
  'a message with a list': [
    {
      listMessage: {
        title: 'Menu',
        description: 'Choose',
        sections: [{ rows: [{ rowId: 'r', title: 'Tea' }] }],
      },
    },
    'Menu\nChoose',
    { kind: 'interactive', payload: { buttons: [{ id: 'r', title: 'Tea' }] } },
  ],
  'a template': [
    { templateMessage: { hydratedTemplate: { hydratedContentText: 'On its way' } } },
    'On its way',
    { kind: 'interactive', payload: { buttons: [] } },
  ],
  'a poll': [
    {
      pollCreationMessageV3: {
        name: 'Lunch?',
        options: [{ optionName: 'yes' }, { optionName: 'no' }],
        selectableOptionsCount: 1,
      },
    },
    'Poll: Lunch? (yes, no)',
    { kind: 'poll', payload: { question: 'Lunch?', options: ['yes', 'no'], multiple: false } },
  ],
  'a poll with several answers': [
    { pollCreationMessage: { name: 'When?', options: [{ optionName: 'Mon' }, { optionName: 'Tue' }] } },
    'Poll: When? (Mon, Tue)',
    { kind: 'poll', payload: { question: 'When?', options: ['Mon', 'Tue'], multiple: true } },
  ],
  'an order': [
    {
      orderMessage: {
        orderId: '77',
        itemCount: 2,
        totalAmount1000: 12_500,
        totalCurrencyCode: 'BRL',
        message: 'Please',
      },
    },
    'Order: 2 items, 12.50 BRL\nPlease',
    { kind: 'order', payload: { id: '77', item_count: 2, total: 12_500, currency: 'BRL' } },
  ],
  'an event': [
    { eventMessage: { name: 'Party', startTime: 1_795_370_400 } },
    'Event: Party, 2026-11-22T18:00:00.000+00:00',
    {
      kind: 'event',
      payload: { name: 'Party', description: null, starts_at: '2026-11-22T18:00:00.000+00:00' },
    },
  ],
  'a product': [
    { productMessage: { product: { title: 'Shoe' }, body: 'Is it there?' } },
    'Product: Shoe\nIs it there?',
    undefined,
  ],
  'an invitation to a group': [
    { groupInviteMessage: { groupName: 'Runners', caption: 'Join us' } },
    'Invitation to a group: Runners\nJoin us',
    undefined,
  ],
  'a text that mentions a group': [
    { groupMentionedMessage: { message: { conversation: 'hello all' } } },
    'hello all',
    undefined,
  ],
  'a text to a bot': [
    { botInvokeMessage: { message: { extendedTextMessage: { text: '@Meta AI hi' } } } },
    '@Meta AI hi',
    undefined,
  ],
};

describe('a message without a file', () => {
  it('says in words and in fields what it is', async () => {
    const harness = await linked();
    for (const [what, [sent, text, detail]] of Object.entries(TEXTS)) {
      const { content, detail: said } = await reported(harness, sent);
      expect({ what, content, detail: said }).toEqual({ what, content: { type: 'text', text }, detail });
    }
    expect(Object.fromEntries(harness.network.gateway.skipped())).not.toHaveProperty('locationMessage');
  });
});

describe('a file that completes another message', () => {
  const file = { type: 'image', mimeType: 'image/jpeg', bytes: new Uint8Array(100).fill(1) } as const;

  const PARTS = [
    'HD_IMAGE_DUAL_UPLOAD',
    'HD_VIDEO_DUAL_UPLOAD',
    'MOTION_PHOTO',
    'EVENT_COVER_IMAGE',
  ] as const;

  it('is no message of its own', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const id = await wa.inbound(reader, account, { ...file, caption: 'the house' });
    for (const as of PARTS) await wa.inbound(reader, account, { ...file, completes: { id, as } });
    await wa.inbound(reader, account, 'after them');
    await link.first('message', ({ message }) => textOf(message) === 'after them');
    expect(link.all('message').map(({ message }) => textOf(message))).toEqual([undefined, 'after them']);
    expect(network.gateway.skipped().get('MOTION_PHOTO')).toBe(1);
  });

  const IN_HD = [
    ['image', 'HD_IMAGE_DUAL_UPLOAD'],
    ['video', 'HD_VIDEO_DUAL_UPLOAD'],
  ] as const;

  it.each(isLongForm ? IN_HD : IN_HD.slice(0, 1))(
    'is a better copy of the file if it is the %s in HD',
    async (type, as) => {
      const { network, link } = await linked();
      const { wa, account, reader } = network;
      const id = await wa.inbound(reader, account, { ...file, type });
      const bytes = new Uint8Array(500).fill(2);
      await wa.inbound(reader, account, { ...file, type, bytes, completes: { id, as } });
      const { activity } = await link.first('activity');
      const author = reader.lidJid;
      expect(activity).toMatchObject({ kind: 'media_update', about: id, author, own: false, type });
      if (activity.kind !== 'media_update') return;
      const content = await link.connection().openFile?.(activity.reference);
      expect(await new Response(content).bytes()).toEqual(bytes);
    },
  );

  it.runIf(isLongForm)('is a message of its own if it is a picture of an album', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const id = await wa.inbound(reader, account, { ...file, completes: { id: '3EB0A', as: 'MEDIA_ALBUM' } });
    expect(await link.first('message', ({ message }) => message.networkId === id)).toBeDefined();
  });
});

describe('a message with a file', () => {
  const FILES: readonly (readonly [string, proto.IMessage, object])[] = [
    [
      'an animated sticker',
      { lottieStickerMessage: { message: { stickerMessage: { ...media, isLottie: true } } } },
      { content: { type: 'image' }, detail: { kind: 'sticker', payload: { animated: true } } },
    ],
    [
      'a voice message',
      { audioMessage: { ...media, mimetype: 'audio/ogg; codecs=opus', ptt: true, seconds: 4 } },
      { content: { type: 'audio' }, detail: { kind: 'voice', payload: { seconds: 4 } } },
    ],
    [
      'a round video',
      { ptvMessage: { ...media, mimetype: 'video/mp4', seconds: 9 } },
      { content: { type: 'video' }, detail: { kind: 'video_note', payload: { seconds: 9 } } },
    ],
    [
      'a picture above buttons',
      { buttonsMessage: { imageMessage: media, contentText: 'Buy?', buttons: [{ buttonId: 'b' }] } },
      {
        content: { type: 'image', caption: 'Buy?' },
        detail: { kind: 'interactive', payload: { buttons: [{ id: 'b', title: '' }] } },
      },
    ],
  ];

  it('has the kind of its file', async () => {
    const harness = await linked();
    for (const [what, sent, expected] of FILES) {
      const { content, detail } = await reported(harness, sent);
      expect({ what, content, detail }).toMatchObject({ what, ...expected });
    }
    const { detail } = await reported(harness, { imageMessage: media });
    expect(detail).toBeUndefined();
  });
});

describe('what a stranger puts into the fields of a message', () => {
  it.runIf(isLongForm)('is stored as far as a database and JSON can hold it', async () => {
    const harness = await linked();
    const endless = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const form = { nativeFlowResponseMessage: { name: 'a\0b', paramsJson: endless } };
    expect((await reported(harness, { interactiveResponseMessage: form })).detail).toEqual({
      kind: 'form_reply',
      payload: { name: 'ab', values: null },
    });
    const nowhere = { degreesLatitude: NaN, degreesLongitude: 1e300, name: 'a\0b' };
    const { content, detail } = await reported(harness, { locationMessage: nowhere });
    expect({ content, detail }).toEqual({
      content: { type: 'text', text: 'Location: ab' },
      detail: undefined,
    });
    const contacts = Array.from({ length: 2_000 }, () => ({ displayName: 'x'.repeat(5_000) }));
    const cards = await reported(harness, { contactsArrayMessage: { contacts } });
    expect(JSON.stringify(cards.detail).length).toBeLessThan(400_000);
    const order = { orderId: '1', itemCount: -1, totalAmount1000: -5, totalCurrencyCode: 'x'.repeat(99) };
    expect((await reported(harness, { orderMessage: order })).detail).toMatchObject({
      payload: { item_count: null, total: null, currency: 'x'.repeat(10) },
    });
  });
});

describe('who wrote, when, and about what', () => {
  it('is said by a person’s LID, number, name and username', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, 'known', { sentAt: Date.UTC(2026, 10, 22, 9) });
    const { message } = await link.first('message');
    expect(message).toMatchObject({
      sentAt: Date.UTC(2026, 10, 22, 9),
      replyTo: null,
      contact: {
        networkId: reader.lidJid,
        aliases: [reader.jid],
        phoneNumber: reader.phoneNumber,
        name: 'Bob',
        username: null,
      },
    });
    const hidden = wa.person('5511955550001', { hidesNumber: true, username: 'ann.a', name: 'Ann' });
    await wa.inbound(hidden, account, 'hidden');
    const isHidden = (report: { message: IncomingMessage }): boolean => textOf(report.message) === 'hidden';
    expect((await link.first('message', isHidden)).message).toMatchObject({
      from: null,
      contact: { networkId: hidden.lidJid, aliases: [], phoneNumber: null, name: 'Ann', username: 'ann.a' },
    });
    const business = wa.person('5511955550002', { name: 'me', verifiedName: 'Acme' });
    await wa.inbound(business, account, 'business');
    const isBusiness = (report: { message: IncomingMessage }): boolean =>
      textOf(report.message) === 'business';
    expect((await link.first('message', isBusiness)).message.contact).toMatchObject({ name: 'Acme' });
  });

  it.runIf(isLongForm)('is the same person whether the network names the LID or the number', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    await wa.inbound(reader, account, 'by LID');
    await wa.inbound(reader, account, 'by number', { addressing: 'pn' });
    await link.first('message', ({ message }) => textOf(message) === 'by number');
    const [first, second] = link.all('message').map(({ message }) => message.contact);
    expect(second).toEqual(first);
  });

  it.runIf(isLongForm)('is said in groups, too', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const ann = wa.person('5511955550003', { hidesNumber: true, username: 'ann' });
    const group = wa.group({ subject: 'Team', members: [reader, ann, account] });
    await wa.inbound(ann, account, 'hi', { group });
    expect((await link.first('message')).message).toMatchObject({
      groupNetworkId: group.jid,
      contact: { networkId: ann.lidJid, phoneNumber: null, username: 'ann' },
    });
  });

  it.runIf(isLongForm)('names the message that another one replies to', async () => {
    const { network, link } = await linked();
    const { wa, account, reader } = network;
    const to = { id: '3EB0AAAAAAAAAAAA11', author: account.lidJid ?? '' };
    await wa.inbound(reader, account, { type: 'reply', text: 'yes, that one', to });
    expect((await link.first('message')).message).toMatchObject({
      content: { type: 'text', text: 'yes, that one' },
      replyTo: '3EB0AAAAAAAAAAAA11',
    });
    const contextInfo = { stanzaId: 'STATUS', remoteJid: 'status@broadcast' };
    const message = { extendedTextMessage: { text: 'nice picture', contextInfo } };
    await wa.inbound(reader, account, { type: 'raw', message });
    const isAboutStatus = (report: { message: IncomingMessage }): boolean =>
      textOf(report.message) === 'nice picture';
    expect((await link.first('message', isAboutStatus)).message.replyTo).toBeNull();
  });
});
