import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { SCOPES } from '@trunkline/core';
import type { MediaStore } from '@trunkline/core';
import { memoryMediaStore } from '@trunkline/core/testing';
import { readForm } from '../src/form-body.ts';
import { createHttpApp } from '../src/index.ts';
import { client, textOf } from './client.ts';
import type { Call, Seen } from './client.ts';
import { idOf, startService } from './service.ts';
import type { Service } from './service.ts';

const PNG = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
  0, 0, 0,
]);
const AMR = new TextEncoder().encode('#!AMR\nnot much of a song');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Ready {
  readonly service: Service;
  readonly media: ReturnType<typeof memoryMediaStore>;
  readonly call: Call;
  readonly instance: string;
  /** Sends a valid image with the given changes; undefined leaves a part out. */
  readonly send: (parts?: Parts, headers?: Record<string, string>) => Promise<Seen>;
}

type Parts = Readonly<Record<string, string | Blob | undefined>>;

async function ready(): Promise<Ready> {
  const media = memoryMediaStore();
  const service = await startService({ media });
  const { call } = await service.newWorkspace();
  const instance = await service.connected(call);
  const send: Ready['send'] = (parts, headers = {}) => {
    const image = { instance, to: '+1 555 0100', type: 'image', file: file(PNG, 'me.png') };
    return call('POST', '/messages', { body: formOf({ ...image, ...parts }), headers });
  };
  return { service, media, call, instance, send };
}

function formOf(parts: Parts): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) if (value !== undefined) form.append(name, value);
  return form;
}

function file(bytes: Uint8Array, name: string): File {
  return new File([bytes.slice()], name);
}

/** A request with a body that FormData cannot produce. */
function raw(body: string): { body: string; headers: Record<string, string> } {
  return { body, headers: { 'Content-Type': 'multipart/form-data; boundary=XX' } };
}

describe('sending a file', () => {
  test('queues it with its details, and returns it byte for byte', async () => {
    const { call, send } = await ready();
    const sent = await send({ caption: 'That is me' });
    expect(sent.status).toBe(202);
    expect(sent.json.data).toMatchObject({
      type: 'image',
      status: 'queued',
      text: null,
      caption: 'That is me',
      media: {
        available: true,
        mime_type: 'image/png',
        size: PNG.length,
        filename: 'me.png',
        sha256: sha256(PNG),
      },
    });
    const own = await call('GET', `/messages/${idOf(sent.json)}/media`);
    expect(own.status).toBe(200);
    expect(own.headers.get('Content-Type')).toBe('image/png');
    expect(own.headers.get('Content-Length')).toBe(String(PNG.length));
    expect(own.headers.get('Content-Disposition')).toBe('attachment; filename=me.png');
    expect(own.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(own.headers.get('Content-Security-Policy')).toBe('sandbox');
    expect(own.headers.get('Cache-Control')).toBe('private, no-cache');
  });

  test('reaches the network and is reported to receivers', async () => {
    const { service, instance, call, send } = await ready();
    const sent = await send({ to: '15550100' });
    await service.clock.advance(2_000);
    expect((await call('GET', `/messages/${idOf(sent.json)}`)).json.data?.status).toBe('read');
    expect(service.sandbox.phone(instance).accepted()).toMatchObject([
      { file: { type: 'image', mimeType: 'image/png', filename: 'me.png', size: PNG.length } },
    ]);
  });

  test('takes its parts in any order', async () => {
    const { call, instance } = await ready();
    const parts = { file: file(PNG, 'a.png'), type: 'image', to: '15550100', instance };
    expect((await call('POST', '/messages', { body: formOf(parts) })).status).toBe(202);
  });

  test('reads the type from the first bytes, whatever the client calls it', async () => {
    const { send, media } = await ready();
    const refused = await send({ file: file(AMR, 'song.png') });
    expect(refused).toMatchObject({ status: 415, code: 'INVALID_MEDIA_TYPE' });
    expect((await send({ file: file(AMR, 'song.png'), type: 'audio' })).json.data?.media).toMatchObject({
      mime_type: 'audio/amr',
    });
    expect(
      (await send({ file: file(new Uint8Array(10), 'x'), type: 'document' })).json.data?.media,
    ).toMatchObject({
      mime_type: 'application/octet-stream',
    });
    expect(media.ids()).toHaveLength(2);
  });

  test('gives a document that the bytes do not identify its declared type, or that of its name', async () => {
    const { instance, send } = await ready();
    const csv = new File(['name;phone'], 'list.txt', { type: 'text/csv' });
    expect((await send({ type: 'document', file: csv })).json.data?.media).toMatchObject({
      mime_type: 'text/csv',
    });
    // `filename` comes after the file.
    const parts = { type: 'document', file: file(new Uint8Array(10), 'blob'), filename: 'a.ics' };
    expect((await send({ instance, ...parts })).json.data?.media).toMatchObject({
      mime_type: 'text/calendar',
      filename: 'a.ics',
    });
  });

  test('refuses an empty one by its field', async () => {
    const { send, media } = await ready();
    const refused = await send({ type: 'document', file: file(new Uint8Array(), 'a.txt') });
    expect(refused).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' });
    expect(refused.json.error?.details).toEqual({ fields: { file: ['Must not be empty.'] } });
    expect(media.ids()).toEqual([]);
  });

  test('names a file that has no name', async () => {
    const { send } = await ready();
    const sent = await send({ file: file(PNG, '') });
    const id = idOf(sent.json);
    expect(sent.json.data?.media).toMatchObject({ filename: `image-${id.slice(-6)}.png` });
    expect((await send({ filename: '../../etc/pass\u0007wd' })).json.data?.media).toMatchObject({
      filename: 'passwd',
    });
  });

  test('takes the name of the file in any script, and in any writing of it', async () => {
    const { send } = await ready();
    const sent = await send({ file: file(PNG, 'C:\\fakepath\\文档 "ü" – 👋.png') });
    expect(sent.json.data?.media).toMatchObject({ filename: '文档 "ü" – 👋.png' });
  });

  test('refuses a file larger than its type allows, while it streams, wherever the type is in the form', async () => {
    const { call, instance, send, media } = await ready();
    const large = new Uint8Array(5 * 1_048_576 + 1);
    large.set(PNG);
    expect(await send({ file: file(large, 'big.png') })).toMatchObject({
      status: 413,
      code: 'MEDIA_TOO_LARGE',
    });
    const typeLast = formOf({ instance, to: '15550100', file: file(large, 'big.png'), type: 'image' });
    expect(await call('POST', '/messages', { body: typeLast })).toMatchObject({
      status: 413,
      code: 'MEDIA_TOO_LARGE',
    });
    expect(media.ids()).toEqual([]);
  });

  test('refuses a body that declares more than the largest file and its form', async () => {
    const { call } = await ready();
    const declared = { ...raw('--XX').headers, 'Content-Length': String(101 * 1_048_576 + 1) };
    expect(await call('POST', '/messages', { body: '--XX', headers: declared })).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    });
  });

  test.each<[string, Parts, number, string, string?]>([
    ['no file', { file: undefined }, 422, 'VALIDATION_FAILED', 'file'],
    ['a text next to the file', { text: 'hi' }, 422, 'VALIDATION_FAILED', 'text'],
    ['a caption that is too long', { caption: 'x'.repeat(1025) }, 422, 'VALIDATION_FAILED', 'caption'],
    ['a text in place of the file', { file: 'me.png' }, 422, 'VALIDATION_FAILED', 'file'],
    [
      'a text in place of the file, for a document',
      { file: 'x', type: 'document' },
      422,
      'VALIDATION_FAILED',
      'file',
    ],
    ['no recipient', { to: undefined }, 422, 'VALIDATION_FAILED', 'to'],
    ['no type', { type: undefined }, 422, 'VALIDATION_FAILED', 'type'],
    ['a wrong recipient', { to: 'nobody' }, 422, 'INVALID_RECIPIENT'],
    ['an unknown type', { type: 'sticker' }, 422, 'UNSUPPORTED_MESSAGE_TYPE'],
    ['the type text', { type: 'text' }, 422, 'UNSUPPORTED_MESSAGE_TYPE'],
    [
      'the type text and no file',
      { type: 'text', file: undefined, text: 'hi' },
      422,
      'UNSUPPORTED_MESSAGE_TYPE',
    ],
    [
      'an instance that is not there',
      { instance: 'ins_00000000000000000000000000' },
      404,
      'INSTANCE_NOT_FOUND',
    ],
  ])('refuses %s and keeps no file', async (_, parts, status, code, field) => {
    const { send, media } = await ready();
    const seen = await send(parts);
    expect(seen).toMatchObject({ status, code });
    if (field !== undefined) expect(seen.json.error?.details?.fields).toHaveProperty([field]);
    expect(media.ids()).toEqual([]);
  });

  test('refuses a media type in JSON, where `file` means nothing', async () => {
    const { call, instance } = await ready();
    const json = { instance, to: '15550100', type: 'image', file: 'me.png' };
    expect(await call('POST', '/messages', { json })).toMatchObject({
      status: 422,
      code: 'UNSUPPORTED_MESSAGE_TYPE',
    });
    const text = { ...json, type: 'text', text: 'hi', file: null };
    expect((await call('POST', '/messages', { json: text })).status).toBe(202);
  });

  test.each([
    ['nothing', ''],
    ['no boundary in the body', 'hello'],
    ['a part that does not end', '--XX\r\nContent-Disposition: form-data; name="to"\r\n\r\n1'],
    [
      'a file that does not end',
      '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    ],
    ['a part without a name', '--XX\r\nContent-Type: text/plain\r\n\r\nabc\r\n--XX--\r\n'],
  ])('refuses a malformed form: %s', async (_, body) => {
    const { call, media } = await ready();
    const seen = await call('POST', '/messages', raw(body));
    expect(seen).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' });
    expect(media.ids()).toEqual([]);
  });

  test('refuses a field or a file that is given twice', async () => {
    const { call, instance, media } = await ready();
    const form = formOf({ instance, to: '15550100', type: 'image', file: file(PNG, 'a.png') });
    form.append('to', '15550101');
    expect((await call('POST', '/messages', { body: form })).json.error?.details?.fields).toHaveProperty([
      'to',
    ]);
    const files = formOf({ instance, to: '15550100', type: 'image', file: file(PNG, 'a.png') });
    files.append('file', file(PNG, 'b.png'));
    expect((await call('POST', '/messages', { body: files })).json.error?.details?.fields).toHaveProperty([
      'file',
    ]);
    expect(media.ids()).toEqual([]);
  });

  test('leaves nothing behind when the client breaks off', async () => {
    const { call, media } = await ready();
    const start = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(start));
        controller.enqueue(new Uint8Array(100_000));
      },
      pull(controller) {
        controller.error(new Error('connection reset'));
      },
    });
    expect(await call('POST', '/messages', { body, headers: raw('').headers })).toMatchObject({
      status: 422,
    });
    expect(media.ids()).toEqual([]);
  });

  test('replays, keeping one file; another file is another request', async () => {
    const { send, media } = await ready();
    const key = { 'Idempotency-Key': 'photo-1' };
    const first = await send({}, key);
    const again = await send({}, key);
    expect(again.status).toBe(200);
    expect(idOf(again.json)).toBe(idOf(first.json));
    expect(await send({ file: file(Uint8Array.from([...PNG, 1]), 'me.png') }, key)).toMatchObject({
      status: 422,
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    expect(media.ids()).toHaveLength(1);
  });

  test('fifty concurrent ones with one key make one message and keep one file', async () => {
    const { send, media } = await ready();
    const seen = await Promise.all(Array.from({ length: 50 }, () => send({}, { 'Idempotency-Key': 'k' })));
    expect(seen.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(49).fill(200),
      202,
    ]);
    expect(new Set(seen.map(({ json }) => idOf(json))).size).toBe(1);
    expect(media.ids()).toHaveLength(1);
  });
});

describe("a failure that is not the client's", () => {
  test('is an internal error if the store causes it', async () => {
    const broken: MediaStore = { ...memoryMediaStore(), put: () => Promise.reject(new Error('ENOSPC')) };
    const { trunkline } = await startService({ media: broken });
    const onError = vi.fn();
    const app = createHttpApp(trunkline, { onError });
    const { id: workspaceId } = await trunkline.admin.workspaces.create({ name: 'Acme' });
    const { token } = await trunkline.admin.apiKeys.create({ workspaceId, name: 'ci', scopes: SCOPES });
    const parts = { instance: 'ins_1', to: '15550100', type: 'image', file: file(PNG, 'a.png') };
    const seen = await client(app, token)('POST', '/messages', { body: formOf(parts) });
    expect(seen).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
    expect(onError).toHaveBeenCalledOnce();
  });

  test('is an internal error if the app has read the body before', async () => {
    const request = new Request('http://localhost/', { method: 'POST', ...raw('--XX--') });
    await request.text();
    const reading = { maxBytes: 100, takeFile: async () => null, dropFile: async () => {} };
    await expect(readForm(request, reading)).rejects.toThrow('read the body');
  });
});

describe('GET /messages/{message}/media', () => {
  test('sends a range', async () => {
    const { call, send } = await ready();
    const id = idOf((await send()).json);
    const part = await call('GET', `/messages/${id}/media`, { headers: { Range: 'bytes=1-3' } });
    expect(part).toMatchObject({ status: 206, text: 'PNG' });
    expect(part.headers.get('Content-Range')).toBe(`bytes 1-3/${PNG.length}`);
    expect((await call('GET', `/messages/${id}/media`, { headers: { Range: 'bytes=900-' } })).status).toBe(
      200,
    );
  });

  test('responds to HEAD with the length and no body', async () => {
    const { call, send } = await ready();
    const seen = await call('HEAD', `/messages/${idOf((await send()).json)}/media`);
    expect(seen).toMatchObject({ status: 200, text: '' });
    expect(seen.headers.get('Content-Length')).toBe(String(PNG.length));
    const path = `/messages/${idOf((await send()).json)}/media`;
    const ranged = await call('HEAD', path, { headers: { Range: 'bytes=1-3' } });
    expect(ranged.status).toBe(200);
    expect(ranged.headers.get('Content-Length')).toBe(String(PNG.length));
    expect(ranged.headers.get('Content-Range')).toBeNull();
  });

  test('knows no file of a text message, and no message of another workspace', async () => {
    const { service, call, instance, send } = await ready();
    const text = await call('POST', '/messages', {
      json: { instance, to: '15550100', type: 'text', text: 'hi' },
    });
    expect(await call('GET', `/messages/${idOf(text.json)}/media`)).toMatchObject({
      status: 404,
      code: 'MEDIA_NOT_AVAILABLE',
    });
    const other = await service.newWorkspace();
    const id = idOf((await send()).json);
    expect(await other.call('GET', `/messages/${id}/media`)).toMatchObject({
      status: 404,
      code: 'MESSAGE_NOT_FOUND',
    });
  });

  test('has a name that is safe in the header', async () => {
    const { call, send } = await ready();
    const sent = await send({ filename: 'Grüße "x"; y=\r\n.png' });
    const disposition = (await call('GET', `/messages/${idOf(sent.json)}/media`)).headers.get(
      'Content-Disposition',
    );
    expect(disposition).toBe(
      `attachment; filename="Gr??e \\"x\\"; y=.png"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%22x%22%3B%20y%3D.png`,
    );
  });

  test('is gone with its instance, and the message says so', async () => {
    const { service, call, instance, send, media } = await ready();
    const id = idOf((await send()).json);
    await service.clock.advance(2_000);
    expect((await service.during(call('DELETE', `/instances/${instance}`))).status).toBe(204);
    expect((await call('GET', `/messages/${id}`)).json.data?.media).toMatchObject({ available: false });
    expect(await call('GET', `/messages/${id}/media`)).toMatchObject({
      status: 404,
      code: 'MEDIA_NOT_AVAILABLE',
    });
    await service.clock.advance(60_000);
    expect(media.ids()).toEqual([]);
  });
});

describe('a received file', () => {
  test('can be downloaded as soon as its webhook is sent', async () => {
    const { service, call, instance } = await ready();
    await service.sandbox.phone(instance).receive({
      from: '15550199',
      text: 'look',
      file: { type: 'image', content: PNG, filename: 'look.png', mimeType: 'image/png' },
    });
    await service.clock.advance(1_000);
    const message = (await call('GET', '/messages?direction=inbound')).json.data?.['0'];
    expect(message).toMatchObject({
      type: 'image',
      caption: 'look',
      text: null,
      media: { available: true, filename: 'look.png', sha256: sha256(PNG) },
    });
    expect((await call('GET', `/messages/${textOf(message?.id)}/media`)).status).toBe(200);
  });
});
