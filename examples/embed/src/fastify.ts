import { getRequestListener } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import Fastify from 'fastify';

const gateways = [createSandbox({ scansQrs: true }).gateway];
const storage = sqliteStorage({ path: 'trunkline.db' });
const trunkline = createTrunkline({ ...nodeRuntime(), storage, gateways, secretKey: process.env.SECRET_KEY });
await trunkline.start();
const { token } = await trunkline.admin.apiKeys.createFirst();
if (token !== null) console.log('API key:', token); // at the first start
const api = getRequestListener(createHttpApp(trunkline).fetch, { overrideGlobalObjects: false });

const app = Fastify();
// Uses `onRequest`, which runs before anything reads the body. The handler is never reached.
app.all('/api/v1/*', { onRequest: async (it, reply) => api(it.raw, reply.hijack().raw) }, () => {});
await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' });
console.log('listening', app.server.address());

// Stops cleanly: takes no new requests, and finishes those that have begun.
process.once('SIGTERM', () => {
  void app.close();
  void trunkline.stop();
});
