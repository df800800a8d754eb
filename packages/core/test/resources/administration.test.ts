import { expect, it } from 'vitest';
import { memberResource } from '@trunkline/core/spi/http';

it('a member of a workspace has times as the API writes them', () => {
  const member = {
    id: 'mem_1',
    workspaceId: 'ten_1',
    email: 'ada@example.com',
    emailVerified: true,
    administersWebhooks: false,
    createdAt: Date.parse('2026-11-20T21:15:00.123Z'),
  };
  expect(memberResource(member)).toMatchObject({ created_at: '2026-11-20T21:15:00.123+00:00' });
});
