import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testing/seeded-random.ts';
import { newWebhookSecret, secretHint } from './webhook-secret.ts';

describe('a webhook secret', () => {
  const secret = newWebhookSecret(seededRandom().bytes);

  it('is whsec_ and 32 random bytes in padded base64', () => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newWebhookSecret(seededRandom(2).bytes)).not.toBe(secret);
  });

  it('is hinted at by its last four characters', () => {
    expect(secretHint(secret)).toBe(`…${secret.slice(-4)}`);
  });
});
