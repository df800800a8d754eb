import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { WebhookContact, WebhookEvent } from '@trunkline/receiver';
import { messageIdOf, recipientOf } from '../src/addresses.ts';
import type { Context, Form } from '../src/form.ts';
import { evolutionForm } from '../src/forms/evolution.ts';
import { openwaForm } from '../src/forms/openwa.ts';
import { wahaForm } from '../src/forms/waha.ts';
import { EXAMPLES, receivedWith } from './events.ts';

const destination = 'https://shop.example.com/hook';
const FORMS = {
  waha: wahaForm(),
  evolution: evolutionForm({ destination, serverUrl: 'https://wa.example.com' }),
  openwa: openwaForm(),
};

const context: Context = {
  sessionOf: () => 'default',
  mediaUrlOf: (id) => `https://wa.example.com/api/v1/messages/${id}/media`,
  readQr: async () => ({ code: '2@abc', svg: '<svg/>', pairingCode: null }),
};

async function bodies(form: Form, event: WebhookEvent): Promise<readonly unknown[]> {
  return (await form.convert(event, context)).map(({ body }) => body);
}

// The fixtures are the webhooks that a consumer gets for the examples of the OpenAPI document. To regenerate them, run
// `npx --yes pnpm@12 test examples/coming-from -u`
describe.each(Object.entries(FORMS))('in the form of %s', (name, form) => {
  it('each event has the body of the fixtures', async () => {
    const converted: Record<string, unknown> = {};
    for (const event of EXAMPLES) converted[event.type] = await bodies(form, event);
    await expect(`${JSON.stringify(converted, null, 2)}\n`).toMatchFileSnapshot(`fixtures/${name}.json`);
  });

  it('an event that is tried again has the same bodies', async () => {
    for (const event of EXAMPLES) expect(await bodies(form, event)).toEqual(await bodies(form, event));
  });
});

/** Unlike `toMatchObject`, accepts no additional fields. */
const exactly = (value: object): unknown => ({
  asymmetricMatch: (other: unknown) => isDeepStrictEqual(other, value),
});

const hidden: WebhookContact = {
  id: 'con_9',
  name: 'Bo',
  phone_number: null,
  dialled_numbers: [],
  username: null,
};
const voice = receivedWith({
  type: 'audio',
  kind: 'voice',
  payload: { seconds: 4 },
  text: null,
  media: { available: true, mime_type: 'audio/ogg', size: 900, filename: 'voice.ogg', sha256: 'ab' },
});
const late = receivedWith({
  type: 'document',
  kind: 'document',
  text: null,
  caption: 'The invoice',
  media: { available: false, mime_type: 'application/pdf', size: null, filename: 'a.pdf', sha256: null },
});
const inGroup = receivedWith({ group_id: 'grp_7', to: '15550100' });
const fromHidden = receivedWith({ from: null, contact: hidden });
const place = receivedWith({
  kind: 'location',
  payload: { latitude: 40.41, longitude: -3.7, name: 'Plaza Mayor', address: null },
});
const card = receivedWith({
  kind: 'contact',
  payload: { contacts: [{ name: 'Cy', phone_numbers: ['+1 555 0188'], vcard: 'BEGIN:VCARD' }] },
});

describe('WAHA: the payload of a message', () => {
  const payloadOf = async (event: WebhookEvent): Promise<unknown> =>
    Object(Object(await bodies(FORMS.waha, event))[0]).payload;

  // WAMessage in src/structures/responses.dto.ts of devlikeapro/waha.
  it('has the fields of WAMessage', async () => {
    expect(Object.keys(Object(await payloadOf(voice)))).toEqual(
      expect.arrayContaining([
        'id',
        'timestamp',
        'from',
        'fromMe',
        'to',
        'participant',
        'body',
        'hasMedia',
        'media',
        'ack',
        'ackName',
        'location',
        'vCards',
        'replyTo',
        '_data',
      ]),
    );
  });

  it.each([
    [
      'of a group names the group, and who wrote',
      inGroup,
      { from: 'grp_7@g.us', participant: '15550123@c.us' },
    ],
    [
      'of somebody whose number is hidden names the contact',
      fromHidden,
      { from: 'con_9@lid', participant: null },
    ],
    [
      'with a file says where it is',
      voice,
      {
        hasMedia: true,
        media: {
          url: expect.stringMatching(/\/messages\/msg_\w+\/media$/),
          mimetype: 'audio/ogg',
          error: null,
        },
      },
    ],
    [
      'whose file has not arrived has no URL',
      late,
      { body: 'The invoice', hasMedia: true, media: { url: null, error: { message: expect.any(String) } } },
    ],
    [
      'with a place',
      place,
      { location: { latitude: '40.41', longitude: '-3.7', description: 'Plaza Mayor' } },
    ],
    ['with a contact card', card, { vCards: ['BEGIN:VCARD'] }],
  ])('%s', async (_title, event, expected) => {
    expect(await payloadOf(event)).toMatchObject(expected);
  });

  it('reports receipts of a group as message.ack.group', async () => {
    const read = EXAMPLES.find(({ type }) => type === 'message.read');
    if (read?.type !== 'message.read') throw new Error('There is no example of message.read.');
    const event = { ...read, data: { message: { ...read.data.message, group_id: 'grp_7' } } };
    expect(await bodies(FORMS.waha, event)).toMatchObject([{ event: 'message.ack.group' }]);
  });
});

describe('Evolution API: the data of a message', () => {
  const dataOf = async (event: WebhookEvent): Promise<unknown> =>
    Object(Object(await bodies(FORMS.evolution, event))[0]).data;

  it.each([
    [
      'of a group names the group, and who wrote',
      inGroup,
      { key: { remoteJid: 'grp_7@g.us', participant: '15550123@s.whatsapp.net', fromMe: false } },
    ],
    [
      'of somebody whose number is hidden names the contact',
      fromHidden,
      { key: { remoteJid: 'con_9@lid' }, pushName: 'Bo' },
    ],
    [
      'with a voice message',
      voice,
      {
        messageType: 'audioMessage',
        message: {
          audioMessage: { mimetype: 'audio/ogg', fileLength: '900', ptt: true, seconds: 4 },
          mediaUrl: expect.stringMatching(/\/media$/),
        },
      },
    ],
    [
      'whose file has not arrived has no URL',
      late,
      {
        message: exactly({
          documentMessage: { fileName: 'a.pdf', caption: 'The invoice', mimetype: 'application/pdf' },
        }),
      },
    ],
    [
      'with a place',
      place,
      { message: { locationMessage: { degreesLatitude: 40.41, degreesLongitude: -3.7 } } },
    ],
    [
      'with a contact card',
      card,
      { message: { contactMessage: { displayName: 'Cy', vcard: 'BEGIN:VCARD' } } },
    ],
  ])('%s', async (_title, event, expected) => {
    expect(await dataOf(event)).toMatchObject(expected);
  });

  it('goes to a path of its own by events', () => {
    const form = evolutionForm({ destination, serverUrl: '', byEvents: true });
    expect(form.urlOf?.({ id: '', event: 'messages.upsert', body: {} }, destination)).toBe(
      `${destination}/messages-upsert`,
    );
  });

  it('has no QR if it is gone by then', async () => {
    const qr = EXAMPLES.find(({ type }) => type === 'instance.qr_required');
    if (!qr) throw new Error('There is no example of instance.qr_required.');
    expect(await FORMS.evolution.convert(qr, { ...context, readQr: async () => null })).toEqual([]);
  });
});

describe('OpenWA: the data of a message', () => {
  const dataOf = async (event: WebhookEvent): Promise<unknown> =>
    Object(Object(await bodies(FORMS.openwa, event))[0]).data;

  it.each([
    [
      'of a group names the group, and who wrote',
      inGroup,
      { chatId: 'grp_7@g.us', isGroup: true, author: '15550123@c.us' },
    ],
    [
      'of somebody whose number is hidden names the contact',
      fromHidden,
      { chatId: 'con_9@lid', contact: { pushName: 'Bo' } },
    ],
    ['with a file leaves the file out', voice, { type: 'voice', media: { omitted: true, sizeBytes: 900 } }],
    ['with a place', place, { type: 'location', location: { latitude: 40.41 } }],
  ])('%s', async (_title, event, expected) => {
    expect(await dataOf(event)).toMatchObject(expected);
  });
});

it.each([
  ['15550123@c.us', '15550123'],
  ['15550123@s.whatsapp.net', '15550123'],
  ['grp_7@g.us', 'grp_7'],
  ['con_9@lid', 'con_9'],
])('the chat id %s leads back to the recipient %s', (chatId, recipient) => {
  expect(recipientOf(chatId)).toBe(recipient);
});

it.each([
  ['false_15550123@c.us_msg_01kaj2', 'msg_01kaj2'],
  ['true_grp_7@g.us_msg_01kaj2', 'msg_01kaj2'],
  ['msg_01kaj2', 'msg_01kaj2'],
])('the message id %s leads back to %s', (oldId, id) => {
  expect(messageIdOf(oldId)).toBe(id);
});
