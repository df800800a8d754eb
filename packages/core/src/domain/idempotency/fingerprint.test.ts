import { describe, expect, it } from 'vitest';
import { canonicalFingerprint } from './idempotency.ts';
import type { SendFingerprint } from './idempotency.ts';

const REQUEST: SendFingerprint = {
  instanceId: 'ins_1',
  to: '34600123456',
  replyTo: null,
  sendAt: null,
  type: 'image',
  content: ['A cat', 'cat.png', 'ab', false],
};

describe('the fingerprint of a send request', () => {
  it('is the same for the same request, whatever the order of its fields', () => {
    const { content, to, ...rest } = REQUEST;
    expect(canonicalFingerprint({ content, to, ...rest })).toBe(canonicalFingerprint({ ...REQUEST }));
  });

  it.each<Partial<SendFingerprint>>([
    { instanceId: 'ins_2' },
    { to: '34600123457' },
    { replyTo: 'msg_1' },
    { type: 'document' },
    { content: [null, 'cat.png', 'ab', false] },
    { content: ['', 'cat.png', 'ab', false] },
    { content: ['A cat', 'dog.png', 'ab', false] },
    { content: ['A cat', 'cat.png', 'cd', false] },
    { content: ['A cat', 'cat.png', 'ab', true] },
  ])('changes with %j', (changes) => {
    expect(canonicalFingerprint({ ...REQUEST, ...changes })).not.toBe(canonicalFingerprint(REQUEST));
  });

  it('distinguishes what only looks alike when it is joined', () => {
    const a = canonicalFingerprint({ ...REQUEST, content: ['a","b', 'c'] });
    const b = canonicalFingerprint({ ...REQUEST, content: ['a', 'b","c'] });
    expect(a).not.toBe(b);
  });
});
