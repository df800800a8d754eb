import { describe, expect, it } from 'vitest';
import type { MediaStore } from '@trunkline/core';
import { streamOf } from '@trunkline/storage-contract/media-content';
import { s3MediaStore } from '../src/index.ts';
import type { S3Credentials, S3MediaStoreOptions } from '../src/index.ts';
import { respondError } from '@trunkline/test-support/fake-s3-responses';
import { HASTY, ID, SECRETS, storeOnFake } from './support/store-on-fake.ts';
import { BUCKET, CREDENTIALS, startRealS3 } from './support/real-s3.ts';

const OPTIONS: S3MediaStoreOptions = { bucket: 'media', region: 'eu-central-1', credentials: SECRETS };

describe('the address of a file', () => {
  it.each<[string, Partial<S3MediaStoreOptions>, string]>([
    ['AWS', {}, `https://media.s3.eu-central-1.amazonaws.com/${ID}`],
    ['AWS, by path', { pathStyle: true }, `https://s3.eu-central-1.amazonaws.com/media/${ID}`],
    ['an endpoint', { endpoint: 'http://127.0.0.1:9000/' }, `http://127.0.0.1:9000/media/${ID}`],
    ['an endpoint below a path', { endpoint: 'https://x.example/s3' }, `https://x.example/s3/media/${ID}`],
    [
      'an endpoint, by host',
      { endpoint: 'https://s3.example:8443', pathStyle: false },
      `https://media.s3.example:8443/${ID}`,
    ],
    [
      'a prefix',
      { prefix: 'trunk-line/v1.0/m_' },
      `https://media.s3.eu-central-1.amazonaws.com/trunk-line/v1.0/m_${ID}`,
    ],
  ])('on %s', async (_, options, address) => {
    const asked: string[] = [];
    const store = s3MediaStore({
      ...OPTIONS,
      ...options,
      fetch: async (input) => {
        asked.push(new Request(input).url);
        return new Response(null, { status: 404 });
      },
    });
    expect(await store.size(ID)).toBeNull();
    expect(asked).toEqual([address]);
  });
});

describe('a wrong option', () => {
  it.each<[string, unknown]>([
    ['bucket', { bucket: '' }],
    ['bucket', { bucket: '../other' }],
    ['region', { region: 'eu central' }],
    ['region', { region: undefined }],
    ['endpoint', { endpoint: 's3.example.com' }],
    ['endpoint', { endpoint: 'ftp://s3.example.com' }],
    ['endpoint', { endpoint: 'https://user:the-secret-access-key@s3.example.com' }],
    ['endpoint', { endpoint: 'https://s3.example.com/?x=1' }],
    ['prefix', { prefix: '/media/' }],
    ['prefix', { prefix: 'a//b' }],
    ['prefix', { prefix: 'a/../b/' }],
    ['prefix', { prefix: 'a b/' }],
    ['credentials.accessKeyId', { credentials: undefined }],
    ['credentials.accessKeyId', { credentials: { ...SECRETS, accessKeyId: '' } }],
    ['credentials.secretAccessKey', { credentials: { ...SECRETS, secretAccessKey: undefined } }],
    ['credentials.sessionToken', { credentials: { ...SECRETS, sessionToken: 'the-session-token\n' } }],
    ['encryption.algorithm', { encryption: { algorithm: 'rot13' } }],
    ['encryption.keyId', { encryption: { algorithm: 'aws:kms', keyId: 'a\r\nb' } }],
    ['timeouts.requestMs', { timeouts: { requestMs: 0 } }],
    ['timeouts.stallMs', { timeouts: { stallMs: Number.NaN } }],
    ['maxAttempts', { maxAttempts: 0 }],
    ['partSize', { partSize: 1_000 }],
  ])('is named: %s %#', (name, options) => {
    const make = (): unknown => s3MediaStore({ ...OPTIONS, ...(options as object) }); // wrong on purpose
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`s3MediaStore: the option "${name}"`);
    expect(make).not.toThrow(/the-secret|the-session/);
  });

  it.each<[unknown, string]>([
    [{ pathstyle: true }, 's3MediaStore: there is no option "pathstyle". Did you mean "pathStyle"?'],
    [
      { timeouts: { requestMS: 5 } },
      's3MediaStore: timeouts: there is no option "requestMS". Did you mean "requestMs"?',
    ],
  ])('that does not exist is named, with the one that was meant: %o', (options, why) => {
    const make = (): unknown => s3MediaStore({ ...OPTIONS, ...(options as object) }); // wrong on purpose
    expect(make).toThrow(why);
  });
});

describe('credentials', () => {
  it('are refused by a real server if they are wrong, without being shown', async () => {
    const real = await startRealS3();
    const credentials = { ...CREDENTIALS, secretAccessKey: 'wrong' };
    const store = s3MediaStore({ ...OPTIONS, endpoint: real.endpoint, bucket: BUCKET, credentials });
    await expect(store.put(ID, streamOf('x'))).rejects.toThrow(
      'S3 refused a PUT: 403 SignatureDoesNotMatch.',
    );
    expect(await real.keys()).toEqual([]);
    await real.close();
  });

  it('are asked for again before they expire, and once for many requests', async () => {
    let expiresInMs = 3_600_000;
    let asked = 0;
    const { s3, store } = await storeOnFake({
      credentials: async () => {
        asked += 1;
        return { ...SECRETS, sessionToken: `token-${asked}`, expiration: new Date(Date.now() + expiresInMs) };
      },
    });
    await Promise.all([store.size(ID), store.size(ID), store.size(ID)]);
    await store.size(ID);
    expect(asked).toBe(1);
    expect(new Set(s3.requests.map(({ headers }) => headers['x-amz-security-token']))).toEqual(
      new Set(['token-1']),
    );
    expiresInMs = 60_000;
    s3.disturb((request, { outgoing }) => {
      if (request.headers['x-amz-security-token'] !== 'token-1') return undefined;
      respondError(outgoing, 400, 'ExpiredToken');
      return 'handled';
    });
    // S3 cannot give a reason for refusing a HEAD.
    await store.size(ID);
    expect(asked).toBe(2);
    await store.get(ID);
    expect(asked).toBe(3);
  });

  it('are reported if they cannot be found, and found by the next request', async () => {
    let isAway = true;
    const { store } = await storeOnFake({
      credentials: async (): Promise<S3Credentials> => {
        if (isAway) throw new Error('the metadata service is away');
        return SECRETS;
      },
    });
    await expect(store.size(ID)).rejects.toThrow('the metadata service is away');
    isAway = false;
    expect(await store.size(ID)).toBeNull();
  });

  it('are used until they expire while the provider is away', async () => {
    let expiresInMs = 60_000;
    let isAway = false;
    let asked = 0;
    const { s3, store } = await storeOnFake({
      credentials: async () => {
        asked += 1;
        if (isAway) throw new Error('the metadata service is away');
        return { ...SECRETS, expiration: new Date(Date.now() + expiresInMs) };
      },
    });
    await store.size(ID);
    isAway = true;
    expect(await store.size(ID)).toBeNull();
    expect(asked).toBe(2);
    isAway = false;
    expiresInMs = -1;
    await store.size(ID);
    isAway = true;
    await expect(store.size(ID)).rejects.toThrow('the metadata service is away');
    expect(s3.requests).toHaveLength(3);
  });

  it('do not hang a call if they never arrive', async () => {
    const { store } = await storeOnFake({ ...HASTY, credentials: () => new Promise(() => {}) });
    await expect(store.size(ID)).rejects.toThrow('did not respond within 200 ms');
  });
});

describe('a clock that is wrong', () => {
  it.each<[string, (store: MediaStore) => Promise<unknown>]>([
    ['put', (store) => store.put(ID, streamOf('x'))],
    ['size', (store) => store.size(ID)],
    ['delete', (store) => store.delete(ID)],
  ])('is set by what S3 says of a %s', async (_, call) => {
    const { s3, store } = await storeOnFake();
    const ahead = Date.now() + 3_600_000;
    s3.disturb(({ headers }, { outgoing }) => {
      const signedAt = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
      if (Math.abs(Date.parse(signedAt) - ahead) < 15 * 60_000) return undefined;
      outgoing.setHeader('Date', new Date(ahead).toUTCString());
      respondError(outgoing, 403, 'RequestTimeTooSkewed');
      return 'handled';
    });
    await call(store);
    const made = s3.requests.length;
    await call(store);
    // The second call already used the offset in its first request.
    expect(s3.requests).toHaveLength(2 * made - 1);
  });
});

describe('encryption', () => {
  it.each([
    [{ algorithm: 'AES256' } as const, 'AES256', undefined],
    [
      { algorithm: 'aws:kms', keyId: 'arn:aws:kms:eu-central-1:1:key/2' } as const,
      'aws:kms',
      'arn:aws:kms:eu-central-1:1:key/2',
    ],
  ])('%o is asked for with each object', async (encryption, algorithm, keyId) => {
    const { s3, store } = await storeOnFake({ encryption });
    await store.put(ID, streamOf('x'));
    await store.put(ID, streamOf(new Uint8Array(6_000_000)));
    await new Response(await store.get(ID)).bytes();
    const asked = s3.requests.map(({ operation, headers }) => [
      operation,
      headers['x-amz-server-side-encryption'],
      headers['x-amz-server-side-encryption-aws-kms-key-id'],
    ]);
    expect(asked).toEqual([
      ['PutObject', algorithm, keyId],
      ['CreateMultipartUpload', algorithm, keyId],
      ['UploadPart', undefined, undefined],
      ['UploadPart', undefined, undefined],
      ['CompleteMultipartUpload', undefined, undefined],
      ['GetObject', undefined, undefined],
    ]);
  });
});
