import { expect, it, vi } from 'vitest';
import { verify } from '@trunkline/receiver';
import { runVectors } from './support/run-vectors.ts';

vi.mock('#hmac', () => import('../src/hmac-web.ts'));

runVectors();

it('the receiver computes its HMAC with Web Crypto', async () => {
  const importKey = vi.spyOn(crypto.subtle, 'importKey');
  await verify({
    secret: 'whsec_x',
    headers: { 'x-service-timestamp': '0', 'x-service-signature': `v1=${'0'.repeat(64)}` },
    body: new Uint8Array(),
    receivedAt: 0,
  });
  expect(importKey).toHaveBeenCalled();
});
