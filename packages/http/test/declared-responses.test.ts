import { expect, test } from 'vitest';
import { client } from './client.ts';
import type { Json } from './client.ts';
import { onlyDeclaredResponses } from './declared-responses.ts';

const GROUP = {
  id: 'grp_01kaj2q4m3f7h9k2n5p8r1t6w0',
  name: 'Family',
  participants_count: 5,
  synced_at: '2026-11-20T21:15:01.000+00:00',
};
const refusal = (code: string): object => ({ error: { code, message: 'No.', request_id: 'req_1' } });

function checked(
  status: number,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ json: Json }> {
  const response = new Response(JSON.stringify(body), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': 'req_1',
      'Cache-Control': 'private, no-cache',
      ...headers,
    },
  });
  return onlyDeclaredResponses(client({ fetch: () => response }))('GET', '/instances/ins_1/groups');
}

test('the check of responses accepts only declared ones', async () => {
  await checked(200, { data: [GROUP] });
  await checked(404, refusal('INSTANCE_NOT_FOUND'));
});

test.each<[string, Parameters<typeof checked>]>([
  ['a field too many', [200, { data: [{ ...GROUP, color: 'red' }] }]],
  ['a field missing', [200, { data: [{ ...GROUP, name: undefined }] }]],
  ['a value of another type', [200, { data: [{ ...GROUP, participants_count: '5' }] }]],
  ['a timestamp of another form', [200, { data: [{ ...GROUP, synced_at: '2026-11-20T21:15:01Z' }] }]],
  ['a status that is not declared', [201, { data: [GROUP] }]],
  ['a code that is not declared', [404, refusal('MESSAGE_NOT_FOUND')]],
  ['a code of another status', [404, refusal('UNAUTHENTICATED')]],
  [
    'another request id than in the header',
    [404, refusal('INSTANCE_NOT_FOUND'), { 'X-Request-Id': 'req_2' }],
  ],
  ['another content type', [200, { data: [GROUP] }, { 'Content-Type': 'text/plain' }]],
  ['a 429 that does not say when to come back', [429, refusal('RATE_LIMITED')]],
])('%s does not', async (_, response) => {
  await expect(checked(...response)).rejects.toThrow(/GET \/api\/v1\/instances\/ins_1\/groups/);
});
