import { describe, expect, it } from 'vitest';
import type { MessageResource, SendInput } from '../src/index.ts';
import { connected, HOUR, receivedEvents, SECOND } from './support/harness.ts';
import type { Harness } from './support/harness.ts';
import { ADA, ADAS } from './support/acting.ts';
import { bytesOf, PNG } from './support/media.ts';
import { memoryStorage } from './support/memory-storage.ts';
import { scriptedGateway } from './support/scripted-gateway.ts';
import type { ScriptedGateway } from './support/scripted-gateway.ts';

const KINDS = ['locations', 'contacts', 'polls', 'stickers', 'mentions'] as const;
const PLACE = { latitude: 40.4168, longitude: -3.7038, name: 'Puerta del Sol', address: null };
const LUNCH = { question: 'Lunch?', options: ['yes', 'no'] };
const ANN = { name: 'Ann, the baker', phone_numbers: ['+34 600 000 001', 'ext. 7'] };
const ANNS_CARD =
  'BEGIN:VCARD\nVERSION:3.0\nN:;Ann\\, the baker;;;\nFN:Ann\\, the baker\nTEL;type=CELL;waid=34600000001:+34 600 000 001\nTEL;type=CELL:ext. 7\nEND:VCARD';

interface Setup {
  readonly harness: Harness;
  readonly gateway: ScriptedGateway;
  readonly instance: string;
  /** Takes anything, as REST does. */
  send(fields: object, idempotencyKey?: string): Promise<MessageResource>;
}

async function start(capabilities: ScriptedGateway['capabilities'] = KINDS): Promise<Setup> {
  const gateway: ScriptedGateway = {
    ...scriptedGateway(),
    capabilities: ['text', 'image', 'audio', 'groups', ...capabilities],
  };
  const { harness, id: instance } = await connected({ gateway, storage: memoryStorage() });
  return {
    harness,
    gateway,
    instance,
    async send(fields, idempotencyKey) {
      const input = { instance, to: ADA, ...fields } as unknown as SendInput;
      return (await harness.api.messages.send(input, { idempotencyKey })).message;
    },
  };
}

/** A WebP file of the extended format, with these flags. */
function webp(flags: number, size = 64): Blob {
  const bytes = new Uint8Array(size);
  bytes.set(new TextEncoder().encode('RIFF....WEBPVP8X'));
  bytes[20] = flags;
  return new Blob([bytes]);
}

describe('a message of a kind', () => {
  it.each([
    ['location', PLACE, PLACE, 'Location: Puerta del Sol, 40.4168,-3.7038'],
    ['poll', LUNCH, { ...LUNCH, multiple: false }, 'Poll: Lunch? (yes, no)'],
    ['poll', { ...LUNCH, multiple: true }, { ...LUNCH, multiple: true }, 'Poll: Lunch? (yes, no)'],
    [
      'contact',
      { contacts: [ANN] },
      { contacts: [{ ...ANN, vcard: ANNS_CARD }] },
      'Contact: Ann, the baker, +34 600 000 001, ext. 7',
    ],
    [
      'contact',
      { contacts: [{ name: 'Ann', phone_numbers: null, vcard: ANNS_CARD }] },
      { contacts: [{ name: 'Ann', phone_numbers: ANN.phone_numbers, vcard: ANNS_CARD }] },
      'Contact: Ann, +34 600 000 001, ext. 7',
    ],
  ] as const)('is sent and shown in the shape of a received one: %s', async (kind, payload, shown, text) => {
    const { harness, gateway, send } = await start();
    await harness.api.webhooks.create({ url: 'https://hooks.example.com/', events: ['message.sent'] });
    const message = await send({ kind, payload });
    expect(message).toMatchObject({ type: 'text', kind, payload: shown, text, caption: null, media: null });
    await harness.clock.advance(SECOND);
    expect(gateway.sent()).toMatchObject([
      { content: { type: 'text', text }, detail: { kind, payload: shown } },
    ]);
    expect(receivedEvents(harness).slice(-1)).toMatchObject([
      { type: 'message.sent', data: { message: { type: 'text', kind, payload: shown, text } } },
    ]);
    // The payload of a received message can be sent on.
    expect((await send({ kind, type: 'text', payload: message.payload })).payload).toEqual(message.payload);
  });

  it.each([
    ['location', { longitude: 0 }, { 'payload.latitude': ['Is required.'] }],
    ['location', { ...PLACE, latitude: 90.1, name: ' ' }, { 'payload.latitude': 1, 'payload.name': 1 }],
    ['location', { ...PLACE, longitude: NaN }, { 'payload.longitude': 1 }],
    ['location', undefined, { payload: ['Is required.'] }],
    ['location', 'here', { payload: 1 }],
    ['poll', { ...LUNCH, options: ['yes'] }, { 'payload.options': ['Must have at least 2 answers.'] }],
    ['poll', { ...LUNCH, options: ['a', 'a'] }, { 'payload.options': ['Must have no answer twice.'] }],
    ['poll', { ...LUNCH, options: 'abcdefghijklm'.split('') }, { 'payload.options': 1 }],
    ['poll', { ...LUNCH, options: ['a', 'b'.repeat(101)] }, { 'payload.options.1': 1 }],
    [
      'poll',
      { ...LUNCH, question: 'q'.repeat(256), multiple: 'no' },
      { 'payload.question': 1, 'payload.multiple': 1 },
    ],
    ['contact', { contacts: [] }, { 'payload.contacts': ['Must have at least one card.'] }],
    [
      'contact',
      { contacts: [{ name: 'Ann' }] },
      { 'payload.contacts.0': ['Must have phone_numbers or a vcard.'] },
    ],
    ['contact', { contacts: [ANN, { ...ANN, vcard: 'Ann' }] }, { 'payload.contacts.1.vcard': 1 }],
    ['contact', { contacts: [{ ...ANN, name: 'Ann\nTEL:1' }] }, { 'payload.contacts.0.name': 1 }],
    [
      'contact',
      { contacts: [{ name: 'Ann', phone_numbers: ['1\n2'] }] },
      { 'payload.contacts.0.phone_numbers.0': 1 },
    ],
    ['contact', { contacts: Array.from({ length: 21 }, () => ANN) }, { 'payload.contacts': 1 }],
  ] as const)('is refused by field: %s %j', async (kind, payload, wrong) => {
    const { send } = await start();
    const fields = Object.fromEntries(
      Object.entries(wrong).map(([field, why]) => [field, why === 1 ? [expect.any(String)] : why]),
    );
    await expect(send({ kind, payload })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields },
    });
  });

  it('has the type of its kind and no text of its own', async () => {
    const { send } = await start();
    const location = { kind: 'location', payload: PLACE };
    const fields = (name: string): object => ({ details: { fields: { [name]: [expect.any(String)] } } });
    await expect(send({ ...location, type: 'image' })).rejects.toMatchObject(fields('type'));
    await expect(send({ ...location, text: 'Here' })).rejects.toMatchObject(fields('text'));
    await expect(send({ ...location, mentions: [ADA] })).rejects.toMatchObject(fields('mentions'));
    await expect(send({ type: 'text', text: 'Here', payload: PLACE })).rejects.toMatchObject(
      fields('payload'),
    );
    await expect(send({ payload: PLACE })).rejects.toMatchObject(fields('type'));
    expect(await send({ ...location, text: null, type: null })).toMatchObject({ kind: 'location' });
    for (const unknown of [{ kind: 'live_location' }, { kind: 'toString' }, { type: 'location' }])
      await expect(send({ payload: PLACE, ...unknown })).rejects.toMatchObject({
        code: 'UNSUPPORTED_MESSAGE_TYPE',
      });
  });

  it.each([
    ['locations', { kind: 'location', payload: PLACE }],
    ['contacts', { kind: 'contact', payload: { contacts: [ANN] } }],
    ['polls', { kind: 'poll', payload: LUNCH }],
    ['stickers', { kind: 'sticker', file: webp(0) }],
    ['mentions', { type: 'text', text: `Hi @${ADA}`, mentions: [ADA] }],
  ] as const)('is refused on a network without %s', async (capability, fields) => {
    const { send } = await start(KINDS.filter((one) => one !== capability));
    await expect(send(fields)).rejects.toMatchObject({ code: 'UNSUPPORTED_MESSAGE_TYPE', status: 422 });
    await expect((await start([])).send(fields)).rejects.toMatchObject({ code: 'UNSUPPORTED_MESSAGE_TYPE' });
    expect(await (await start([capability])).send(fields)).toMatchObject({ status: 'queued' });
  });

  it('is another request than one with another payload, under the same idempotency key', async () => {
    const { send, harness } = await start();
    const first = await send({ kind: 'poll', payload: LUNCH }, 'k');
    expect(
      await send({ kind: 'poll', type: 'text', payload: { ...LUNCH, multiple: false } }, 'k'),
    ).toMatchObject({ id: first.id });
    for (const payload of [
      { ...LUNCH, multiple: true },
      { ...LUNCH, options: ['no', 'yes'] },
    ])
      await expect(send({ kind: 'poll', payload }, 'k')).rejects.toMatchObject({
        code: 'IDEMPOTENCY_KEY_REUSED',
      });
    expect((await harness.api.messages.list()).data).toHaveLength(1);
  });

  it('is scheduled, replies, shows no typing, and cannot be edited', async () => {
    const { harness, gateway, send } = await start([...KINDS, 'edits']);
    const replyTo = await received(harness, gateway);
    const sendAt = new Date(harness.clock.now() + HOUR).toISOString();
    const { id } = await send({ kind: 'location', payload: PLACE, reply_to: replyTo, send_at: sendAt });
    await expect(harness.api.messages.edit(id, { text: 'There' })).rejects.toMatchObject({
      code: 'INVALID_MESSAGE_STATE',
    });
    await harness.clock.advance(HOUR - 1);
    expect(gateway.sent()).toEqual([]);
    await harness.clock.advance(SECOND);
    expect(gateway.sent()).toMatchObject([
      {
        detail: { kind: 'location', payload: PLACE },
        replyTo: { networkId: 'IN1', senderId: ADAS.networkId },
      },
    ]);
    expect(gateway.sent()[0]).not.toHaveProperty('typingMs');
    expect(await harness.api.messages.get(id)).toMatchObject({ status: 'sent', payload: PLACE });
  });
});

describe('a sticker', () => {
  it.each([
    [webp(0x02), true],
    [webp(0x10), false],
  ])('is an image that says whether it moves', async (file, animated) => {
    const { harness, gateway, send } = await start();
    const message = await send({ kind: 'sticker', file });
    const media = { mime_type: 'image/webp', size: 64, available: true };
    expect(message).toMatchObject({
      type: 'image',
      kind: 'sticker',
      payload: { animated },
      caption: null,
      media,
    });
    await harness.clock.advance(SECOND);
    expect(gateway.sent()).toMatchObject([
      { content: { type: 'image', caption: null }, detail: { kind: 'sticker', payload: { animated } } },
    ]);
    expect(await bytesOf(gateway.sent()[0]?.content)).toHaveLength(64);
  });

  it('is refused with words, as another type, or as another file', async () => {
    const { send } = await start();
    const refused = async (fields: object): Promise<unknown> =>
      send({ kind: 'sticker', file: webp(0), ...fields }).catch((error: unknown) => error);
    expect(await refused({ caption: 'Hi' })).toMatchObject({
      details: { fields: { caption: expect.any(Array) } },
    });
    expect(await refused({ text: 'Hi' })).toMatchObject({ details: { fields: { text: expect.any(Array) } } });
    expect(await refused({ type: 'document' })).toMatchObject({
      details: { fields: { type: expect.any(Array) } },
    });
    expect(await refused({ mentions: [ADA] })).toMatchObject({
      details: { fields: { mentions: expect.any(Array) } },
    });
    expect(await refused({ file: new Blob(['not a picture']) })).toMatchObject({
      code: 'INVALID_MEDIA_TYPE',
    });
    expect(await refused({ file: new Blob([PNG]) })).toMatchObject({ code: 'INVALID_MEDIA_TYPE' });
    expect(await refused({ file: webp(0, 1_048_577) })).toMatchObject({ code: 'MEDIA_TOO_LARGE' });
    expect(await refused({ file: undefined })).toMatchObject({
      details: { fields: { file: expect.any(Array) } },
    });
    const withoutFile = { kind: 'sticker', to: ADA };
    await expect(send(withoutFile)).rejects.toMatchObject({ code: 'UNSUPPORTED_MESSAGE_TYPE' });
  });
});

describe('mentions', () => {
  it('reach the network with what is known of each person, with a text and after an edit of it', async () => {
    const { harness, gateway, send } = await start([...KINDS, 'edits']);
    await received(harness, gateway);
    const { contact } = await harness.api.messages.list().then(({ data }) => data[0] ?? { contact: null });
    const id = contact?.id ?? '';
    const text = `Ask @${id} or @34600000010`;
    const message = await send({ type: 'text', text, mentions: [id, '+34 600 000 010', '34600000010'] });
    expect(message).toMatchObject({ text, payload: { mentions: [id, '34600000010'] } });
    await harness.clock.advance(SECOND);
    const mentions = [
      { written: id, number: ADA, networkId: ADAS.networkId },
      { written: '34600000010', number: '34600000010', networkId: null },
    ];
    expect(gateway.sent()).toMatchObject([{ content: { type: 'text', text }, mentions }]);
    await harness.api.messages.edit(message.id, { text: `Ask @${id}` });
    await harness.clock.advance(SECOND);
    expect(gateway.acted()).toMatchObject([{ deed: { kind: 'edit', text: `Ask @${id}`, mentions } }]);
  });

  it('are part of the caption of a picture, and make it another request', async () => {
    const { send } = await start();
    const picture = { type: 'image', file: new Blob([PNG]), caption: `@${ADA}` };
    expect(await send({ ...picture, mentions: ADA }, 'k')).toMatchObject({ payload: { mentions: [ADA] } });
    await expect(send(picture, 'k')).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    const text = { type: 'text', text: `@${ADA}` };
    expect(await send({ ...text, mentions: [ADA], link_preview: false }, 'l')).toMatchObject({
      payload: { mentions: [ADA], link_preview: false },
    });
    await expect(send({ ...text, link_preview: false }, 'l')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(await send({ ...text, mentions: [] })).toMatchObject({ payload: null });
    expect(await send({ ...text, mentions: null })).toMatchObject({ payload: null });
  });

  it.each([
    [{ mentions: ['Ada'] }],
    [{ mentions: [ADA, 'grp_01kaj2p9v6e8gr5d0mz7q4xw1c'] }],
    [{ mentions: ['con_01kaj2p9v6e8gr5d0mz7q4xw1c'] }],
    [{ mentions: ['con_nobody'] }],
    [{ mentions: Array.from({ length: 257 }, (_, index) => `3460000${1000 + index}`) }],
    [{ mentions: { ada: true } }],
    [{ mentions: [ADA], type: 'image', text: null, file: new Blob([PNG]) }],
    [
      {
        mentions: [ADA],
        type: 'audio',
        text: null,
        caption: 'Hi',
        file: new Blob(['OggS', new Uint8Array(24), 'OpusHead']),
      },
    ],
  ])('are refused by field: %j', async (fields) => {
    const { send } = await start();
    await expect(send({ type: 'text', text: 'Hi', ...fields })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { fields: { mentions: [expect.any(String)] } },
    });
  });
});

/** Receives a message from Ada, and returns its id. */
async function received(harness: Harness, gateway: ScriptedGateway): Promise<string> {
  await gateway.last().listener.message({
    networkId: 'IN1',
    senderId: ADAS.networkId,
    from: ADA,
    groupNetworkId: null,
    contact: ADAS,
    content: { type: 'text', text: 'Where?' },
  });
  return (await harness.api.messages.list({ direction: 'inbound' })).data[0]?.id ?? '';
}
