import { describe, expect, it } from 'vitest';
import { canonicalFingerprint } from './idempotency.ts';
import type { SendFingerprint } from './idempotency.ts';

const REQUEST: SendFingerprint = {
  instanceId: 'ins_1',
  to: '34600123456',
  type: 'image',
  text: null,
  caption: 'A cat',
  filename: 'cat.png',
  sha256: 'ab',
};

describe('the fingerprint of a send request', () => {
  it('is the same for the same request, whatever the order of its fields', () => {
    const { sha256, to, ...rest } = REQUEST;
    expect(canonicalFingerprint({ sha256, to, ...rest })).toBe(canonicalFingerprint({ ...REQUEST }));
  });

  it.each<Partial<SendFingerprint>>([
    { instanceId: 'ins_2' },
    { to: '34600123457' },
    { type: 'document' },
    { text: 'A cat' },
    { caption: null },
    { caption: '' },
    { filename: 'dog.png' },
    { sha256: 'cd' },
    { replyTo: 'msg_1' },
    { voice: true },
  ])('changes with %j', (changes) => {
    expect(canonicalFingerprint({ ...REQUEST, ...changes })).not.toBe(canonicalFingerprint(REQUEST));
  });

  it('is the same as before replies and voice messages if neither is given', () => {
    const before = '["ins_1","34600123456","image",null,"A cat","cat.png","ab"]';
    expect(canonicalFingerprint(REQUEST)).toBe(before);
    expect(canonicalFingerprint({ ...REQUEST, replyTo: null, voice: false })).toBe(before);
  });

  it('distinguishes what only looks alike when it is joined', () => {
    const a = canonicalFingerprint({ ...REQUEST, text: 'a","b', caption: 'c' });
    const b = canonicalFingerprint({ ...REQUEST, text: 'a', caption: 'b","c' });
    expect(a).not.toBe(b);
  });
});
