import { memoryMediaStore } from '@trunkline/core/testing';
import { describe, expect, test } from 'vitest';
import { textOf } from './client.ts';
import type { Call, Json, Seen } from './client.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';

const ADA = '34600000009';
const PLACE = { latitude: 40.4168, longitude: -3.7038, name: 'Puerta del Sol', address: null };

/** A moving WebP picture. */
function sticker(): File {
  const bytes = new Uint8Array(64);
  bytes.set(new TextEncoder().encode('RIFF....WEBPVP8X'));
  bytes[20] = 0x02;
  return new File([bytes], 'wave.webp');
}

interface Ready {
  readonly service: Service;
  readonly call: Call;
  readonly instance: string;
  readonly post: (fields: object) => Promise<Seen>;
  readonly postForm: (fields: Readonly<Record<string, string | File>>) => Promise<Seen>;
}

async function ready(): Promise<Ready> {
  const service = await startService({ media: memoryMediaStore() });
  const { call } = await service.newWorkspace();
  const instance = await service.connected(call);
  return {
    service,
    call,
    instance,
    post: (fields) => call('POST', '/messages', { json: { instance, to: ADA, ...fields } }),
    postForm(fields) {
      const form = new FormData();
      for (const [name, value] of Object.entries({ instance, to: ADA, ...fields })) form.append(name, value);
      return call('POST', '/messages', { body: form });
    },
  };
}

describe('a message with a kind', () => {
  test('is sent, and looks to readers of the specification like a text', async () => {
    const { service, call, instance, post } = await ready();
    await call('POST', '/webhooks', {
      json: { url: 'https://hooks.example.com/in', events: ['message.sent'] },
    });
    const seen = await post({ kind: 'location', payload: PLACE });
    const shown = {
      type: 'text',
      text: 'Location: Puerta del Sol, 40.4168,-3.7038',
      kind: 'location',
      payload: PLACE,
    };
    expect(seen).toMatchObject({ status: 202, json: { data: { ...shown, status: 'queued' } } });
    await service.clock.advance(1_000);
    const body: Json = JSON.parse(service.receivers.requests.at(-1)?.body ?? '');
    expect(body['data']).toMatchObject({ message: { ...shown, status: 'sent' } });
    expect(service.sandbox.phone(instance).accepted()).toMatchObject([
      { text: shown.text, detail: { kind: 'location', payload: PLACE } },
    ]);
    const id = textOf(seen.json.data?.id);
    expect((await call('GET', `/messages/${id}`)).json.data).toMatchObject(shown);
    expect((await call('GET', '/messages?type=text')).json['data']).toMatchObject([{ id }]);
  });

  test('names each wrong field of its payload', async () => {
    const { post } = await ready();
    const poll = { question: ' ', options: ['a', 7] };
    expect(await post({ kind: 'poll', payload: poll })).toMatchObject({
      status: 422,
      code: 'VALIDATION_FAILED',
      json: {
        error: {
          details: {
            fields: { 'payload.question': [expect.any(String)], 'payload.options.1': [expect.any(String)] },
          },
        },
      },
    });
  });

  test('is refused in the wrong content type', async () => {
    const { post, postForm } = await ready();
    const refused = { status: 422, code: 'UNSUPPORTED_MESSAGE_TYPE' };
    expect(await post({ kind: 'sticker' })).toMatchObject(refused);
    expect(await postForm({ kind: 'location', file: sticker() })).toMatchObject(refused);
  });
});

test.each([
  ['before', (file: File) => ({ kind: 'sticker', file })],
  ['after', (file: File) => ({ file, kind: 'sticker', type: 'image' })],
])('a sticker is sent as a form whose file comes %s its kind', async (_, fields) => {
  const { service, instance, call, postForm } = await ready();
  const seen = await postForm(fields(sticker()));
  expect(seen).toMatchObject({
    status: 202,
    json: {
      data: { type: 'image', kind: 'sticker', payload: { animated: true }, media: { filename: 'wave.webp' } },
    },
  });
  await service.clock.advance(1_000);
  expect(service.sandbox.phone(instance).accepted()).toMatchObject([
    {
      file: { type: 'image', mimeType: 'image/webp' },
      detail: { kind: 'sticker', payload: { animated: true } },
    },
  ]);
  const file = await call('GET', `/messages/${textOf(seen.json.data?.id)}/media`);
  expect(file.status).toBe(200);
});

test('people are mentioned in a text, and in the caption of a file by a list with commas', async () => {
  const { service, instance, post, postForm } = await ready();
  const mentions = [ADA, '34600000010'];
  const text = `@${ADA} and @34600000010, look`;
  const [first, second] = mentions.map((number) => ({ written: number, number }));
  expect(await post({ type: 'text', text, mentions })).toMatchObject({
    status: 202,
    json: { data: { kind: 'text', payload: { mentions } } },
  });
  expect(
    await postForm({
      type: 'image',
      caption: text,
      mentions: '+34 600 000 009, 34600000010',
      file: sticker(),
    }),
  ).toMatchObject({ status: 202, json: { data: { kind: 'image', payload: { mentions } } } });
  await service.clock.advance(1_000);
  expect(service.sandbox.phone(instance).accepted()).toMatchObject([
    { text, mentions: [first, second] },
    { text, mentions: [first, second] },
  ]);
});
