import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_TOLERANCE_SECONDS,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
  signWebhook,
  verify,
  type VerifyOptions,
} from '@trunkline/receiver';

const secret = 'whsec_VGhpc0lzT25seUZvclRlc3RzVGhpc0lzT25seUZvclQ';
const now = 1_763_672_400_000;
const body = Buffer.from(
  JSON.stringify({
    id: 'evt_1',
    type: 'message.received',
    created_at: '2025-11-20T21:00:00.000000Z',
    workspace_id: 'ten_1',
    data: { message: { id: 'msg_1', text: 'hi' } },
  }),
);

async function signed(): Promise<{ headers: Record<string, string>; options: VerifyOptions }> {
  const timestamp = String(now / 1000);
  const headers = {
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: await signWebhook({ secret, timestamp, body }),
  };
  return { headers, options: { secret, headers, body, receivedAt: now } };
}

describe('verify', () => {
  it('returns the event of a request that the service has signed', async () => {
    const { options } = await signed();
    const result = await verify(options);
    expect(result).toEqual({ ok: true, event: JSON.parse(body.toString()) });
    if (result.ok && result.event.type === 'message.received') {
      expect(result.event.data.message.text).toBe('hi');
    }
  });

  it('reads Fetch headers, and refuses one that came twice', async () => {
    const { headers, options } = await signed();
    const fetched = new Headers(headers);
    expect(await verify({ ...options, headers: fetched })).toMatchObject({ ok: true });
    fetched.append(SIGNATURE_HEADER, headers[SIGNATURE_HEADER] ?? '');
    expect(await verify({ ...options, headers: fetched })).toMatchObject({
      reason: 'invalid_signature_format',
    });
  });

  it('ignores undefined headers, which some frameworks have', async () => {
    const { headers, options } = await signed();
    const sparse = { ...headers, 'X-SERVICE-SIGNATURE': undefined, 'x-service-timestamp': undefined };
    expect(await verify({ ...options, headers: sparse })).toMatchObject({ ok: true });
    const absent = { 'x-service-signature': undefined, 'x-service-timestamp': undefined };
    expect(await verify({ ...options, headers: absent })).toMatchObject({ reason: 'missing_timestamp' });
  });

  it('accepts an ArrayBuffer, and a view into a larger one', async () => {
    const { options } = await signed();
    const larger = new Uint8Array(body.length + 20);
    larger.set(body, 10);
    const view = larger.subarray(10, 10 + body.length);
    expect(await verify({ ...options, body: view })).toMatchObject({ ok: true });
    expect(await verify({ ...options, body: view.slice().buffer })).toMatchObject({ ok: true });
  });

  it('accepts bytes of another realm, which test runners have', async () => {
    const { options } = await signed();
    const foreign: Uint8Array = runInNewContext('Uint8Array.from(bytes)', { bytes: [...body] });
    expect(foreign instanceof Uint8Array).toBe(false);
    expect(await verify({ ...options, body: foreign })).toMatchObject({ ok: true });
  });

  it.each([
    ['parsed JSON', JSON.parse(body.toString())],
    ['text', body.toString()],
    ['nothing', undefined],
    ['null', null],
  ])('says what to do when a framework made %s of the body', async (_name, made) => {
    const { options } = await signed();
    const result = await verify({ ...options, body: made });
    expect(result).toMatchObject({ ok: false, reason: 'body_not_bytes' });
    expect(result.ok ? '' : result.message).toMatch(
      /express\.raw.*addContentTypeParser.*arrayBuffer\(\).*chunks/,
    );
  });

  it('uses the current time and 300 seconds by default', async () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const sign = async (at: number): Promise<VerifyOptions> => ({
      secret,
      headers: {
        [TIMESTAMP_HEADER]: String(at),
        [SIGNATURE_HEADER]: await signWebhook({ secret, timestamp: at, body }),
      },
      body,
    });
    expect(DEFAULT_TOLERANCE_SECONDS).toBe(300);
    expect(await verify(await sign(timestamp))).toMatchObject({ ok: true });
    expect(await verify(await sign(timestamp - 400))).toMatchObject({ reason: 'timestamp_out_of_tolerance' });
  });

  it('counts whole seconds: a request late in the 300th second is in time', async () => {
    const { options } = await signed();
    expect(await verify({ ...options, receivedAt: now + 300_999 })).toMatchObject({ ok: true });
    expect(await verify({ ...options, receivedAt: now + 301_000 })).toMatchObject({ ok: false });
  });

  it.each([
    ['an empty secret', { secret: '' }],
    ['no secret at all', { secret: [] }],
    ['an empty one among several', { secret: [secret, ''] }],
    ['a line break after the secret', { secret: `${secret}\n` }],
    ['a space before the secret', { secret: ` ${secret}` }],
    ['a secret that is undefined', { secret: undefined }],
    ['a tolerance that is not a number', { tolerance: Number.NaN }],
    ['a tolerance without end', { tolerance: Number.POSITIVE_INFINITY }],
    ['a negative tolerance', { tolerance: -1 }],
    ['an arrival that is not a time', { receivedAt: Number.NaN }],
    ['an option that is misspelt', { tolerence: 30 }],
  ])('throws on %s', async (_name, wrong) => {
    const { options } = await signed();
    const broken = { ...options, ...wrong } as VerifyOptions; // as from a caller without types
    const error: unknown = await verify(broken).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain(secret);
  });

  it('refuses a request with any one bit of its body flipped', async () => {
    const { options } = await signed();
    await fc.assert(
      fc.asyncProperty(fc.nat(body.length * 8 - 1), async (bit) => {
        const turned = Uint8Array.from(body);
        turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(await verify({ ...options, body: turned })).toMatchObject({ reason: 'signature_mismatch' });
      }),
    );
  });
});

describe('signWebhook', () => {
  it('signs text as UTF-8', async () => {
    const text = '{"text":"Grüße 👋"}';
    const options = { secret, timestamp: 1 };
    expect(await signWebhook({ ...options, body: text })).toBe(
      await signWebhook({ ...options, body: new TextEncoder().encode(text) }),
    );
  });

  it.each(['1e10', '', ' 1', '1.5', '-1', '1234567890123'])('rejects the timestamp %j', async (timestamp) => {
    await expect(signWebhook({ secret, timestamp, body: '' })).rejects.toThrow(TypeError);
  });

  it.each(['', ' ', `${secret} `])('rejects the secret %j', async (wrong) => {
    await expect(signWebhook({ secret: wrong, timestamp: 1, body: '' })).rejects.toThrow(TypeError);
  });
});
