import { getRequestListener } from '@hono/node-server';
import { createTrunkline, SCOPES } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import plugin from 'fastify-plugin';

export default plugin(async (app) => {
  const { gateway } = createSandbox({ scansQrs: true });
  const storage = sqliteStorage({ path: 'trunkline.db' });
  const service = createTrunkline({ ...nodeRuntime(), storage, gateway, secretKey: process.env.SECRET_KEY });
  await service.start();
  const { workspaces, apiKeys } = service.admin;
  const [{ id: workspaceId } = await workspaces.create({ name: 'Acme' })] = await workspaces.list();
  const { token } = await apiKeys.create({ workspaceId, name: 'First steps', scopes: SCOPES });
  const api = getRequestListener(createHttpApp(service).fetch, { overrideGlobalObjects: false });
  app.all('/api/v1/*', { onRequest: async (it, reply) => api(it.raw, reply.hijack().raw) }, () => {});
  app.log.info(`messaging has started: ${token}`);

  // Stops the service cleanly, and shares it with your own routes.
  app.addHook('preClose', () => service.endStreams());
  app.addHook('onClose', () => service.stop());
  app.decorate('trunkline', service);
});
