import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import {
  createReceiver,
  memoryStore,
  type EventStore,
  type IncomingWebhook,
  type ReceiveResult,
  type ReceiverOptions,
  type RefusedRequest,
  type WebhookEvent,
  type WebhookInstance,
  type WebhookMessage,
} from '@trunkline/receiver';
import { fetchHandler } from '@trunkline/receiver/fetch';
import { createEvent, signRequest } from '@trunkline/receiver/testing';
import { eventually } from '@trunkline/test-support';

const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';
const instance: WebhookInstance = { id: 'ins_1', name: 'Front desk', status: 'connected' };

const plainHeaders = ({ headers }: IncomingWebhook): Record<string, string> =>
  headers as Record<string, string>;

type Overrides = Partial<ReceiverOptions>;
const receiver = (options: Overrides): ReturnType<typeof createReceiver> =>
  createReceiver({ secret, onError: () => {}, ...options });
const connected = (id = 'evt_1'): Promise<IncomingWebhook> =>
  signRequest({ secret, event: { id, type: 'instance.connected', data: { instance } } });

describe('createReceiver', () => {
  it('passes an event to the handler of its type, and responds with 204', async () => {
    const seen: string[] = [];
    const { receive } = receiver({
      on: {
        'instance.connected': (event) => seen.push(event.data.instance.name),
        'message.received': () => seen.push('message'),
        '*': () => seen.push('*'),
      },
    });
    expect(await receive(await connected())).toMatchObject({
      outcome: 'handled',
      status: 204,
      event: { id: 'evt_1' },
    });
    expect(seen).toEqual(['Front desk']);
  });

  it('types the event of each handler', () => {
    receiver({
      on: {
        'message.received': (event) => {
          expectTypeOf(event.type).toEqualTypeOf<'message.received'>();
          expectTypeOf(event.data.message).toEqualTypeOf<WebhookMessage>();
        },
        'instance.error': (event) => expectTypeOf(event.data.instance).toEqualTypeOf<WebhookInstance>(),
        'webhook.test': (event) => expectTypeOf(event.data.webhook.id).toEqualTypeOf<string>(),
        'message.reaction': (event) => {
          expectTypeOf(event.data.message).toEqualTypeOf<WebhookMessage>();
          expectTypeOf(event.data.reaction.emoji).toEqualTypeOf<string | null>();
        },
        'call.received': (event) => expectTypeOf(event.data.call.video).toEqualTypeOf<boolean>(),
        '*': (event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>(),
      },
    });
    // @ts-expect-error -- there is no such type
    expect(() => receiver({ on: { 'message.recieved': () => {} } })).toThrow(TypeError);
  });

  it('passes events without a handler to the handler of *, even of new types', async () => {
    const types: string[] = [];
    const { receive } = receiver({
      on: { 'message.read': () => {}, '*': ({ type }) => types.push(type) },
    });
    await receive(await connected());
    const body = JSON.stringify({ ...createEvent(), type: 'message.pinned' });
    expect(await receive(await signRequest({ secret, body }))).toMatchObject({
      outcome: 'handled',
      status: 204,
    });
    expect(types).toEqual(['instance.connected', 'message.pinned']);
  });

  it('responds with 204 to events without a handler, and does not store them', async () => {
    const store = { ...memoryStore(), claim: vi.fn<EventStore['claim']>() };
    const { receive } = receiver({ store });
    expect(await receive(await connected())).toMatchObject({ outcome: 'ignored', status: 204 });
    // `constructor` is a property of every object, but not an event type.
    const body = JSON.stringify({ ...createEvent(), type: 'constructor' });
    expect(await receive(await signRequest({ secret, body }))).toMatchObject({ outcome: 'ignored' });
    expect(store.claim).not.toHaveBeenCalled();
  });

  it('handles an event once, however often it arrives', async () => {
    const handler = vi.fn<() => void>();
    const { receive } = receiver({ on: { '*': handler } });
    const outcomes: string[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1)
      outcomes.push((await receive(await connected())).outcome);
    expect(outcomes).toEqual(['handled', 'duplicate', 'duplicate']);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('responds with 409 to an event that is being handled, so that it is retried', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { receive } = receiver({ on: { '*': () => promise } });
    const first = receive(await connected());
    const second = await receive(await connected());
    expect(second).toMatchObject({ outcome: 'in_progress', status: 409 });
    resolve();
    expect(await first).toMatchObject({ outcome: 'handled' });
    expect(await receive(await connected())).toMatchObject({ outcome: 'duplicate', status: 204 });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
  ])('releases the claim when a handler %s, and responds with 500', async (_how, fail: () => unknown) => {
    const errors: unknown[] = [];
    const handler = vi.fn<() => unknown>().mockImplementationOnce(fail);
    const { receive } = receiver({
      on: { '*': handler },
      onError: (error, event) => errors.push(error, event?.id),
    });
    expect(await receive(await connected())).toMatchObject({ outcome: 'failed', status: 500 });
    expect(errors).toEqual([new Error('no'), 'evt_1']);
    expect(await receive(await connected())).toMatchObject({ outcome: 'handled', status: 204 });
    expect(handler).toHaveBeenCalledTimes(2);
  });

  it('handles an event again after the lease if its process died', async () => {
    let now = Date.now();
    const store = memoryStore({ now: () => now });
    const dead = receiver({ store, on: { '*': () => new Promise(() => {}) } });
    void dead.receive(await connected());
    const alive = receiver({ store, on: { '*': () => {} } });
    await eventually(async () =>
      expect((await alive.receive(await connected())).outcome).toBe('in_progress'),
    );
    now += 60_000;
    expect(await alive.receive(await connected())).toMatchObject({ outcome: 'handled' });
  });

  describe('with a store that is down', () => {
    const down = (): Promise<never> => Promise.reject(new Error('store down'));

    it('responds with 500 and does not run the handler without a claim', async () => {
      const handler = vi.fn<() => void>();
      const { receive } = receiver({ on: { '*': handler }, store: { ...memoryStore(), claim: down } });
      expect(await receive(await connected())).toMatchObject({ outcome: 'failed', status: 500 });
      expect(handler).not.toHaveBeenCalled();
    });

    it('responds with 204 once the handler has run, since a repeat would run it again', async () => {
      const onError = vi.fn<(error: unknown) => void>();
      const { receive } = receiver({
        on: { '*': () => {} },
        onError,
        store: { ...memoryStore(), markDone: down },
      });
      expect(await receive(await connected())).toMatchObject({ outcome: 'handled', status: 204 });
      expect(onError.mock.calls[0]?.[0]).toEqual(new Error('store down'));
    });

    it('reports both errors when a claim cannot be released', async () => {
      const errors: string[] = [];
      const { receive } = receiver({
        on: { '*': () => Promise.reject(new Error('handler')) },
        onError: (error) => errors.push(String(error)),
        store: { ...memoryStore(), release: down },
      });
      expect(await receive(await connected())).toMatchObject({ outcome: 'failed', status: 500 });
      expect(errors).toEqual(['Error: store down', 'Error: handler']);
    });
  });

  it('is not disturbed by hooks that fail', async () => {
    const fail = (): never => {
      throw new Error('log down');
    };
    const { receive } = receiver({ on: { '*': fail }, onError: fail, onRefused: fail });
    expect(await receive(await connected())).toMatchObject({ outcome: 'failed', status: 500 });
    expect(await receive({ headers: {}, body: new Uint8Array() })).toMatchObject({ outcome: 'refused' });
  });

  it("reports a handler's error on the console, unless onError is set", async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { receive } = createReceiver({ secret, on: { '*': () => Promise.reject(new Error('no')) } });
    await receive(await connected());
    expect(log).toHaveBeenCalledWith('webhook instance.connected evt_1:', new Error('no'));
    log.mockRestore();
  });

  it('takes either of two secrets while one is replaced', async () => {
    const { receive } = receiver({ secret: ['whsec_new', secret] });
    expect((await receive(await connected())).status).toBe(204);
    expect((await receive(await signRequest({ secret: 'whsec_new' }))).status).toBe(204);
    expect((await receive(await signRequest({ secret: 'whsec_old' }))).status).toBe(401);
  });

  describe('refuses', () => {
    const refusals: RefusedRequest[] = [];
    const { receive } = receiver({ bodyLimit: 1000, onRefused: (refusal) => refusals.push(refusal) });

    async function* chunks(count: number, counted = { read: 0 }): AsyncGenerator<Uint8Array> {
      for (let index = 0; index < count; index += 1) {
        counted.read += 1;
        yield new Uint8Array(100);
      }
    }
    const refusedWith = (result: ReceiveResult): unknown =>
      result.outcome === 'refused' && [result.status, result.reason, refusals.at(-1) === result];

    it('unsigned requests', async () => {
      const request = await connected();
      const headers = { ...plainHeaders(request), 'X-Service-Timestamp': '1' };
      expect(refusedWith(await receive({ ...request, headers }))).toEqual([
        401,
        'timestamp_out_of_tolerance',
        true,
      ]);
      expect(refusedWith(await receive({ ...request, headers: {} }))).toEqual([
        401,
        'missing_timestamp',
        true,
      ]);
    });

    it('a signed body that is not an event', async () => {
      expect(refusedWith(await receive(await signRequest({ secret, body: '{' })))).toEqual([
        400,
        'invalid_json',
        true,
      ]);
      expect(refusedWith(await receive(await signRequest({ secret, body: '[]' })))).toEqual([
        400,
        'invalid_event',
        true,
      ]);
    });

    it('another method than POST', async () => {
      const request = await connected();
      expect(refusedWith(await receive({ ...request, method: 'GET' }))).toEqual([
        405,
        'method_not_allowed',
        true,
      ]);
    });

    it('a body over the limit, and reads no further', async () => {
      const counted = { read: 0 };
      const { headers } = await connected();
      const result = await receive({ headers, body: chunks(1000, counted) });
      expect(refusedWith(result)).toEqual([413, 'body_too_large', true]);
      expect(counted.read).toBe(11);
      expect(refusedWith(await receive({ headers, body: new Uint8Array(1001) }))).toEqual([
        413,
        'body_too_large',
        true,
      ]);
    });

    it('a body that says it is over the limit, and reads nothing', async () => {
      const counted = { read: 0 };
      const headers = { ...plainHeaders(await connected()), 'Content-Length': '1001' };
      const result = await receive({ headers, body: chunks(1, counted) });
      expect(refusedWith(result)).toEqual([413, 'body_too_large', true]);
      expect(counted.read).toBe(0);
    });

    it.each([
      ['no headers of the service', { 'X-Service-Timestamp': undefined }, 'missing_timestamp'],
      ['a timestamp that is not a number', { 'X-Service-Timestamp': 'now' }, 'invalid_timestamp'],
      ['an old timestamp', { 'X-Service-Timestamp': '1700000000' }, 'timestamp_out_of_tolerance'],
      ['no signature', { 'X-Service-Signature': undefined }, 'missing_signature'],
      ['no possible signature', { 'X-Service-Signature': 'v1=0' }, 'invalid_signature_format'],
    ])('%s, and does not read the body for it', async (_name, changed, reason) => {
      const counted = { read: 0 };
      const headers = { ...plainHeaders(await connected()), ...changed };
      const result = await receive({ headers, body: chunks(1, counted) });
      expect(refusedWith(result)).toEqual([401, reason, true]);
      expect(counted.read).toBe(0);
    });

    it('a body that does not arrive in time, and keeps nothing of what arrives later', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const next = Promise.withResolvers<void>();
      let isLeft = false;
      async function* slow(): AsyncGenerator<Uint8Array> {
        try {
          yield new Uint8Array(1);
          await next.promise;
          yield new Uint8Array(1);
        } finally {
          isLeft = true;
        }
      }
      const { headers } = await connected();
      const receiving = receiver({ onRefused: (refusal) => refusals.push(refusal) }).receive({
        headers,
        body: slow(),
      });
      await vi.advanceTimersByTimeAsync(9_999);
      expect(refusals.at(-1)?.reason).not.toBe('body_timeout');
      await vi.advanceTimersByTimeAsync(1);
      expect(refusedWith(await receiving)).toEqual([408, 'body_timeout', true]);
      next.resolve();
      await vi.advanceTimersByTimeAsync(0);
      expect(isLeft).toBe(true);
    });

    it('a body that breaks off', async () => {
      // oxlint-disable-next-line require-yield -- it breaks off
      const broken = (async function* (): AsyncGenerator<Uint8Array> {
        throw new Error('aborted');
      })();
      const { headers } = await connected();
      expect(refusedWith(await receive({ headers, body: broken }))).toEqual([400, 'body_interrupted', true]);
    });

    it.each([
      ['parsed JSON', { id: 'evt_1' }],
      ['text', '{}'],
      ['nothing', undefined],
    ])('%s instead of the bytes, and names the mistake', async (_name, body) => {
      const onError = vi.fn<(error: unknown) => void>();
      const wrong = { headers: {}, body: body as unknown as Uint8Array, rawBodyFix: 'Do this.' }; // as from JavaScript
      const result = await receiver({ onError }).receive(wrong);
      expect(result).toMatchObject({ status: 500, reason: 'body_not_bytes' });
      expect(String(onError.mock.calls[0]?.[0])).toMatch(/TypeError: .*raw bytes.*Do this\./);
    });

    it('accepts a body that comes in pieces', async () => {
      const { headers, body } = await signRequest({ secret });
      const pieces = (async function* (): AsyncGenerator<Uint8Array> {
        for (const byte of body) yield Uint8Array.of(byte);
      })();
      expect(await receive({ headers, body: pieces })).toMatchObject({ outcome: 'ignored', status: 204 });
    });
  });

  describe('in a program that is loaded without its secret, as by `next build`', () => {
    const unset = [
      ['undefined', undefined],
      ['an empty string', ''],
      ['an empty list', []],
      ['a list with an empty string in it', [secret, '']],
      ['a list with undefined in it', [undefined, secret]],
      ['a function without a result', () => undefined],
      ['a function that throws', () => Promise.reject(new Error('The vault is sealed.'))],
    ] as const;

    it.each(unset)('is made with %s, and responds with 500 and the reason', async (_name, missing) => {
      const onError = vi.fn<(error: unknown) => void>();
      const handler = vi.fn<() => void>();
      const { receive } = receiver({ secret: missing, on: { '*': handler }, onError });
      expect(onError).not.toHaveBeenCalled();
      const result = await receive(await connected());
      expect(result).toMatchObject({ outcome: 'refused', status: 500, reason: 'no_secret' });
      expect(handler).not.toHaveBeenCalled();
      expect(String(onError.mock.calls[0]?.[0])).toMatch(/no webhook secret.*createReceiver.*whsec_/);
    });

    it('shows the sender neither secrets nor why they could not be read', async () => {
      const onError = vi.fn<(error: unknown) => void>();
      const vault = new Error('The vault at 10.0.0.7 is sealed.');
      const POST = fetchHandler(receiver({ secret: () => Promise.reject(vault), onError }));
      const response = await POST(new Request('http://receiver.test/', await signRequest({ secret })));
      expect([response.status, await response.text()]).toEqual([500, 'no_secret']);
      expect(onError.mock.calls[0]?.[0]).toHaveProperty('cause', vault);
    });

    it('reads no body before it has a secret', async () => {
      const body = (async function* (): AsyncGenerator<Uint8Array> {
        yield await Promise.reject(new Error('was read'));
      })();
      const { headers } = await connected();
      const refused = await receiver({ secret: '' }).receive({ headers, body });
      expect(refused).toMatchObject({ reason: 'no_secret' });
    });
  });

  it('asks a function for the secret at each request, so that a new one is noticed', async () => {
    let current = 'whsec_before';
    const { receive } = receiver({ secret: async () => [current] });
    expect(await receive(await connected())).toMatchObject({ reason: 'signature_mismatch' });
    current = secret;
    expect(await receive(await connected())).toMatchObject({ outcome: 'ignored' });
  });

  it.each([
    ['a line break after the secret', { secret: `${secret}\n` }],
    ['a secret of nothing but a space', { secret: ' ' }],
    ['a line break after one of several secrets', { secret: ['', `${secret}\n`] }],
    ['a secret that is no text', { secret: 5 }],
    ['a handler that is not a function', { on: { 'message.read': 'x' } }],
    ['a handler of other events that is not a function', { on: { '*': {} } }],
    ['an onError that is not a function', { onError: console }],
    ['a tolerance that is not a number', { tolerance: Number.NaN }],
    ['a limit of 0', { bodyLimit: 0 }],
    ['a lease that never ends', { leaseSeconds: Number.POSITIVE_INFINITY }],
  ])('throws immediately on %s', (_name, wrong) => {
    expect(() => createReceiver({ secret, ...(wrong as Overrides) })).toThrow(TypeError); // as from JavaScript
  });

  it.each([
    [{ tolerence: 30 }, 'there is no option "tolerence". Did you mean "tolerance"?'],
    [
      { on: { 'message.recieved': () => {} } },
      `on['message.recieved'] is not an event. Did you mean "message.received"?`,
    ],
    [{ on: { constructor: () => {} } }, `on['constructor'] is not an event.`],
  ])('names a misspelt option in %o, and the likely intended one', (wrong, message) => {
    expect(() => createReceiver({ secret, ...(wrong as Overrides) })).toThrow(message); // as from JavaScript
  });

  it.each([undefined, null, 'whsec_x'])('says that it takes options, and not %o', (wrong) => {
    expect(() => createReceiver(wrong as unknown as ReceiverOptions)).toThrow(
      /the options must be an object/,
    );
  });
});
