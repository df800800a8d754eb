import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTrunkline } from '@trunkline/core';
import type { Notification } from '@trunkline/core';
import { createSandbox } from '@trunkline/core/sandbox';
import { testRuntime } from '@trunkline/core/testing';
import { sqliteStorage } from '../src/index.ts';
import { connectTo } from './support/open-storage.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

it('an email that an earlier version owed names its endpoint', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  const sent = Promise.withResolvers<Notification>();
  const trunkline = createTrunkline({
    ...testRuntime(),
    storage: sqliteStorage({ path }),
    gateway: createSandbox().gateway,
    secretKey: 'a secret key of at least 32 characters',
    notifier: { notify: async (email) => sent.resolve(email) },
  });
  await trunkline.start();
  onTestFinished(() => trunkline.stop());
  await trunkline.stop();

  // As every version has stored it, whatever the fields are called in the code.
  const owed = {
    id: 'ntc_01jxyzxyzxyzxyzxyzxyzxyzxy',
    workspaceId: 'ten_01jxyzxyzxyzxyzxyzxyzxyzxy',
    webhookId: 'wh_01jxyzxyzxyzxyzxyzxyzxyzxy',
    kind: 'webhook_failing',
    url: 'https://hooks.example.com/',
    failingSince: 1,
    createdAt: 2,
  };
  connectTo(path)
    .prepare('INSERT INTO notices (id, notice, owed_at) VALUES (?, ?, 0)')
    .run(owed.id, JSON.stringify(owed));
  await trunkline.start();
  expect(await sent.promise).toMatchObject({
    id: owed.id,
    kind: 'webhook_failing',
    workspace: { id: owed.workspaceId },
    webhook: { id: owed.webhookId, url: owed.url, failingSince: 1 },
  });
});
