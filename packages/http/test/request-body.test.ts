import { describe, expect, test } from 'vitest';
import type { InstanceInput, WorkspaceApi } from '@trunkline/core';
import { eventually } from '@trunkline/test-support';
import { createHttpApp } from '../src/index.ts';
import { client } from './client.ts';
import type { CallOptions, Seen } from './client.ts';
import { fakeTrunkline } from './fake-trunkline.ts';

const LIMIT = 1_048_576;

/** `given` is the input of the operation; null if the operation was not reached. */
async function post(options: CallOptions): Promise<Seen & { readonly given: InstanceInput | null }> {
  let given: InstanceInput | null = null;
  const create: WorkspaceApi['instances']['create'] = async (input = {}) => {
    given = input;
    return {} as never; // the response is not checked
  };
  const seen = await client(createHttpApp(fakeTrunkline({ operations: { instances: { create } } })))(
    'POST',
    '/instances',
    options,
  );
  return { ...seen, given };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const withoutLength = (...chunks: (string | Uint8Array)[]): ReadableStream =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
      controller.close();
    },
  });

function expectRefusedBody(seen: Seen): void {
  expect([seen.status, seen.code]).toEqual([422, 'VALIDATION_FAILED']);
  expect(seen.json.error?.details).toEqual({ fields: { body: [expect.any(String)] } });
}

describe('a JSON body is taken', () => {
  const taken: [string, CallOptions][] = [
    ['as application/json', { body: '{"name":"a"}', headers: JSON_TYPE }],
    [
      'with a charset',
      { body: '{"name":"a"}', headers: { 'Content-Type': 'application/json; charset=utf-8' } },
    ],
    [
      'with its type in capitals',
      { body: '{"name":"a"}', headers: { 'Content-Type': 'Application/JSON ;charset="UTF-8"' } },
    ],
    ['in chunks without a length', { body: withoutLength('{"na', 'me":', '"a"}'), headers: JSON_TYPE }],
    ['with a byte order mark', { body: '\uFEFF{"name":"a"}', headers: JSON_TYPE }],
  ];
  test.each(taken)('%s', async (_, options) => {
    const { status, given } = await post(options);
    expect([status, given]).toEqual([201, { name: 'a' }]);
  });

  test('if its chunks cut a character in two', async () => {
    const bytes = new TextEncoder().encode('{"name":"é"}');
    const { given } = await post({
      body: withoutLength(bytes.slice(0, 10), bytes.slice(10)),
      headers: JSON_TYPE,
    });
    expect(given).toEqual({ name: 'é' });
  });

  test('if it comes byte by byte, and no chunk is kept, since each would cost a hundred bytes', async () => {
    const bytes = new TextEncoder().encode('{"name":"abc"}');
    // Every chunk after the first reuses this array, with another byte.
    const chunk = new Uint8Array(1);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sent === bytes.length) return controller.close();
          chunk.set(bytes.subarray(sent, sent + 1));
          controller.enqueue(sent === 0 ? chunk.slice() : chunk);
          sent += 1;
        },
      },
      { highWaterMark: 0 },
    );
    const { given } = await post({ body, headers: JSON_TYPE });
    expect(given).toEqual({ name: 'abc' });
  });
});

describe('a missing body counts as an empty object:', () => {
  const missing: [string, CallOptions][] = [
    ['none at all', {}],
    ['none, with a content type', { headers: JSON_TYPE }],
    ['none, with another content type', { headers: { 'Content-Type': 'text/plain' } }],
    ['an empty one', { body: '', headers: { 'Content-Length': '0' } }],
    ['an empty stream', { body: withoutLength() }],
  ];
  test.each(missing)('%s', async (_, options) => {
    const { status, given } = await post(options);
    expect([status, given]).toEqual([201, {}]);
  });
});

describe('a request is refused with a complaint about its body:', () => {
  const bytes = (...values: number[]): Uint8Array<ArrayBuffer> => new Uint8Array(values);
  const refused: [string, CallOptions][] = [
    ['broken JSON', { body: '{"name":', headers: JSON_TYPE }],
    ['white space alone', { body: '  ', headers: JSON_TYPE }],
    ['an array', { body: '[]', headers: JSON_TYPE }],
    ['a string', { body: '"name"', headers: JSON_TYPE }],
    ['null', { body: 'null', headers: JSON_TYPE }],
    [
      'bytes that are not UTF-8',
      { body: bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), headers: JSON_TYPE },
    ],
    ['a character cut off', { body: bytes(0x22, 0xc3), headers: JSON_TYPE }],
    ['JSON in UTF-16', { body: bytes(0x7b, 0, 0x7d, 0), headers: JSON_TYPE }],
    ['two documents', { body: '{}{}', headers: JSON_TYPE }],
    ['no content type', { body: bytes(0x7b, 0x7d) }],
    ['text/plain', { body: '{}', headers: { 'Content-Type': 'text/plain' } }],
    [
      'a kind of JSON that is not plain',
      { body: '{}', headers: { 'Content-Type': 'application/merge-patch+json' } },
    ],
    ['two content types', { body: '{}', headers: { 'Content-Type': 'application/json, text/plain' } }],
    ['a form', { body: 'name=a', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
    ['multipart', { body: '--x--', headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }],
    [
      'a stream that breaks off',
      { body: new ReadableStream({ pull: (c) => c.error(new Error('reset')) }), headers: JSON_TYPE },
    ],
  ];
  test.each(refused)('%s', async (_, options) => {
    const seen = await post(options);
    expectRefusedBody(seen);
    expect(seen.given).toBeNull();
  });
});

describe('the limit of 1 MiB for a JSON body', () => {
  const ofSize = (size: number): string => `{"x":"${'a'.repeat(size - 8)}"}`;

  test('lets exactly that much through', async () => {
    expect(await post({ body: ofSize(LIMIT), headers: JSON_TYPE })).toMatchObject({ status: 201 });
    expect(await post({ body: withoutLength(ofSize(LIMIT)), headers: JSON_TYPE })).toMatchObject({
      status: 201,
    });
  });

  test('refuses one byte more', async () => {
    const seen = await post({ body: withoutLength(ofSize(LIMIT + 1)), headers: JSON_TYPE });
    expect([seen.status, seen.code, seen.given]).toEqual([413, 'PAYLOAD_TOO_LARGE', null]);
  });

  test('does not believe a length that is declared too small', async () => {
    const seen = await post({ body: ofSize(LIMIT + 1), headers: { ...JSON_TYPE, 'Content-Length': '2' } });
    expect([seen.status, seen.given]).toEqual([413, null]);
  });

  test('counts bytes, not characters', async () => {
    const body = `{"x":"${'é'.repeat(LIMIT / 2)}"}`;
    expect(await post({ body: withoutLength(body), headers: JSON_TYPE })).toMatchObject({ status: 413 });
  });

  test('refuses a declared length without reading anything', async () => {
    let pulls = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulls += 1;
        controller.enqueue(new Uint8Array(1024));
      },
    });
    const seen = await post({ body, headers: { ...JSON_TYPE, 'Content-Length': String(LIMIT + 1) } });
    expect(seen.status).toBe(413);
    expect(pulls).toBeLessThanOrEqual(1); // the stream prefetches one chunk
  });

  test('does not wait for the end of a body that is too large', async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(LIMIT + 1)), // nothing else arrives
    });
    expect(await post({ body, headers: JSON_TYPE })).toMatchObject({ status: 413, given: null });
  });

  test('drains the rest of a body, and stops reading an endless one', async () => {
    let sent = 0;
    const body = new ReadableStream({
      async pull(controller) {
        sent += LIMIT;
        await Promise.resolve();
        controller.enqueue(new Uint8Array(LIMIT));
      },
    });
    expect(await post({ body, headers: JSON_TYPE })).toMatchObject({ status: 413, given: null });
    await eventually(() => expect(sent).toBeGreaterThan(128 * LIMIT));
    expect(sent).toBeLessThan(136 * LIMIT);
  });

  test('can be configured', async () => {
    const app = createHttpApp(fakeTrunkline(), { maxJsonBytes: 10 });
    const seen = await client(app)('POST', '/instances', { json: { name: 'longer than ten bytes' } });
    expect(seen.status).toBe(413);
    expect(seen.json.error?.message).toContain('10 bytes');
  });
});

describe('hostile JSON', () => {
  test('is plain data even half a million levels deep', async () => {
    const depth = 500_000;
    const { status } = await post({
      body: `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`,
      headers: JSON_TYPE,
    });
    expect(status).toBe(201);
  });

  test('is refused if its nesting is never closed', async () => {
    expectRefusedBody(await post({ body: `{"x":${'['.repeat(1_000_000)}`, headers: JSON_TYPE }));
  });

  test('changes no prototype with __proto__', async () => {
    const { given } = await post({ body: '{"__proto__":{"name":"hidden"}}', headers: JSON_TYPE });
    expect(given?.name).toBeUndefined();
    expect({}).not.toHaveProperty('name');
  });
});

test('a route that takes no body ignores one, even a broken or an endless one', async () => {
  const operations = { instances: { disconnect: async () => ({ id: 'ins_1' }) as never } }; // the response is not checked
  const call = client(createHttpApp(fakeTrunkline({ operations })));
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024)) });
  for (const body of ['[not json', endless]) {
    const { status } = await call('POST', '/instances/ins_1/disconnect', {
      body,
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(status).toBe(200);
  }
});

test('connect, which has no body in the specification, ignores one that is not a JSON object', async () => {
  const inputs: unknown[] = [];
  const operations = {
    instances: {
      connect: async (_id: string, input: unknown) => {
        inputs.push(input);
        return { id: 'ins_1' } as never; // the response is not checked
      },
    },
  };
  const call = client(createHttpApp(fakeTrunkline({ operations })));
  for (const [body, type] of [
    ['[not json', 'application/json'],
    ['[]', 'application/json'],
    ['null', 'application/json'],
    ['some text', 'text/plain'],
    ['a=b', 'application/x-www-form-urlencoded'],
  ] as const) {
    const headers = { 'Content-Type': type };
    expect((await call('POST', '/instances/ins_1/connect', { body, headers })).status, body).toBe(202);
  }
  const body = '{"pairing_phone_number":"15550101234"}';
  await call('POST', '/instances/ins_1/connect', { body, headers: JSON_TYPE });
  expect(inputs).toEqual([{}, {}, {}, {}, {}, { pairing_phone_number: '15550101234' }]);
});

test('a body that the app has already read is an error, not an empty body', async () => {
  const failures: unknown[] = [];
  const app = createHttpApp(fakeTrunkline(), { onError: (error) => failures.push(error) });
  const request = new Request('http://localhost/api/v1/instances', {
    method: 'POST',
    body: '{}',
    headers: { ...JSON_TYPE, Authorization: 'Bearer good' },
  });
  await request.text();
  expect((await app.fetch(request)).status).toBe(500);
  expect(String(failures)).toContain('has read the body');
});

describe('a compressed body', () => {
  test.each(['gzip', 'br', 'identity, gzip'])('is refused: %s', async (encoding) => {
    const headers = { ...JSON_TYPE, 'Content-Encoding': encoding };
    const seen = await post({ body: '{}', headers });
    expect([seen.status, seen.code, seen.given]).toEqual([415, 'INVALID_MEDIA_TYPE', null]);
    const form = { 'Content-Type': 'multipart/form-data; boundary=XX', 'Content-Encoding': encoding };
    const call = client(createHttpApp(fakeTrunkline({})));
    expect((await call('POST', '/messages', { body: '--XX--', headers: form })).status).toBe(415);
  });

  test('is accepted if its encoding is "identity"', async () => {
    const headers = { ...JSON_TYPE, 'Content-Encoding': 'Identity' };
    expect((await post({ body: '{"name":"a"}', headers })).given).toEqual({ name: 'a' });
  });
});
