import { getRequestListener } from '@hono/node-server';
import { createTrunkline } from '@trunkline/core';
import { nodeRuntime } from '@trunkline/core/node';
import { createSandbox } from '@trunkline/core/sandbox';
import { createHttpApp } from '@trunkline/http';
import { sqliteStorage } from '@trunkline/storage-sqlite';
import express from 'express';

const gateways = [createSandbox({ scansQrs: true }).gateway];
const storage = sqliteStorage({ path: 'trunkline.db' });
const trunkline = createTrunkline({ ...nodeRuntime(), storage, gateways, secretKey: process.env.SECRET_KEY });
await trunkline.start();
const { token } = await trunkline.admin.apiKeys.createFirst();
if (token !== null) console.log('API key:', token); // at the first start
const api = getRequestListener(createHttpApp(trunkline).fetch, { overrideGlobalObjects: false });

const app = express();
app.all('/api/v1/{*rest}', (request, response) => api(request, response)); // in front of express.json()
app.use(express.json());
const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', (error) => {
  if (error) throw error; // such as a port that is in use
  console.log('listening', server.address());
});

// Stops cleanly: takes no new requests, and finishes those that have begun.
process.once('SIGTERM', () => {
  server.close();
  void trunkline.stop();
});
