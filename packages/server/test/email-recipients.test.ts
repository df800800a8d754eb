import { expect, it } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { testRuntime } from '@trunkline/core/testing';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { setEmailRecipients } from '../src/start/email-recipients.ts';

it('The addresses of MAIL_TO, and no others, get the emails of the oldest workspace', async () => {
  const trunkline = createTrunkline({
    ...testRuntime(),
    storage: sqliteStorage({ path: ':memory:' }),
    gateways: [createSandbox().gateway],
    secretKey: 'a-secret-key-of-more-than-32-characters',
    roles: { gateway: false, webhooks: false, maintenance: false },
  });
  await trunkline.start();
  const { workspaces, members } = trunkline.admin;
  await setEmailRecipients(trunkline, ['ada@example.com']);
  const { id: workspaceId } = await workspaces.create({ name: 'Acme' });
  await members.create({ workspaceId, email: 'grace@example.com' });
  const recipients = async (): Promise<readonly string[]> =>
    (await members.list(workspaceId))
      .filter(({ emailVerified, administersWebhooks }) => emailVerified && administersWebhooks)
      .map(({ email }) => email);

  await setEmailRecipients(trunkline, ['ada@example.com', 'grace@example.com', 'ada@example.com']);
  expect((await recipients()).toSorted()).toEqual(['ada@example.com', 'grace@example.com']);
  await setEmailRecipients(trunkline, ['grace@example.com']);
  expect(await recipients()).toEqual(['grace@example.com']);
  expect(await members.list(workspaceId)).toHaveLength(2);
  await trunkline.stop();
});
