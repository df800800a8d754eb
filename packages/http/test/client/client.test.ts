import { describe, expect, it } from 'vitest';
import { ClientError, createClient, isClientError, unwrap } from '../../src/client/index.ts';
import type { ClientOptions, TrunklineClient } from '../../src/client/index.ts';
import { jsonResponse, refusal, scriptedFetch } from './scripted-fetch.ts';
import type { ScriptedFetch } from './scripted-fetch.ts';

const baseUrl = 'https://api.example.com/api/v1';
const apiKey = 'trk_test';
const text = { instance: 'ins_1', to: '15550100', type: 'text', text: 'Hello' } as const;

function clientOf(script: ScriptedFetch, options: Partial<ClientOptions> = {}): TrunklineClient {
  return createClient({ baseUrl, apiKey, fetch: script.fetch, ...options });
}

describe('createClient', () => {
  it.each<[keyof ClientOptions, Partial<Record<keyof ClientOptions, unknown>>]>([
    ['baseUrl', { baseUrl: undefined }],
    ['baseUrl', { baseUrl: 'api.example.com/api/v1' }],
    ['baseUrl', { baseUrl: '//evil.example.com' }],
    ['baseUrl', { baseUrl: 'https://api.example.com/api/v1?x=1' }],
    ['apiKey', { apiKey: undefined }],
    ['apiKey', { apiKey: '' }],
    ['apiKey', { apiKey: 'trk_test\n' }],
    ['maxRetries', { maxRetries: -1 }],
    ['maxRetries', { maxRetries: 1.5 }],
    ['maxRetryWaitMs', { maxRetryWaitMs: Number.NaN }],
  ])('names the option that is wrong: %s in %j', (option, wrong) => {
    const options = { baseUrl, apiKey, ...wrong } as ClientOptions; // wrong on purpose
    expect(() => createClient(options)).toThrow(`createClient: the option "${option}" is wrong`);
  });

  it('names a misspelt option, and takes what comes with other things', () => {
    const misspelt = { baseUrl, apiKey, maxRetrys: 0 };
    expect(() => createClient(misspelt)).toThrow(
      'createClient: there is no option "maxRetrys". Did you mean "maxRetries"?',
    );
    const service = { baseUrl, apiKey, workspaceId: 'ten_1', stop: async () => {} };
    expect(() => createClient(service)).not.toThrow();
  });

  it('says nothing of the key in an error', () => {
    expect(() => createClient({ baseUrl, apiKey: 'my secret' })).toThrow(
      expect.not.stringContaining('my secret'),
    );
  });

  it.each([`${baseUrl}/`, '/api/v1'])('takes the base URL %s', async (given) => {
    const seen: string[] = [];
    const fetch = (url: string): Response => {
      seen.push(url);
      return jsonResponse({ data: [] });
    };
    await createClient({ baseUrl: given, apiKey, fetch }).instances.list();
    expect(seen).toEqual([`${given.replace(/\/$/, '')}/instances`]);
  });
});

describe('a request', () => {
  it('carries the key, and JSON where it has a body', async () => {
    const script = scriptedFetch(jsonResponse({ data: { id: 'ins_1' } }));
    await clientOf(script).instances.create({ name: 'Orders' });
    const [request] = script.requests;
    expect(request).toMatchObject({ method: 'POST', url: `${baseUrl}/instances`, json: { name: 'Orders' } });
    expect(request?.headers.get('Authorization')).toBe('Bearer trk_test');
    expect(request?.headers.get('Content-Type')).toBe('application/json');
  });

  it('has the query of the caller, without what is undefined', async () => {
    const script = scriptedFetch(jsonResponse({ data: [], meta: {} }));
    await clientOf(script).messages.list({ status: 'sent,read', limit: 5, cursor: undefined });
    expect(script.requests[0]?.url).toBe(`${baseUrl}/messages?status=sent%2Cread&limit=5`);
  });

  it.each([
    ['..', '_..'],
    ['half a \uD83D pair', 'half%20a%20%EF%BF%BD%20pair'],
    ['.', '_.'],
    ['', '_'],
    ['../webhooks?x#y', '..%2Fwebhooks%3Fx%23y'],
  ])('stays on its path with the id %j', async (id, segment) => {
    const script = scriptedFetch(jsonResponse({ data: {} }));
    await clientOf(script).instances.connect(id);
    expect(new URL(script.requests[0]?.url ?? '').pathname).toBe(`/api/v1/instances/${segment}/connect`);
  });
});

describe('a result', () => {
  it('has the data and the request id', async () => {
    const script = scriptedFetch(jsonResponse({ data: { id: 'ins_1', of_a_newer_service: true } }));
    expect(await clientOf(script).instances.get('ins_1')).toEqual({
      ok: true,
      requestId: 'req_1',
      data: { id: 'ins_1', of_a_newer_service: true },
    });
  });

  it('has no data where there is nothing left', async () => {
    const script = scriptedFetch(new Response(null, { status: 204, headers: { 'X-Request-Id': 'req_1' } }));
    expect(await clientOf(script).instances.delete('ins_1')).toEqual({
      ok: true,
      requestId: 'req_1',
      data: undefined,
    });
  });

  it('is the error of the API', async () => {
    const details = { fields: { name: ['Must be text.'] } };
    const script = scriptedFetch(refusal(422, 'VALIDATION_FAILED', { details }));
    expect(await clientOf(script).instances.create({})).toEqual({
      ok: false,
      error: { code: 'VALIDATION_FAILED', status: 422, message: 'Not now.', requestId: 'req_2', details },
    });
  });

  it.each([
    ['a page of a proxy', new Response('<h1>Bad gateway</h1>', { status: 502 }), 502],
    ['another JSON error', Response.json({ error: 'nope' }, { status: 404 }), 404],
    ['a success that is not JSON', new Response('hello'), 200],
    ['a success without data', Response.json({}), 200],
  ])('is UNEXPECTED_RESPONSE for %s', async (_name, response, status) => {
    const result = await clientOf(scriptedFetch(response)).instances.list();
    expect(result).toMatchObject({ ok: false, error: { code: 'UNEXPECTED_RESPONSE', status } });
  });

  it('is NETWORK_ERROR if there is no response, and says why', async () => {
    const cause = new TypeError('fetch failed');
    const result = await clientOf(scriptedFetch(cause)).instances.list();
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'NETWORK_ERROR', status: null, requestId: null, cause },
    });
  });

  it('is NETWORK_ERROR if the response breaks off', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    const fetch = (): Response => new Response(broken);
    const result = await createClient({ baseUrl, apiKey, fetch }).instances.list();
    expect(result).toMatchObject({ ok: false, error: { code: 'NETWORK_ERROR' } });
  });

  it.each([301, 302, 303, 307, 308])(
    'is UNEXPECTED_RESPONSE for a redirect (%i), which is not followed',
    async (status) => {
      const carried: unknown[] = [];
      const fetch = (_: string, { redirect }: RequestInit): Response => {
        carried.push(redirect);
        return new Response(null, { status, headers: { Location: 'https://evil.example.com/in' } });
      };
      const result = await createClient({ baseUrl, apiKey, fetch }).messages.send(text);
      expect(result).toMatchObject({
        ok: false,
        error: { code: 'UNEXPECTED_RESPONSE', status, message: expect.stringContaining('evil.example.com') },
      });
      expect(carried).toEqual(['manual']);
    },
  );

  it('is the error of the API, though it names a location', async () => {
    const body = { error: { code: 'INVALID_RECIPIENT', message: 'No number.', request_id: 'req_1' } };
    const fetch = (): Response => Response.json(body, { status: 400, headers: { Location: '/elsewhere' } });
    expect(await createClient({ baseUrl, apiKey, fetch }).messages.send(text)).toMatchObject({
      ok: false,
      error: { code: 'INVALID_RECIPIENT' },
    });
  });

  it('is UNEXPECTED_RESPONSE for one that is longer than any of the API, of which the rest is not read', async () => {
    let pieces = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        controller.enqueue(new Uint8Array(1_048_576).fill(32));
      },
    });
    const fetch = (): Response => new Response(endless);
    expect(await createClient({ baseUrl, apiKey, fetch }).instances.list()).toMatchObject({
      ok: false,
      error: { code: 'UNEXPECTED_RESPONSE', message: expect.stringContaining('40 MiB') },
    });
    expect(pieces).toBeLessThan(45);
  });

  it('is UNEXPECTED_RESPONSE for an error whose message is not a string', async () => {
    const message = { toString: null };
    const script = scriptedFetch(Response.json({ error: { code: 'NOT_FOUND', message } }, { status: 404 }));
    expect(await clientOf(script).instances.list()).toMatchObject({
      error: { code: 'UNEXPECTED_RESPONSE', status: 404 },
    });
  });

  it('can be unwrapped', async () => {
    const client = clientOf(
      scriptedFetch(jsonResponse({ data: { id: 'ins_1' } }), refusal(404, 'INSTANCE_NOT_FOUND')),
    );
    expect(unwrap(await client.instances.get('ins_1')).data.id).toBe('ins_1');
    const failed = await client.instances.get('ins_1');
    expect(() => unwrap(failed)).toThrow('INSTANCE_NOT_FOUND: Not now.');
    expect(isClientError(new Error('another'))).toBe(false);
  });
});

describe('a reaction', () => {
  it('has a key of its own each time, or that of the caller, and reports a replay', async () => {
    const headers = { 'Idempotent-Replayed': 'true' };
    const script = scriptedFetch(jsonResponse({ data: { id: 'act_1' } }, { headers }));
    const { messages } = clientOf(script);
    const reacted = await messages.react('msg_1', { emoji: '👍' });
    expect(reacted).toMatchObject({ ok: true, replayed: true, data: { id: 'act_1' } });
    await messages.removeReaction('msg_1', { idempotencyKey: 'order-1' });
    const made = script.requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
    expect(made).toEqual([
      expect.stringMatching(/^PUT .*\/messages\/msg_1\/reaction$/),
      expect.stringMatching(/^DELETE .*\/messages\/msg_1\/reaction$/),
    ]);
    expect(script.requests.map(({ json }) => json)).toEqual([{ emoji: '👍' }, undefined]);
    const keys = script.requests.map((request) => request.headers.get('Idempotency-Key'));
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), 'order-1']);
  });
});

describe('a send', () => {
  it('has a key of its own each time', async () => {
    const script = scriptedFetch(jsonResponse({ data: { id: 'msg_1' } }, { status: 202 }));
    const client = clientOf(script);
    expect(await client.messages.send(text)).toMatchObject({ ok: true, replayed: false });
    await client.messages.send(text);
    const keys = script.requests.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(new Set(keys).size).toBe(2);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('has the key of the caller, and reports a replay', async () => {
    const headers = { 'Idempotent-Replayed': 'true' };
    const script = scriptedFetch(jsonResponse({ data: { id: 'msg_1' } }, { headers }));
    const sent = await clientOf(script).messages.send(text, { idempotencyKey: 'order-1' });
    expect(sent).toMatchObject({ ok: true, replayed: true, data: { id: 'msg_1' } });
    expect(script.requests[0]?.headers.get('Idempotency-Key')).toBe('order-1');
    expect(script.requests[0]?.json).toEqual(text);
  });
});

const LIMITED = { limit: 1, cursor: 'c7' } as const;

describe('an iterator', () => {
  const page = (ids: readonly string[], next: string | null): Response =>
    jsonResponse({ data: ids.map((id) => ({ id })), meta: { per_page: 2, next_cursor: next } });

  it('goes through all pages, and asks for a page when it is needed', async () => {
    const script = scriptedFetch(page(['msg_3', 'msg_2'], 'c1'), page([], 'c2'), page(['msg_1'], null));
    const seen: string[] = [];
    for await (const { id } of clientOf(script).messages.iterate({ limit: 2 })) {
      seen.push(id);
      expect(script.requests).toHaveLength(id === 'msg_1' ? 3 : 1);
    }
    expect(seen).toEqual(['msg_3', 'msg_2', 'msg_1']);
    expect(script.requests.map(({ url }) => new URL(url).search)).toEqual([
      '?limit=2',
      '?limit=2&cursor=c1',
      '?limit=2&cursor=c2',
    ]);
  });

  it('begins at the cursor of the caller', async () => {
    const script = scriptedFetch(page(['whd_1'], null));
    const seen: string[] = [];
    for await (const { id } of clientOf(script).webhooks.iterateDeliveries('wh_1', { cursor: 'c7' }))
      seen.push(id);
    expect(seen).toEqual(['whd_1']);
    expect(script.requests[0]?.url).toBe(`${baseUrl}/webhooks/wh_1/deliveries?cursor=c7`);
  });

  it.each([
    ['/instances/ins_1/chats', (client: TrunklineClient) => client.instances.iterateChats('ins_1', LIMITED)],
    [
      '/instances/ins_1/events',
      (client: TrunklineClient) => client.instances.iterateEvents('ins_1', LIMITED),
    ],
    [
      '/instances/ins_1/history',
      (client: TrunklineClient) => client.instances.iterateHistory('ins_1', LIMITED),
    ],
    ['/messages/msg_1/events', (client: TrunklineClient) => client.messages.iterateEvents('msg_1', LIMITED)],
  ])('goes through the pages of %s, from the cursor of the caller on', async (path, rowsOf) => {
    const script = scriptedFetch(page(['row_2'], 'c8'), page(['row_1'], null));
    const seen: unknown[] = [];
    for await (const row of rowsOf(clientOf(script))) seen.push(row);
    expect(seen).toEqual([{ id: 'row_2' }, { id: 'row_1' }]);
    expect(script.requests.map(({ url }) => url)).toEqual([
      `${baseUrl}${path}?limit=1&cursor=c7`,
      `${baseUrl}${path}?limit=1&cursor=c8`,
    ]);
  });

  it('throws the error of a page', async () => {
    const iterator = clientOf(
      scriptedFetch(page(['msg_1'], 'c1'), refusal(401, 'INVALID_API_KEY')),
    ).messages.iterate();
    const seen: string[] = [];
    let thrown: unknown;
    try {
      for await (const { id } of iterator) seen.push(id);
    } catch (error) {
      thrown = error;
    }
    expect(seen).toEqual(['msg_1']);
    expect(thrown).toBeInstanceOf(ClientError);
    expect(isClientError(thrown) && thrown.error).toMatchObject({ code: 'INVALID_API_KEY', status: 401 });
  });
});

describe('a stream of events', () => {
  async function eventsOf(pieces: readonly string[]): Promise<readonly unknown[]> {
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(encoder.encode(piece));
        controller.close();
      },
    });
    const fetch = (): Response => new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    const { data } = unwrap(await createClient({ baseUrl, apiKey, fetch }).events.stream());
    const events = [];
    for await (const event of data) events.push(event);
    return events;
  }

  const stream = 'id: evt_1\r\n\r\nid: evt_2\rdata: a\rdata: b\r\revent: x\nid: evt_3\ndata: ü\n\n';

  it.each([1, 2, 3, 7, 1_000])('is the same in pieces of %i characters', async (size) => {
    const pieces = stream.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect(await eventsOf(pieces)).toEqual([
      { id: 'evt_1', event: null },
      { id: 'evt_2', event: { type: 'message', body: 'a\nb' } },
      { id: 'evt_3', event: { type: 'x', body: 'ü' } },
    ]);
  });

  it.each([
    ['a line without end', ['data: ', ...Array.from({ length: 5 }, () => 'x'.repeat(1_048_576))]],
    ['a block without end', Array.from({ length: 5 }, () => 'data: x\n'.repeat(131_072 * 2))],
    ['an id that no header can carry', ['id: a\u0001b\n\n']],
    ['an id that a shell would run', ['id: evt_1$(reboot)\n\n']],
    ['an id without end', [`id: ${'x'.repeat(201)}\n\n`]],
    ['a type that no header can carry', ['id: evt_1\nevent: ä\ndata: {}\n\n']],
  ])('throws UNEXPECTED_RESPONSE for %s', async (_name, pieces) => {
    await expect(eventsOf(pieces)).rejects.toMatchObject({
      isClientError: true,
      code: 'UNEXPECTED_RESPONSE',
    });
  });

  it('takes no longer for a line in pieces of one character', async () => {
    const before = process.threadCpuUsage();
    await eventsOf([...`id: evt_1\ndata: ${'x'.repeat(400_000)}\n\n`]);
    const { user, system } = process.threadCpuUsage(before);
    // Reading the whole line again at each chunk would take minutes of CPU.
    expect((user + system) / 1_000_000).toBeLessThan(20);
  });
});
