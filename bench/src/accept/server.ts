import { serve } from '@hono/node-server';
import type { Hono } from 'hono';
import { serveParent } from '../child.ts';
import { dropSchema } from '../postgres.ts';
import { newId, STORAGES } from '../storages.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';
import { plainApp, TOKEN } from './plain-app.ts';
import { respondingEach, respondingTogether, committingEach } from './plain-stores.ts';
import { insertingEach } from './plain-postgres.ts';
import type { Served, ServerPlan, Usage } from './server-plan.ts';
import { startTrunkline } from './trunkline-app.ts';

interface App {
  readonly app: Hono;
  readonly token: string;
  readonly instances: readonly string[];
  stop?(): Promise<void>;
}

const plan = JSON.parse(process.argv[2] ?? '') as ServerPlan; // the parent wrote the plan
const { service, joins } = plan;
const directory = joins?.directory ?? makeDirectory();

async function start(): Promise<App> {
  const plain = {
    token: TOKEN,
    instances: Array.from({ length: plan.instances }, () => newId('ins', Date.now())),
  };
  switch (service) {
    case 'responses together':
      return { ...plain, app: plainApp(respondingTogether()) };
    case 'responses each':
      return { ...plain, app: plainApp(respondingEach()) };
    case 'SQLite, commit each':
      return { ...plain, app: plainApp(committingEach(directory)) };
    case 'SQLite, trunkline':
      return startTrunkline(STORAGES.sqlite(directory), plan);
    case 'PostgreSQL, insert each': {
      const { store, stop } = await insertingEach(directory);
      return { ...plain, app: plainApp(store), stop };
    }
    case 'PostgreSQL, trunkline':
      return startTrunkline(STORAGES.postgres(directory), plan);
  }
}

const { app, token, instances, stop } = await start();
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  const usage = (): Usage => {
    const { user, system } = process.cpuUsage();
    return { cpu: user + system };
  };
  const served: Served = { url: `http://127.0.0.1:${port}`, token, instances, directory };
  serveParent(served, usage, async () => {
    server.close();
    await stop?.();
    if (joins !== undefined) return;
    if (service.startsWith('PostgreSQL')) await dropSchema(directory);
    removeDirectory(directory);
  });
});
