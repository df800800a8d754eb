import { describe, expect, it } from 'vitest';
import { signStandardWebhook, signWebhook, verify } from '@trunkline/receiver';
import { vectors } from '@trunkline/receiver/testing';

/** Uses the `#hmac` that the calling test file has loaded. */
export function runVectors(): void {
  describe('signWebhook', () => {
    it.each(vectors.signatures)('makes $signature', async ({ secret, timestamp, body, signature }) => {
      const bytes = Buffer.from(body, 'base64');
      expect(await signWebhook({ secret, timestamp, body: bytes })).toBe(signature);
    });
  });

  describe('signStandardWebhook', () => {
    it.each(vectors.standard_signatures)('makes $signature', async ({ body, signature, ...request }) => {
      const bytes = Buffer.from(body, 'base64');
      expect(await signStandardWebhook({ ...request, body: bytes })).toBe(signature);
    });
  });

  describe('verify', () => {
    it.each([...vectors.requests, ...vectors.standard_requests])(
      '$name',
      async ({ name, body, received_at, expect: expected, ...request }) => {
        const result = await verify({
          ...request,
          body: Buffer.from(body, 'base64'),
          receivedAt: received_at * 1000,
        });
        if (expected.ok) expect(result, name).toMatchObject({ ok: true, event: { id: expected.event_id } });
        else expect(result, name).toMatchObject({ ok: false, reason: expected.reason });
      },
    );
  });
}
