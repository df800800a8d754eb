// One of the servers that are compared, on a free port.
import { serve } from '@hono/node-server';
import type { Hono } from 'hono';
import { serveParent } from '../child.ts';
import { dropSchema } from '../postgres.ts';
import { STORAGES } from '../storages.ts';
import { makeDirectory, removeDirectory } from '../temporary-directory.ts';
import { INSTANCE, plainApp, TOKEN } from './plain-app.ts';
import { answeringEach, answeringTogether, committingEach } from './plain-stores.ts';
import { insertingEach } from './plain-postgres.ts';
import type { Target } from './request.ts';
import { startTrunkline } from './trunkline-app.ts';

export type Variant =
  | 'answers together'
  | 'answers each'
  | 'SQLite, commit each'
  | 'SQLite, trunkline'
  | 'PostgreSQL, insert each'
  | 'PostgreSQL, trunkline';

/** CPU time that the process has used so far, in microseconds. */
export interface Usage {
  readonly cpu: number;
}

interface Served {
  readonly app: Hono;
  readonly token: string;
  readonly instance: string;
  stop?(): Promise<void>;
}

const directory = makeDirectory();

async function start(variant: Variant): Promise<Served> {
  const plain = { token: TOKEN, instance: INSTANCE };
  switch (variant) {
    case 'answers together':
      return { ...plain, app: plainApp(answeringTogether()) };
    case 'answers each':
      return { ...plain, app: plainApp(answeringEach()) };
    case 'SQLite, commit each':
      return { ...plain, app: plainApp(committingEach(directory)) };
    case 'SQLite, trunkline':
      return startTrunkline(STORAGES.sqlite(directory));
    case 'PostgreSQL, insert each': {
      const { store, stop } = await insertingEach(directory);
      return { ...plain, app: plainApp(store), stop };
    }
    case 'PostgreSQL, trunkline':
      return startTrunkline(STORAGES.postgres(directory));
  }
}

const variant = process.argv[2] as Variant; // the parent's own
const { app, token, instance, stop } = await start(variant);
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  const usage = (): Usage => {
    const { user, system } = process.cpuUsage();
    return { cpu: user + system };
  };
  const target: Target = { url: `http://127.0.0.1:${port}`, token, instance };
  serveParent(target, usage, async () => {
    server.close();
    await stop?.();
    if (variant.startsWith('PostgreSQL')) await dropSchema(directory);
    removeDirectory(directory);
  });
});
