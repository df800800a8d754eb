import { signStandardWebhook, signWebhook, verify } from '@trunkline/receiver';
import { vectors } from '@trunkline/receiver/testing';

export interface Checked {
  readonly checked: number;
  readonly wrong: readonly string[];
}

/** Uses no test runner and no Node modules, so that it works in any runtime. */
export async function checkVectors(): Promise<Checked> {
  const wrong: string[] = [];
  for (const { body, signature, ...options } of vectors.signatures) {
    if ((await signWebhook({ ...options, body: fromBase64(body) })) !== signature) wrong.push(signature);
  }
  for (const { body, signature, ...options } of vectors.standard_signatures) {
    const made = await signStandardWebhook({ ...options, body: fromBase64(body) });
    if (made !== signature) wrong.push(signature);
  }
  const requests = [...vectors.requests, ...vectors.standard_requests];
  for (const { name, body, received_at, expect, ...request } of requests) {
    const result = await verify({ ...request, body: fromBase64(body), receivedAt: received_at * 1000 });
    const response = result.ok ? result.event.id : result.reason;
    const expected = expect.ok ? expect.event_id : expect.reason;
    if (response !== expected) wrong.push(`${name}: ${response}`);
  }
  const signatures = vectors.signatures.length + vectors.standard_signatures.length;
  return { checked: signatures + requests.length, wrong };
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
