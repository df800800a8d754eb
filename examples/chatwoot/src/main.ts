// Runs a number whose chats appear as conversations in a Chatwoot inbox (docs/integrations/chatwoot.md).
import { serve } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { createBridge } from './bridge.ts';

const { gateway } = createSandbox({ scansQrs: true });
const storage = sqliteStorage({ path: 'trunkline.db' });
const trunkline = createTrunkline({
  ...nodeRuntime(),
  storage,
  gateways: [gateway],
  secretKey: process.env['SECRET_KEY'],
});

// The first start creates the workspace and the number; later starts find them.
await trunkline.start();
const { workspaces } = trunkline.admin;
const [{ id: workspaceId } = await workspaces.create({ name: 'Acme' })] = await workspaces.list();
const { instances } = trunkline.workspace(workspaceId);
const { data: numbers } = await instances.list();
const { id: instance } = numbers[0] ?? (await instances.create({ name: 'Support' }));

const bridge = createBridge({
  trunkline,
  workspaceId,
  instance,
  chatwoot: {
    url: setting('CHATWOOT_URL'),
    accountId: Number(setting('CHATWOOT_ACCOUNT_ID')),
    inboxId: Number(setting('CHATWOOT_INBOX_ID')),
    accessToken: setting('CHATWOOT_ACCESS_TOKEN'),
  },
  webhook: { signedWith: setting('CHATWOOT_WEBHOOK_SECRET') },
  database: 'bridge.db',
});
await bridge.registered;
await instances.connect(instance);

const server = serve({
  fetch: bridge.fetch,
  port: Number(process.env['PORT'] ?? 3000),
  hostname: '127.0.0.1',
});
server.once('listening', () => console.log('Chatwoot posts to', server.address()));

process.once('SIGTERM', () => {
  server.close();
  void trunkline.stop().then(() => bridge.close());
});

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '')
    throw new Error(`Set ${name}: docs/integrations/chatwoot.md says to what.`);
  return value;
}
