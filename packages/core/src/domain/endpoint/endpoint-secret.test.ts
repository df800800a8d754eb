import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testing/seeded-random.ts';
import { newEndpointSecret, secretHint } from './endpoint-secret.ts';

describe("an endpoint's secret", () => {
  const secret = newEndpointSecret(seededRandom().bytes);

  it('is whsec_ and 32 random bytes in padded base64', () => {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newEndpointSecret(seededRandom(2).bytes)).not.toBe(secret);
  });

  it('is hinted at by its last four characters', () => {
    expect(secretHint(secret)).toBe(`…${secret.slice(-4)}`);
  });
});
