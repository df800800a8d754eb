import { expect, it } from 'vitest';
import { memberResult } from './admin-results.ts';

it('writes times as the API does', () => {
  const member = {
    id: 'mem_1',
    workspaceId: 'ten_1',
    email: 'ada@example.com',
    emailVerified: true,
    administersWebhooks: false,
    createdAt: Date.parse('2026-11-20T21:15:00.123Z'),
  };
  expect(memberResult(member)).toMatchObject({ created_at: '2026-11-20T21:15:00.123+00:00' });
});
