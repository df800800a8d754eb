import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const gateways = [createSandbox({ scansQrs: true }).gateway];
const storage = sqliteStorage({ path: 'trunkline.db' });
const trunkline = createTrunkline({ ...nodeRuntime(), storage, gateways, secretKey: process.env.SECRET_KEY });
await trunkline.start();
const { token } = await trunkline.admin.apiKeys.createFirst();
if (token !== null) console.log('API key:', token); // at the first start

const app = new Hono();
app.route('/', createHttpApp(trunkline));
const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' });
server.once('listening', () => console.log('listening', server.address()));

// Stops cleanly: takes no new requests, and finishes those that have begun.
process.once('SIGTERM', () => {
  server.close();
  void trunkline.stop();
});
