import { getRequestListener } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import plugin from 'fastify-plugin';

export default plugin(async (app) => {
  const gateways = [createSandbox({ scansQrs: true }).gateway];
  const storage = sqliteStorage({ path: 'trunkline.db' });
  const service = createTrunkline({ ...nodeRuntime(), storage, gateways, secretKey: process.env.SECRET_KEY });
  await service.start();
  const { token } = await service.admin.apiKeys.createFirst();
  if (token !== null) app.log.info(`API key: ${token}`); // at the first start
  const api = getRequestListener(createHttpApp(service).fetch, { overrideGlobalObjects: false });
  app.all('/api/v1/*', { onRequest: async (it, reply) => api(it.raw, reply.hijack().raw) }, () => {});
  app.log.info('messaging has started');

  // Stops the service cleanly, and shares it with your own routes.
  app.addHook('preClose', () => service.endStreams());
  app.addHook('onClose', () => service.stop());
  app.decorate('trunkline', service);
});
