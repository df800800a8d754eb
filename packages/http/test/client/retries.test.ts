import { beforeEach, afterEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { ClientOptions, TrunklineClient } from '../../src/client/index.ts';
import { jsonResponse, refusal, scriptedFetch } from './scripted-fetch.ts';
import type { ScriptedFetch } from './scripted-fetch.ts';

const text = { instance: 'ins_1', to: '15550100', type: 'text', text: 'Hello' } as const;
const limited = (retryAfter?: string): Response =>
  refusal(429, 'RATE_LIMITED', retryAfter === undefined ? {} : { headers: { 'Retry-After': retryAfter } });
const fine = jsonResponse({ data: { id: 'msg_1' } });

function clientOf(script: ScriptedFetch, options: Partial<ClientOptions> = {}): TrunklineClient {
  return createClient({
    baseUrl: 'https://api.example.com/api/v1',
    apiKey: 'trk_test',
    fetch: script.fetch,
    ...options,
  });
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-20T21:15:00Z') });
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a request that gets 429 or 503', () => {
  it.each([
    ['429 with seconds', limited('3'), 3_000],
    ['429 with a date', limited('Fri, 20 Nov 2026 21:15:07 GMT'), 7_000],
    ['503 with seconds', refusal(503, 'GATEWAY_UNAVAILABLE', { headers: { 'Retry-After': '1' } }), 1_000],
    ['503 without', refusal(503, 'GATEWAY_UNAVAILABLE'), 250],
    ['503 of a proxy', new Response('busy', { status: 503 }), 250],
    ['a Retry-After that says nothing', limited('soon'), 250],
  ])('is repeated after the wait: %s', async (_name, first, waitMs) => {
    const script = scriptedFetch(first, fine);
    const result = clientOf(script).instances.list();
    await vi.advanceTimersByTimeAsync(waitMs - 1);
    expect(script.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await result).toMatchObject({ ok: true });
    expect(script.requests).toHaveLength(2);
  });

  it('is repeated immediately if the date has passed', async () => {
    const script = scriptedFetch(limited('Fri, 20 Nov 2026 21:14:00 GMT'), fine);
    const result = clientOf(script).instances.list();
    await vi.advanceTimersByTimeAsync(0);
    expect(await result).toMatchObject({ ok: true });
  });

  it('waits longer each time, and returns the last refusal when its retries are used up', async () => {
    const script = scriptedFetch(refusal(503, 'GATEWAY_UNAVAILABLE'));
    const result = clientOf(script).instances.list();
    await vi.advanceTimersByTimeAsync(250 + 500);
    expect(await result).toMatchObject({ ok: false, error: { code: 'GATEWAY_UNAVAILABLE', status: 503 } });
    expect(script.requests).toHaveLength(3);
  });

  it('keeps the idempotency key of a send', async () => {
    const script = scriptedFetch(limited('1'), limited('1'), fine);
    const result = clientOf(script).messages.send(text);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await result).toMatchObject({ ok: true });
    const keys = script.requests.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(script.requests.map(({ json }) => json)).toEqual([text, text, text]);
  });

  it.each<[string, Partial<ClientOptions>]>([
    ['retries are off', { maxRetries: 0 }],
    ['the wait is longer than the caller allows', { maxRetryWaitMs: 2_999 }],
  ])('is left at that where %s', async (_name, options) => {
    const script = scriptedFetch(limited('3'), fine);
    const result = await clientOf(script, options).instances.list();
    expect(result).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
    expect(script.requests).toHaveLength(1);
  });
});

describe('a request during an outage of the database', () => {
  const outage = (): Response => refusal(503, 'INTERNAL_ERROR', { headers: { 'Retry-After': '5' } });

  it.each<[string, (client: TrunklineClient) => Promise<unknown>]>([
    ['it only reads', (client) => client.instances.list()],
    ['it has an idempotency key', (client) => client.messages.send(text)],
  ])('is repeated if %s', async (_name, call) => {
    const script = scriptedFetch(outage(), fine);
    const result = call(clientOf(script));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await result).toMatchObject({ ok: true });
    expect(script.requests).toHaveLength(2);
  });

  it.each([
    ['the service', outage(), 'INTERNAL_ERROR'],
    ['a proxy', new Response('busy', { status: 503 }), 'UNEXPECTED_RESPONSE'],
  ])('is not repeated if its effect might happen twice: a 503 of %s', async (_name, lost, code) => {
    const script = scriptedFetch(lost, fine);
    expect(await clientOf(script).instances.create()).toMatchObject({
      ok: false,
      error: { code, status: 503 },
    });
    expect(script.requests).toHaveLength(1);
  });
});

describe('a request that fails otherwise', () => {
  it.each([
    ['500', refusal(500, 'INTERNAL_ERROR', { headers: { 'Retry-After': '1' } })],
    ['502', refusal(502, 'GATEWAY_ERROR')],
    ['409', refusal(409, 'INSTANCE_BUSY')],
    ['a network failure', new TypeError('fetch failed')],
  ])('is not repeated: %s', async (_name, first) => {
    const script = scriptedFetch(first, fine);
    expect(await clientOf(script).instances.list()).toMatchObject({ ok: false });
    expect(script.requests).toHaveLength(1);
  });
});

describe("the caller's signal", () => {
  it('ends the wait for a retry', async () => {
    const script = scriptedFetch(limited('30'), fine);
    const controller = new AbortController();
    const result = clientOf(script).instances.list({ signal: controller.signal });
    await vi.advanceTimersByTimeAsync(1_000);
    const reason = new Error('The page was left.');
    controller.abort(reason);
    expect(await result).toMatchObject({
      ok: false,
      error: { code: 'ABORTED', status: null, cause: reason },
    });
    expect(script.requests).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends a request in flight', async () => {
    const controller = new AbortController();
    const { promise: hangs, reject } = Promise.withResolvers<Response>();
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason));
    const client = createClient({ baseUrl: '/api/v1', apiKey: 'trk_test', fetch: () => hangs });
    const result = client.messages.send(text, { signal: controller.signal });
    controller.abort();
    expect(await result).toMatchObject({ ok: false, error: { code: 'ABORTED' } });
  });

  it('ends an iterator with an error', async () => {
    const messages = clientOf(scriptedFetch(limited('30'))).messages.iterate(
      {},
      { signal: AbortSignal.abort() },
    );
    await expect(messages[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
