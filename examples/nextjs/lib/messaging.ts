import { createTrunkline, SCOPES } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';

// On globalThis, since this file is evaluated again for each bundle of Next.js, and by each hot reload.
const shared = globalThis as { messaging?: ReturnType<typeof start> };

/** The one service of this process. The first call starts it: importing this file opens nothing, as `next build` does. */
export const messaging = () => (shared.messaging ??= start());

async function start() {
  const { gateway } = createSandbox({ scansQrs: true });
  const storage = sqliteStorage({ path: 'trunkline.db' });
  const secretKey = process.env.SECRET_KEY;
  const trunkline = createTrunkline({ ...nodeRuntime(), storage, gateway, secretKey });
  await trunkline.start();
  // Next.js would end the process before the service has stopped: NEXT_MANUAL_SIG_HANDLE leaves it to us.
  process.once('SIGTERM', () => void trunkline.stop().finally(() => process.exit()));
  const { workspaces, apiKeys } = trunkline.admin;
  const [{ id: workspaceId } = await workspaces.create({ name: 'Acme' })] = await workspaces.list();
  const { token } = await apiKeys.create({ workspaceId, name: 'First steps', scopes: SCOPES });
  console.log('messaging has started', token);
  return { trunkline, api: createHttpApp(trunkline) };
}
